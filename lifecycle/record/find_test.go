package record

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/proc"
	"tendril/internal/testkit"
)

// testFind lists locks and files of a step's own below a git directory, but for what stays there on purpose.
func testFind(t testing.TB, dir string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		ours := strings.HasPrefix(name, "tendril") && path != filepath.Join(dir, "tendril") || name == journalName
		if strings.HasSuffix(name, ".lock") && name != "record.lock" && name != "sync.lock" || ours && !strings.Contains(path, "/refs/") && !strings.Contains(path, "/logs/") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, "\n")
}

// gitStdin runs git with an input.
func gitStdin(t testing.TB, dir string, in io.Reader, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, testkit.Env(t), in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

// run runs a program.
func (f fixture) run(argv ...string) error {
	cmd := exec.CommandContext(f.t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = f.Dir, testkit.Env(f.t)
	return cmd.Run()
}

// parent is the process that runs the tests' own: it lives, and is another.
func parent(t *testing.T) proc.Identity {
	t.Helper()
	id, err := proc.Identify(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	return id
}
