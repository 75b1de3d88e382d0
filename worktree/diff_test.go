package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"tendril/internal/testkit"
)

func TestDiffDoesNotHearTheUsersSettings(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	base := b.Head()
	b.Git("switch", "-q", "-c", "work")
	b.Write("a.txt", "one\n2\nthree\n")
	b.Git("mv", "dir/b.txt", "dir/c \"q\" ü.txt")
	b.Write("data.bin", "\x00")
	b.Write(".gitattributes", "*.txt diff=evil\n")
	testkit.WriteScript(t, b.Dir, "run", "x\n")
	head := b.Commit("work")
	plain, err := Diff(t.Context(), b.m.Repo, base, head)
	must(t, err)
	for name, value := range map[string]string{
		"diff.noprefix": "true", "diff.external": "touch PWN", "diff.evil.textconv": "touch PWN;cat", "diff.context": "0", "diff.renames": "false",
		"color.ui": "always", "diff.orderFile": "order", "diff.relative": "true", "diff.mnemonicPrefix": "true", "diff.evil.command": "touch PWN",
		"diff.algorithm": "patience", "diff.suppressBlankEmpty": "true", "core.abbrev": "5", "diff.interHunkContext": "9", "core.pager": "touch PWN",
	} {
		b.Git("config", name, value)
	}
	b.Write("order", "run\n")
	got, err := Diff(t.Context(), b.m.Repo, base, head)
	must(t, err)
	if string(got.Patch) != string(plain.Patch) || fmt.Sprint(got.Files) != fmt.Sprint(plain.Files) {
		t.Errorf("%s\n%s", got.Patch, plain.Patch)
	}
	if exists(filepath.Join(b.Dir, "PWN")) {
		t.Error("a program ran")
	}
	files, _, err := gitdiff.Parse(strings.NewReader(string(got.Patch)))
	if err != nil || len(files) != len(got.Files) || len(files) != 5 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if added, deleted := got.Lines(); added != 3 || deleted != 1 {
		t.Errorf("+%d -%d", added, deleted)
	}
}

func TestDiffIsAgainstWhereTheHistoryLeftTheBase(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Git("switch", "-q", "-c", "work")
	b.Write("mine", "x\n")
	head := b.Commit("mine")
	b.Git("switch", "-q", "main")
	b.Write("theirs", "x\n")
	base := b.Commit("theirs")
	d, err := Diff(t.Context(), b.m.Repo, base, head)
	if err != nil || len(d.Files) != 1 || d.Files[0].Path != "mine" {
		t.Errorf("%+v %v", d, err)
	}
	b.Git("switch", "-q", "--orphan", "alone")
	alone := b.Commit("alone")
	if _, err := Diff(t.Context(), b.m.Repo, base, alone); err == nil || !strings.Contains(err.Error(), "no history in common") {
		t.Errorf("%v", err)
	}
	if d, err := Diff(t.Context(), b.m.Repo, base, base); err != nil || len(d.Files) > 0 || len(d.Patch) > 0 {
		t.Errorf("%+v %v", d, err)
	}
}

func TestDiffIsCut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(b *bed)
		parse bool
	}{
		"many files": {func(b *bed) {
			for i := range 3000 {
				b.Write(fmt.Sprintf("many/%04d", i), strings.Repeat("some text\n", 20))
			}
		}, true},
		"one file": {func(b *bed) { b.Write("huge", strings.Repeat("a line of text, é\n", 500_000)) }, false},
		"one line": {func(b *bed) { b.Write("huge", strings.Repeat("é", 1<<20)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			base := b.Head()
			c.write(b)
			head := b.Commit("much")
			d, err := Diff(t.Context(), b.m.Repo, base, head)
			must(t, err)
			lines := strings.Split(strings.TrimSuffix(string(d.Patch), "\n"), "\n")
			last := lines[len(lines)-1]
			if !d.Cut || len(d.Patch) > PatchLimit+300 || len(d.Patch) < PatchLimit/2 || !strings.HasPrefix(last, "# cut at 256 KB (") || !strings.HasSuffix(last, "git diff "+base+"..."+head) {
				t.Errorf("%d bytes, %v: %q", len(d.Patch), d.Cut, last)
			}
			if strings.ToValidUTF8(string(d.Patch), "") != string(d.Patch) {
				t.Error("a character is cut in two")
			}
			if name == "many files" && len(d.Files) != 3000 {
				t.Errorf("%d files", len(d.Files))
			}
			if c.parse {
				body := strings.TrimSuffix(string(d.Patch), last+"\n")
				if files, _, err := gitdiff.Parse(strings.NewReader(body)); err != nil || len(files) < 100 {
					t.Errorf("%d files, %v", len(files), err)
				}
			}
		})
	}
}

func TestNothingOfADiffIsLeftInTheTemporaryFolder(t *testing.T) {
	// The folder for temporary files is this process's: not parallel.
	dir := t.TempDir()
	b := newBed(t)
	base := b.Head()
	b.Write("x", "x")
	head := b.Commit("x")
	t.Setenv("TMPDIR", dir)
	_, err := Diff(t.Context(), b.m.Repo, base, head)
	must(t, err)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}
