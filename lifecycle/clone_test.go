package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// However many processes ask at once for the first time, a clone is one; a copy of it is another.
func TestACloneHasOneID(t *testing.T) {
	t.Parallel()
	tk := testkit.Repo(t)
	repo, err := git.Open(t.Context(), tk.Dir)
	if err != nil {
		t.Fatal(err)
	}
	runtime := filepath.Join(t.TempDir(), "tendril")
	var given atomic.Int32
	process := func(runtime, dir string) string {
		r := *repo
		r.CommonDir = dir
		p := &Project{Repo: &r, Runtime: runtime, Deps: Deps{NewID: func() string { return fmt.Sprintf("ID-%d", given.Add(1)) }}}
		id, err := p.cloneID(t.Context())
		if err != nil {
			t.Error(err)
		}
		return id
	}
	ids := make([]string, 16)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = process(runtime, repo.CommonDir) })
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("one clone is %v", ids)
		}
	}
	if err := os.CopyFS(runtime+"-copy", os.DirFS(runtime)); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if id := process(runtime+"-copy", elsewhere); id == ids[0] {
		t.Errorf("a copy is the clone that it was made of: %s", id)
	}
	if id := process(runtime, repo.CommonDir); id != ids[0] {
		t.Errorf("the clone became %s, and was %s", id, ids[0])
	}
	// Moved: where it was is nothing any more.
	if err := os.WriteFile(filepath.Join(runtime, "clone.json"), []byte(`{"id":"moved","dir":"`+filepath.Join(elsewhere, "gone")+`","host":"`+machineName()+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if id := process(runtime, repo.CommonDir); id != "moved" {
		t.Errorf("a clone that was moved is %s", id)
	}
}
