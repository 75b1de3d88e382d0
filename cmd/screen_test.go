//go:build linux

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// awaited is how long a screen may take to show what a test waits for: much longer than it does.
const awaited = 30 * time.Second

// pane is a terminal of tmux in which a shell runs one line, then waits.
type pane struct {
	t      *testing.T
	env    []string
	socket string
}

// openPane starts a tmux server of its own. Afterwards it is ended, and with it what runs in it.
func openPane(t *testing.T, env []string, dir, size, line string) *pane {
	t.Helper()
	testkit.Need(t, "tmux")
	// A socket's path must be short.
	sockets, err := os.MkdirTemp("", "pane")
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{t: t, env: testkit.Setenv(env, "TMUX", ""), socket: filepath.Join(sockets, "s")}
	t.Cleanup(func() {
		_ = p.command("kill-server").Run() // it may have ended by itself
		_ = os.RemoveAll(sockets)
	})
	width, height, _ := strings.Cut(size, "x")
	p.tmux("new-session", "-d", "-x", width, "-y", height, "-c", dir, "sh", "-c", "trap : INT; "+line+"; stty -a; exec sleep 60")
	return p
}

func (p *pane) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), "tmux", append([]string{"-S", p.socket, "-u", "-f", os.DevNull}, args...)...)
	if p.t.Context().Err() != nil {
		cmd = exec.Command(cmd.Path, cmd.Args[1:]...)
	}
	cmd.Env = p.env
	return cmd
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// until waits for a screen that matches each pattern, and returns it. more are further arguments of tmux capture-pane.
func (p *pane) until(patterns []string, more ...string) string {
	p.t.Helper()
	var text string
	end := time.Now().Add(awaited)
	for _, pattern := range patterns {
		re := regexp.MustCompile("(?m)" + pattern)
		for !re.MatchString(text) {
			if time.Now().After(end) {
				p.t.Fatalf("no %q on the screen:\n%s", pattern, text)
			}
			text = p.tmux(append([]string{"capture-pane", "-p"}, more...)...)
		}
	}
	return text
}

// watched is a project with two plans at work, each of which goes on once its file is there.
func watched(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{t: t, dir: filepath.Join(testkit.TempDir(t), "project"), env: testkit.Env(t)}
	m.env = testkit.Setenv(testkit.Setenv(m.env, scriptVariable, fmt.Sprint(os.Getpid())), "TERM", "tmux-256color")
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.GitEnv(t, m.dir, m.env, "init", "--quiet", "--initial-branch=main")
	testkit.Write(t, m.dir, ".tendril/config.yaml", scriptConfig)
	testkit.Commit(t, m.dir, "configure")
	for n, title := range []string{"First of 二つ", "Second of two"} {
		testkit.Write(t, m.dir, ".git/body.md", fmt.Sprintf("```sh run\nprintf 'reading \\033[2J%%s\\n' 'the 仓库'\n"+
			"while ! [ -e %s/go-%d ]; do sleep 0.05; done\necho hello > greeting.txt\n```\n", m.dir, n+1))
		m.must("new", title, "--body", ".git/body.md")
	}
	testkit.Write(t, m.dir, ".git/info/exclude", "/go-*\n")
	m.must("approve", "1", "2")
	return m
}

// A person watches two agents on a terminal that changes its size, and ends all with two Ctrl-C.
func TestScreen(t *testing.T) {
	t.Parallel()
	m := watched(t)
	p := openPane(t, m.env, m.dir, "80x24", "tendril run; echo exit code $?")
	p.until([]string{
		`^── at work 2 ─+$`, `^  0001 First of 二つ +agent +\d+s$`, `^       script · reading \[2Jthe 仓库$`, `^  0002 Second of two +agent`,
		`^Ctrl-C ends the engine, agents go on$`,
	})
	p.tmux("resize-window", "-x", "120", "-y", "40")
	p.until([]string{`^── at work 2 ─{106}$`})
	testkit.Write(t, m.dir, "go-1", "")
	p.until([]string{`^── at work 1 `, `^── waits for you 1 `, `^       tendril diff 0001, then tendril accept 0001$`})
	p.tmux("send-keys", "C-c")
	p.until([]string{`Ctrl-C again within 2s\s+ends them`})
	p.tmux("send-keys", "C-c")
	text := p.until([]string{`^exit code 0$`, ` -?icanon`, `tostop`}, "-S", "-")
	once := []string{
		"0001 round 1 begins", "0001 attempt 1 of 3: script", "0001 is in-review now: tendril diff 0001, then tendril accept 0001",
		"the engine ended; 1 agent goes on", "1 agent ended; their plans stay executing", "── waits for you 1",
	}
	for _, line := range once {
		if n := strings.Count(text, line); n != 1 {
			t.Errorf("%q is %d times in the scrollback", line, n)
		}
	}
	for _, gone := range []string{"── at work", "Ctrl-C ends", "Ctrl-C again", "-echo ", "-icanon"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q stayed", gone)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	if list := m.must("list"); !strings.Contains(list, "0002-second-of-two\texecuting") {
		t.Errorf("the second plan executes no more:\n%s", list)
	}
}

// Without colours, on a larger terminal: one Ctrl-C leaves the agents at work, and a signal from elsewhere means the same.
func TestScreenWithoutColours(t *testing.T) {
	t.Parallel()
	m := watched(t)
	p := openPane(t, testkit.Setenv(m.env, "NO_COLOR", "1"), m.dir, "120x40", "tendril run; echo exit code $?; tendril run")
	// tmux shows styles as sequences where it is asked for them.
	p.until([]string{`^── at work 2 ─{106}$`, `^  0002 Second of two {80,}agent +\d+s$`}, "-e")
	p.tmux("resize-window", "-x", "80", "-y", "24")
	p.until([]string{`^── at work 2 ─{66}$`, `^  0002 Second of two {40,}agent +\d+s$`}, "-e")
	p.tmux("resize-window", "-x", "40", "-y", "12")
	p.until([]string{`^── at work 2 ─{26}$`, `^  0002 Second of two +agent +\d+s$`}, "-e")
	p.tmux("send-keys", "C-c")
	p.until([]string{`Ctrl-C again\s+within\s+2s\s+ends\s+them`}, "-e")
	p.tmux("resize-window", "-x", "120", "-y", "40")
	p.until([]string{`^the engine ended; 2 agents go on, and the next tendril run takes them up$`, `^exit code 0\nworks until .*\n(.*\n)*── at work 2 `}, "-e")
	m.must("stop", "--engine", "--agents")
	p.until([]string{`tostop`}, "-S", "-")
}
