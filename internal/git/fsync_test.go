package git

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"tendril/internal/testkit"
)

// A power cut must not leave a ref that names an object which never came to the disk: both are synced, whatever the user's
// configuration says.
func TestObjectsAndRefsAreSynced(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	testkit.Git(t, dir, "init", "-q")
	testkit.Git(t, dir, "config", "core.fsync", "none")
	testkit.Write(t, dir, "a", "a")
	testkit.Commit(t, dir, "first")
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]Call{
		"object": {Args: []string{"hash-object", "-w", "--stdin"}, Stdin: []byte("new")},
		"ref":    {Args: []string{"update-ref", "refs/heads/other", "HEAD"}},
	} {
		trace := filepath.Join(t.TempDir(), name)
		call.Env = []string{"GIT_TRACE2_EVENT=" + trace}
		if _, err := r.Do(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`"fsync","key":"fsync/(hardware-flush|writeout-only)","value":"[1-9]`).Match(data) {
			t.Errorf("%s: nothing was synced:\n%s", name, data)
		}
	}
}
