//go:build unix

package runners

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/testkit"
)

func TestDeskInARealRun(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	repo := testkit.Repo(t)
	k.tree = repo.Dir
	s := k.script(
		`cat "$TENDRIL_FEEDBACK"`,
		`echo "# Did it" > "$TENDRIL_SUMMARY"`,
		`echo "tests need a database" > "$TENDRIL_MEMORY/tests.md"; echo noise > "$TENDRIL_MEMORY/.hidden.md"; echo noise > "$TENDRIL_MEMORY/x.txt"`,
		`echo "title: dead code" > "$TENDRIL_FINDINGS/dead-code.md"`,
		`echo "src/other.go" > "$TENDRIL_SCOPE_REQUEST"`,
		`echo "$TENDRIL_RUN $TENDRIL_PLAN $TENDRIL_UNIT $TENDRIL_ATTEMPT $TENDRIL_SLOT"`,
		`git commit -q --allow-empty -m hello && git log -1 --format='%an <%ae> %cn <%ce>'`,
		`command -v tendril`,
	)
	s.Feedback, s.Attempt, s.Slot = []byte("test failed: exit 1\n"), 2, 3
	out := k.run(s)
	if out.Result != OK {
		t.Fatalf("%+v, %v\n%s", out, out.Err, k.read(s.Run, stderrFile))
	}
	who := "0007-add-search (script) <0007-add-search@agent.tendril.localhost>"
	want := "test failed: exit 1\n" + s.Run + " 0007-add-search ExecutePlan 2 3\n" + who + " " + who + "\n" +
		filepath.Join(k.runs.Dir, s.Run, "bin", "tendril") + "\n"
	if diff := cmp.Diff(want, k.read(s.Run, stdoutFile)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if out.Summary != "# Did it" || out.ScopeRequest != "src/other.go" {
		t.Errorf("summary %q, request %q", out.Summary, out.ScopeRequest)
	}
	if diff := cmp.Diff([]Note{{Name: "tests.md", Text: "tests need a database"}}, out.Memory); diff != "" {
		t.Errorf("memory (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Note{{Name: "dead-code.md", Text: "title: dead code"}}, out.Findings); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
	// The desk ignores itself: nothing of it can be committed.
	if status := repo.Git("status", "--porcelain", "--untracked-files=all"); status != "" {
		t.Errorf("status %q", status)
	}
	if added := repo.Git("add", "-An"); added != "" {
		t.Errorf("git add would take %q", added)
	}
	next := k.script(`test ! -s "$TENDRIL_FEEDBACK"; ls -A "$TENDRIL_FINDINGS"; cat "$TENDRIL_MEMORY/tests.md"; test ! -e "$TENDRIL_SCOPE_REQUEST"`)
	out = k.run(next)
	if out.Result != OK || k.read(next.Run, stdoutFile) != "tests need a database\n" || len(out.Findings) != 0 || out.Summary != "# Did it" {
		t.Errorf("the next attempt: %+v, %q", out, k.read(next.Run, stdoutFile))
	}
}

// What an agent leaves in place of the desk leads nowhere: not what we write, and not what we read.
func TestDeskLeadsNowhere(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(tree, outside string) error{
		"a link in place of the desk": func(tree, outside string) error { return os.Symlink(outside, filepath.Join(tree, DeskFolder)) },
		"a file in place of the desk": func(tree, _ string) error { return os.WriteFile(filepath.Join(tree, DeskFolder), []byte("x"), 0o600) },
		"a link in place of the feedback": func(tree, outside string) error {
			return os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(tree, DeskFolder, feedbackFile))
		},
		"a link in place of the summary": func(tree, outside string) error {
			return os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(tree, DeskFolder, summaryFile))
		},
		"a link in place of the memory": func(tree, outside string) error {
			return os.Symlink(outside, filepath.Join(tree, DeskFolder, memoryFolder))
		},
		"a link among the notes": func(tree, outside string) error {
			if err := os.Mkdir(filepath.Join(tree, DeskFolder, memoryFolder), 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(tree, DeskFolder, memoryFolder, "note.md"))
		},
		"a pipe in place of the summary": func(tree, _ string) error { return syscall.Mkfifo(filepath.Join(tree, DeskFolder, summaryFile), 0o600) },
		"a folder in place of the summary": func(tree, _ string) error {
			return os.MkdirAll(filepath.Join(tree, DeskFolder, summaryFile, "x"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, outside := t.TempDir(), t.TempDir()
			secret := filepath.Join(outside, "secret.md")
			if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "the desk") {
				if err := os.Mkdir(filepath.Join(tree, DeskFolder), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := lay(tree, outside); err != nil {
				t.Fatal(err)
			}
			look := func() {
				t.Helper()
				d := readDesk(tree)
				if d.summary != "" || d.scopeRequest != "" || len(d.memory) != 0 || len(d.findings) != 0 {
					t.Errorf("read %+v", d)
				}
			}
			look()
			if err := prepareDesk(tree, []byte("feedback")); err != nil {
				t.Fatal(err)
			}
			look()
			entries, err := os.ReadDir(outside)
			content, readErr := os.ReadFile(secret)
			if err != nil || readErr != nil || len(entries) != 1 || string(content) != "the secret" {
				t.Errorf("outside: %v, %q, %v, %v", entries, content, err, readErr)
			}
			if got, err := os.ReadFile(filepath.Join(tree, DeskFolder, feedbackFile)); err != nil || string(got) != "feedback" {
				t.Errorf("feedback %q, %v", got, err)
			}
		})
	}
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	if err := prepareDesk(tree, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxNotes {
		name := filepath.Join(tree, DeskFolder, memoryFolder, "n"+strconv.Itoa(100+i)+".md")
		if err := os.WriteFile(name, []byte(strings.Repeat("ü", maxNote)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(tree, DeskFolder, summaryFile), []byte("ok\xff\xfe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := readDesk(tree)
	if len(d.memory) != maxNotes || len(d.memory[0].Text) > maxNote || !d.memory[0].Cut || d.memory[0].Name != "n100.md" {
		t.Errorf("%d notes, first %q of %d bytes", len(d.memory), d.memory[0].Name, len(d.memory[0].Text))
	}
	if d.summary != "ok\uFFFD" {
		t.Errorf("summary %q", d.summary)
	}
	if d := readDesk(filepath.Join(tree, "gone")); d.summary != "" {
		t.Errorf("%+v", d)
	}
}
