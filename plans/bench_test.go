package plans

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// manyPlans makes a bare repository with n plans of about a kilobyte, through fast-import.
func manyPlans(b *testing.B, n int) *git.Repo {
	b.Helper()
	dir := testkit.TempDir(b)
	testkit.Git(b, dir, "init", "-q", "--bare", ".")
	var in bytes.Buffer
	in.WriteString("commit refs/heads/main\ncommitter P <p@example.com> 1764500000 +0000\ndata 1\nx\n")
	for i := range n {
		text := fmt.Sprintf("---\ntitle: Plan %d\n# states\nstatus: draft\n# more\npriority: %d\ndepends_on: [%d]\nscope: [src/p%d/**]\nagent: claude:opus\n---\n## Problem\n\n%s", i, i%7, i/2, i, strings.Repeat("Some words about what is wrong. ", 25))
		fmt.Fprintf(&in, "M 100644 inline plans/%04d-plan/plan.md\ndata %d\n%s\n", i, len(text), text)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, &in, os.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return open(b, dir)
}

func BenchmarkRead(b *testing.B) {
	repo := manyPlans(b, 10_000)
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			files, err := listTree(b.Context(), repo, "HEAD", "plans")
			if err != nil {
				b.Fatal(err)
			}
			var in bytes.Buffer
			for _, f := range files {
				in.WriteString(f.blob + "\n")
			}
			if _, err := repo.Do(b.Context(), git.Call{Args: []string{"cat-file", "--batch"}, Stdin: in.Bytes()}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewReader(repo).Read(b.Context(), "HEAD", "plans"); err != nil {
				b.Fatal(err)
			}
		}
	})
	warm := NewReader(repo)
	if _, err := warm.Read(b.Context(), "HEAD", "plans"); err != nil {
		b.Fatal(err)
	}
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			if _, err := warm.Read(b.Context(), "HEAD", "plans"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src := []byte("---\ntitle: Plan\n# states\nstatus: draft\n# more\npriority: 3\ndepends_on: [5]\nscope: [src/**]\nagent: claude:opus\n---\n## Problem\n" + strings.Repeat("Some words. ", 80))
	for b.Loop() {
		if _, err := Parse("0001-x", "p", src, "sha1"); err != nil {
			b.Fatal(err)
		}
	}
}
