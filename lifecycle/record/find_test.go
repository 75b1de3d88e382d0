package record

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
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
		if strings.HasSuffix(name, ".lock") && name != "record.lock" || ours && !strings.Contains(path, "/refs/") && !strings.Contains(path, "/logs/") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, "\n")
}
