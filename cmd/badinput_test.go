//go:build unix

package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
	"tendril/lifecycle"
)

// Every command in every situation in which it cannot work: one error that says what, where and what to do, nothing on
// standard output, exit code 1, and nothing changed. What only reads works wherever it can.

// place is a project on its own: plan 1 is a draft, plan 2 is in review with its worktree beside.
type place struct {
	t    *testing.T
	root string
	// repo is the repository, dir where the commands start; another user's commands start there with the program's copy.
	repo, dir string
	env       []string
	program   string
	// prepare changes how a command is started.
	prepare func(*exec.Cmd)
}

// readers and writers are all commands that need a repository. Each of them leaves things as they are, or is called last.
func readers() [][]string {
	return [][]string{{"list"}, {"show", "1"}, {"status"}, {"diff", "2"}, {"check", "2"}, {"logs", "2"}, {"costs"}, {"path", "2"}, {"doctor"}, {"trust", "--show"}}
}

func writers() [][]string {
	return [][]string{
		{"new", "A title"},
		{"edit", "1"},
		{"approve", "1"},
		{"icebox", "1"},
		{"reject", "1"},
		{"draft", "2"},
		{"accept", "2"},
		{"request-changes", "2", "-m", "words"},
		{"run", "--once"},
		{"stop", "--all"},
		{"trust"},
	}
}

// others need a repository too; what they say differs where more is wrong than the place.
func others() [][]string {
	return [][]string{{"init", "--yes"}, {"say", "1", "words"}, {"attach", "2"}, {"shell", "2", "--", "true"}, {"sync"}, {"take", "2"}}
}

// few are enough where what is wrong is found before the command is looked at.
func few() [][]string { return [][]string{{"status"}, {"approve", "1"}, {"run", "--once"}, {"doctor"}} }

func TestBadInput(t *testing.T) {
	t.Parallel()
	base := newPlace(t)
	base.fill()
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := base.copyTo(t)
			s.make(p)
			before := p.everything()
			for _, args := range s.refused {
				p.refuses(s.says, args)
			}
			for _, args := range s.works {
				p.works(args)
			}
			if after := p.everything(); before != after {
				t.Errorf("something changed:\n%s", lineDifference(before, after))
			}
			if s.then != nil {
				s.then(p)
			}
		})
	}
}

// lineDifference are the lines that only one of two texts has.
func lineDifference(before, after string) string {
	var b strings.Builder
	for _, side := range []struct{ sign, text, other string }{{"- ", before, after}, {"+ ", after, before}} {
		for line := range strings.Lines(side.text) {
			if !strings.Contains(side.other, line) {
				b.WriteString(side.sign + line)
			}
		}
	}
	return b.String()
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root := testkit.TempDir(t)
	home := filepath.Join(root, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: root, repo: filepath.Join(root, "repo"), program: "tendril"}
	p.dir, p.env = p.repo, append(testkit.Home(t, home), "GIT_EDITOR=true")
	return p
}

// fill makes the project.
func (p *place) fill() {
	p.t.Helper()
	testkit.Git(p.t, p.root, "init", "--quiet", "--initial-branch="+testkit.DefaultBranch, p.repo)
	testkit.Write(p.t, p.repo, ".tendril/config.yaml", "agent: script\nchecks:\n  - {name: ok, run: 'true'}\n")
	testkit.Commit(p.t, p.repo, "configure")
	for _, args := range [][]string{{"new", "First", "--body", "-"}, {"new", "Second", "--body", "-"}, {"approve", "2"}, {"run", "--once"}} {
		p.works(args)
	}
}

// copyTo copies the place for one test; what names its folders in git's and Tendril's own files names the copy's.
func (p *place) copyTo(t *testing.T) *place {
	t.Helper()
	c := newPlace(t)
	for _, name := range []string{"repo", "repo.worktrees"} {
		if err := os.CopyFS(filepath.Join(c.root, name), os.DirFS(filepath.Join(p.root, name))); err != nil {
			t.Fatal(err)
		}
	}
	c.rename(p.root)
	// Copying takes the modes of folders for nothing.
	if err := os.Chmod(filepath.Join(c.repo, ".git", "tendril"), 0o700); err != nil {
		t.Fatal(err)
	}
	return c
}

// rename has the files that name the folder of another place name this one's.
func (p *place) rename(from string) {
	p.t.Helper()
	p.eachFile(func(path string, info fs.FileInfo) {
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(from)) {
			err = os.WriteFile(path, bytes.ReplaceAll(data, []byte(from), []byte(p.root)), info.Mode().Perm())
		}
		if err != nil {
			p.t.Fatal(err)
		}
	})
}

func (p *place) eachFile(visit func(path string, info fs.FileInfo)) {
	p.t.Helper()
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			visit(path, info)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// everything is each file with its mode and content: git's own ones too, and reflogs. Tendril's caches are left out, and
// objects, which nothing names.
func (p *place) everything() string {
	p.t.Helper()
	var b strings.Builder
	p.eachFile(func(path string, info fs.FileInfo) {
		name, err := filepath.Rel(p.root, path)
		if err != nil {
			p.t.Fatal(err)
		}
		if strings.Contains(name, ".git/tendril/") || strings.Contains(name, ".git/objects/") {
			return
		}
		data, err := os.ReadFile(path)
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s %x\n", name, info.Mode(), sha256.Sum256(data))
	})
	return b.String()
}

// git runs git in the repository.
func (p *place) git(args ...string) {
	p.t.Helper()
	testkit.Git(p.t, p.repo, args...)
}

// commit writes a file of the repository and commits it.
func (p *place) commit(path, content string) {
	p.t.Helper()
	testkit.Write(p.t, p.repo, path, content)
	testkit.Commit(p.t, p.repo, "change "+path)
}

// call runs tendril.
func (p *place) call(args []string) (code int, stdout, stderr string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Args[0] = "tendril"
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env, &out, &errs
	cmd.Stdin = strings.NewReader("```sh run\necho x >> x.txt\n```\n")
	if p.prepare != nil {
		p.prepare(cmd)
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		p.t.Fatalf("start %v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func (p *place) works(args []string) {
	p.t.Helper()
	if code, out, errs := p.call(args); code != ExitOK {
		p.t.Errorf("%v: exit code %d\n%s%s", args, code, out, errs)
	}
}

// stepped is an error that says what to do: one line of what is wrong, and lines below it that are set in.
var stepped = regexp.MustCompile(`^tendril: .+\n(  \S.*\n)+$`)

// refuses calls tendril, which must say what is wrong and nothing else.
func (p *place) refuses(says string, args []string) {
	p.t.Helper()
	code, out, errs := p.call(args)
	if args[0] == "doctor" && out != "" {
		// It finds what the others stumble over: that is its answer, and what it found is bad.
		says, _, _ = strings.Cut(says, "\n")
		if !strings.Contains(out, lifecycle.Bad) || code != ExitFailed || errs != "" || !strings.Contains(out, says) {
			p.t.Errorf("%v: exit code %d, want %q\n%s%s", args, code, says, out, errs)
		}
		return
	}
	if code != ExitFailed || out != "" || !stepped.MatchString(errs) || !strings.Contains(errs, says) {
		p.t.Errorf("%v: exit code %d, want one error with %q and its next step\nstdout %q\nstderr %s", args, code, says, out, errs)
	}
}
