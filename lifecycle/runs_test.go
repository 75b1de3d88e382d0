package lifecycle

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tendril/internal/proc"
	"tendril/runners"
)

// A run whose supervisor never comes to an end is not waited for without end.
func TestEndingRunsHasALimit(t *testing.T) {
	t.Parallel()
	p := &Project{Runtime: t.TempDir(), Deps: Deps{Now: time.Now}}
	starter, err := proc.Identify(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	id := "0001-a.1-1.x"
	spec, err := json.Marshal(map[string]any{"version": 1, "started": time.Now(), "starter": starter, "mark": "X=" + t.TempDir(), "spec": runners.Spec{Run: id, Key: "0001-a"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.Runtime, "runs", id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "spec.json"), spec, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := p.endRuns(t.Context(), 50*time.Millisecond); n != 1 || !errors.Is(err, errStillEnding) {
		t.Errorf("%d, %v", n, err)
	}
}
