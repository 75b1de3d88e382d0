package gate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tendril/internal/crash"
	"tendril/plans"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	l := Ledger{Dir: filepath.Join(t.TempDir(), "runtime", "ledger")}
	if _, ok, err := l.Claimed(key, headA); ok || err != nil {
		t.Fatalf("an empty ledger: %v, %v", ok, err)
	}
	if err := l.Claim(key, headA, "run-1"); err != nil {
		t.Fatal(err)
	}
	if run, ok, err := l.Claimed(key, headA); run != "run-1" || !ok || err != nil {
		t.Errorf("claimed: %q, %v, %v", run, ok, err)
	}
	if err := l.Claim(key, headA, "run-1"); err != nil {
		t.Errorf("the same claim again: %v", err)
	}
	err := l.Claim(key, headA, "run-2")
	if c := (*ClaimedError)(nil); !errors.As(err, &c) || c.Run != "run-1" || !strings.Contains(err.Error(), "run-1") {
		t.Errorf("another run: %v", err)
	}
	for _, other := range []error{l.Claim(key, headB, "run-2"), l.Claim("0002-y", headA, "run-3")} {
		if other != nil {
			t.Error(other)
		}
	}
	if names, err := filepath.Glob(filepath.Join(l.Dir, ".claim-*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestLedgerRefusesNames(t *testing.T) {
	t.Parallel()
	l := Ledger{Dir: t.TempDir()}
	for _, c := range [][3]string{
		{"../../x", headA, "run"},
		{"0001-x/../y", headA, "run"},
		{"0001-x", "../x", "run"},
		{"0001-x", "HEAD", "run"},
		{"0001-x", "", "run"},
		{"0001-x", headA, ""},
		{"0001-x", headA, "run\nrun"},
	} {
		if err := l.Claim(plans.Key(c[0]), c[1], c[2]); err == nil {
			t.Errorf("%q was written", c)
		}
	}
	if entries, err := os.ReadDir(l.Dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Of many engines that claim one approval at once, one has it.
func TestLedgerOneOfMany(t *testing.T) {
	t.Parallel()
	l := Ledger{Dir: t.TempDir()}
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			run := fmt.Sprintf("run-%d", i)
			switch err := l.Claim(key, headA, run); {
			case err == nil:
				won.Add(1)
			case !errors.As(err, new(*ClaimedError)):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d claims went through", won.Load())
	}
}

// The process is killed at each point of a claim; what is left is either no claim or a whole one, and the same run can
// claim again.
func TestLedgerSurvivesAKill(t *testing.T) {
	t.Parallel()
	for _, point := range CrashPoints {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			l := Ledger{Dir: t.TempDir()}
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), crash.Env+"="+string(point), childEnv+"="+l.Dir)
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Fatalf("the child lived: %s", out)
			}
			run, ok, err := l.Claimed(key, headA)
			if err != nil || ok != (point == crashClaimed) || (ok && run != "run-1") {
				t.Errorf("after the kill: %q, %v, %v", run, ok, err)
			}
			if err := l.Claim(key, headA, "run-1"); err != nil {
				t.Error(err)
			}
		})
	}
}

// ledgerChild claims in the folder that the environment names, for TestLedgerSurvivesAKill, and reports whether it was
// asked to.
func ledgerChild() bool {
	dir := os.Getenv(childEnv)
	if dir == "" {
		return false
	}
	if err := (Ledger{Dir: dir}).Claim(key, headA, "run-1"); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}

const childEnv = "LEDGER_CHILD"
