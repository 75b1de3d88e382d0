package lifecycle

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"tendril/plans"
)

// A hold keeps an engine's actions out and they keep it out; a holder that died holds nothing.
func TestHold(t *testing.T) {
	t.Parallel()
	p := &Project{Runtime: t.TempDir(), Deps: Deps{Now: time.Now}}
	const key = "0001-x"
	did := 0
	act := p.unheld(key, func(context.Context) (func(*progress), error) {
		did++
		return nil, nil
	})
	try := func(what string, want int) {
		t.Helper()
		if _, err := act(t.Context()); err != nil || did != want {
			t.Errorf("%s: %d actions were done, want %d (%v)", what, did, want, err)
		}
	}
	try("nobody holds it", 1)
	h, err := p.hold(t.Context(), key, "shell", false)
	if err != nil {
		t.Fatal(err)
	}
	try("held", 1)
	if words := p.holdWords(key); !strings.HasPrefix(words, "shell (process ") {
		t.Errorf("held by %q", words)
	}
	other := (*HeldError)(nil)
	if err := p.unheldAll([]plans.Key{"0002-y", key}); !errors.As(err, &other) || other.Key != key {
		t.Errorf("two plans, of which one is held: %v", err)
	}
	if _, err := p.hold(t.Context(), key, "attach", false); !errors.As(err, &other) || other.Holder.Process.PID != os.Getpid() {
		t.Errorf("held twice: %v", err)
	}
	// Killed, it leaves its words and no lock.
	said, err := os.ReadFile(holderFile(p.holdFile(key)))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(p.holdFile(key)); err != nil || len(data) != 0 {
		t.Errorf("the locked file itself was written to: %q %v", data, err)
	}
	h.release()
	if err := os.WriteFile(holderFile(p.holdFile(key)), said, 0o600); err != nil {
		t.Fatal(err)
	}
	try("its holder died", 2)
	if words := p.holdWords(key); words != "" {
		t.Errorf("held by a dead process: %q", words)
	}
	// An action under way keeps a person out, until it ends; who asks for it is named meanwhile.
	release, ok, err := p.use(key)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.hold(ctx, key, "attach", true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("held beside an action: %v", err)
	}
	if _, asked := p.yieldAsked(key); asked {
		t.Error("the request outlives the one who asked")
	}
	release()
}
