//go:build linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tendril/internal/testkit"
)

// person works in the same checkout: they commit, leave things uncommitted, staged, untracked and ignored, and pass gates.
type person struct {
	l      *life
	random *rand.Rand
	n      int
	// commits are theirs, files what they last wrote and did not commit, staged what they added.
	commits []string
	files   map[string]string
	staged  map[string]string
}

func newPerson(l *life) *person {
	p := &person{l: l, random: random(l.random.Uint64()), files: map[string]string{}, staged: map[string]string{}}
	for _, name := range []string{"book.txt", "edited.txt", "staged.txt"} {
		testkit.Write(l.t, l.dir, name, "first\n")
	}
	return p
}

// live does something now and then.
func (p *person) live(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(50+p.random.IntN(400)) * time.Millisecond):
		}
		p.n++
		switch p.random.IntN(6) {
		case 0:
			p.commit()
		case 1:
			p.write("edited.txt")
		case 2:
			p.write("untracked.txt")
		case 3:
			p.write("ignored.txt")
		case 4:
			p.stage()
		default:
			p.gates()
		}
	}
}

// write leaves a change uncommitted.
func (p *person) write(name string) {
	p.files[name] = fmt.Sprintf("change %d\n", p.n)
	testkit.Write(p.l.t, p.l.dir, name, p.files[name])
}

// stage adds a change to the index and leaves it there. A lock that a killed git left is removed first, as git tells to.
func (p *person) stage() {
	text := fmt.Sprintf("staged %d\n", p.n)
	testkit.Write(p.l.t, p.l.dir, "staged.txt", text)
	if p.git("add", "staged.txt") == nil {
		p.staged["staged.txt"] = text
	}
	p.files["staged.txt"] = text
}

// commit commits one file of theirs and nothing else.
func (p *person) commit() {
	testkit.Write(p.l.t, p.l.dir, "book.txt", fmt.Sprintf("page %d\n", p.n))
	if p.git("commit", "--quiet", "-m", fmt.Sprintf("page %d", p.n), "--only", "book.txt") != nil {
		p.files["book.txt"] = fmt.Sprintf("page %d\n", p.n)
		return
	}
	delete(p.files, "book.txt")
	p.commits = append(p.commits, fmt.Sprintf("page %d", p.n))
}

// git calls git as the person does: again where another one holds the lock, and after a while they remove it.
func (p *person) git(args ...string) error {
	var err error
	for try := range 20 {
		if _, err = testkit.TryGit(p.l.t, p.l.dir, p.l.env, args...); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
		if try == 15 && len(p.l.processes("run")) == 0 {
			_ = os.Remove(filepath.Join(p.l.dir, ".git", "index.lock"))
		}
	}
	return err
}

// gates passes the gates that plans wait at: the first only of one plan, so that there is always something at work.
func (p *person) gates() {
	approved := false
	list, err := p.l.tendril("list", "--json")
	if err != nil {
		return
	}
	key := ""
	for line := range strings.Lines(list) {
		name, value, _ := strings.Cut(strings.Trim(strings.TrimSpace(line), ","), ": ")
		value = strings.Trim(value, `"`)
		switch {
		case name == `"key"`:
			key = value
		case name == `"status"` && value == "draft" && !approved:
			approved = true
			_, _ = p.l.tendril("approve", key, "--quiet") // refused while something is in the way; tried again
		case name == `"status"` && value == "in-review":
			_, _ = p.l.tendril("accept", key, "--quiet")
		}
	}
}
