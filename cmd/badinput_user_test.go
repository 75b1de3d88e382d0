//go:build unix

package cmd

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"tendril/internal/testkit"
)

// nobody is a user and group without any right.
const nobody = 65534

// otherUsers are folders that must not be written to, and repositories of others. Tests that run as root call tendril as
// nobody, others as themselves on folders whose mode forbids writing.
func otherUsers() []situation {
	somebody := func(make func(*place)) func(*place) {
		return func(p *place) {
			p.asSomebody()
			make(p)
		}
	}
	return []situation{
		{name: "no right to write", refused: writers(), works: readers()[:7], says: "you may not write to ", make: somebody(func(p *place) { p.forbid(p.repo) })},
		{name: "no right to write, first call", refused: few()[1:], works: readers()[:4], says: "you may not write to ", make: somebody(func(p *place) {
			if err := os.RemoveAll(filepath.Join(p.repo, ".git", "tendril")); err != nil {
				p.t.Fatal(err)
			}
			p.forbid(p.repo)
		})},
		{name: "objects that cannot be written", refused: few()[1:], works: readers()[:3], says: ".git/objects", make: somebody(func(p *place) {
			p.own()
			p.forbid(filepath.Join(p.repo, ".git", "objects"))
		})},
		{name: "no right to read", refused: few(), says: "no right to look into that folder\n  give one", make: somebody(func(p *place) {
			p.dir = p.root
			if err := os.Chmod(p.repo, 0); err != nil {
				p.t.Fatal(err)
			}
			p.t.Cleanup(func() { _ = os.Chmod(p.repo, 0o755) })
			p.before("-C", filepath.Join(p.repo, "sub"))
		})},
		{name: "somebody else's repository", refused: few(), says: "dubious ownership)\n  if you trust it: git config --global --add safe.directory ", make: somebody(func(p *place) {
			if os.Geteuid() != 0 {
				p.t.Skip("only root can give a repository to another user")
			}
			p.env = testkit.Setenv(p.env, "GIT_CONFIG_GLOBAL", os.DevNull)
		})},
	}
}

// A folder that was removed under the caller's feet.
func TestBadInputInAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.dir = p.root
	p.program = "sh"
	p.prepare = func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", `mkdir gone && cd gone && rmdir ../gone && exec tendril "$@"`, "sh"}, cmd.Args[1:]...)
	}
	p.refuses("the folder to work in is gone", []string{"list"})
	p.refuses("the folder to work in is gone", []string{"new", "A title"})
}

// asSomebody has tendril called by a user who is not the owner, where this test may do so.
func (p *place) asSomebody() {
	p.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	probe := exec.Command("true")
	asNobody(probe)
	if err := probe.Run(); err != nil {
		p.t.Skipf("root may not become another user here: %v", err)
	}
	// Another user must get there, and have a copy of the program: what tests usually work in is closed to others.
	open, err := os.MkdirTemp("/tmp", "tendril-open-")
	if err == nil {
		open, err = filepath.EvalSymlinks(open)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := os.RemoveAll(open); err != nil {
			p.t.Error(err)
		}
	})
	moved := *p
	moved.root, moved.repo = open, filepath.Join(open, "repo")
	moved.dir = moved.repo
	move := func(from, to string) {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			p.t.Fatal(err)
		}
	}
	move(p.repo, moved.repo)
	move(filepath.Join(p.root, "repo.worktrees"), filepath.Join(open, "repo.worktrees"))
	moved.rename(p.root)
	data, err := os.ReadFile(tendrilHere(p.t))
	if err == nil {
		moved.program = filepath.Join(open, "tendril")
		err = os.WriteFile(moved.program, data, 0o755)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(open, "home"), 0o777)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(open, "tmp"), 0o777); err != nil {
		p.t.Fatal(err)
	}
	moved.env = append(testkit.Home(p.t, filepath.Join(open, "home")), "GIT_EDITOR=true", "TMPDIR="+filepath.Join(open, "tmp"))
	appendTo(p.t, filepath.Join(open, "home", ".gitconfig"), "[safe]\n\tdirectory = *\n")
	moved.readable(open)
	if err := os.Chmod(filepath.Join(open, "tmp"), 0o777); err != nil {
		p.t.Fatal(err)
	}
	moved.prepare = asNobody
	*p = moved
}

// asNobody starts a process as a user without any right.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// readable lets everybody read.
func (p *place) readable(dir string) {
	p.t.Helper()
	p.chmod(dir, func(mode fs.FileMode) fs.FileMode {
		return mode | 0o444 | mode&0o100>>2 | mode&0o100>>1 | mode&0o100>>3 | mode&0o100>>6
	})
}

// forbid takes the right to write from everybody; the test's end gives it back.
func (p *place) forbid(dir string) {
	p.t.Helper()
	p.chmod(dir, func(mode fs.FileMode) fs.FileMode { return mode &^ 0o222 })
	p.t.Cleanup(func() { p.chmod(dir, func(mode fs.FileMode) fs.FileMode { return mode | 0o200 }) })
}

// own gives everything to the user who calls tendril.
func (p *place) own() {
	p.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	err := filepath.WalkDir(p.root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// chmod changes the modes of a folder and what is below it, from the outside in.
func (p *place) chmod(dir string, change func(fs.FileMode) fs.FileMode) {
	p.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, change(info.Mode().Perm()))
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// before puts options before each command.
func (p *place) before(options ...string) {
	prepare := p.prepare
	p.prepare = func(cmd *exec.Cmd) {
		cmd.Args = append(append([]string{cmd.Args[0]}, options...), cmd.Args[1:]...)
		if prepare != nil {
			prepare(cmd)
		}
	}
}
