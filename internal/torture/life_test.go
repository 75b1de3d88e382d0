//go:build linux

package torture

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// life is one repository under torture.
type life struct {
	t       *testing.T
	program string
	// home holds all of it: the project, its worktrees, what was seen.
	home, dir string
	env       []string
	random    *rand.Rand
	plans     int
	deaths    int
	powerCuts bool
	person    *person
	tally     tally
	said      bytes.Buffer
}

// work is what the agent of a plan does: it says that it begins and ends, complains of another that is at it, and leaves a
// process behind in a session of its own.
const work = "```sh run\n" + `seen=$(git rev-parse --path-format=absolute --git-common-dir)/../../seen
if read -r other < "$seen/$TENDRIL_PLAN.pid" 2>/dev/null && [ "$other" != $$ ] && tr '\0' '\n' < /proc/$other/environ 2>/dev/null | grep -qx "TENDRIL_PLAN=$TENDRIL_PLAN"; then
	echo "$TENDRIL_PLAN: $$ beside $other" >> "$seen/overlap"
fi
echo $$ > "$seen/$TENDRIL_PLAN.pid"
setsid sleep 1000 > /dev/null 2>&1 &
echo half > "$TENDRIL_PLAN.txt"
sleep $((RANDOM % 2)).$((RANDOM % 9))
echo "done $TENDRIL_PLAN" > "$TENDRIL_PLAN.txt"
` + "```\n"

const config = `agent: script
parallel: 3
checks:
  - name: whole
    run: |
      git rev-parse HEAD >> "$(git rev-parse --path-format=absolute --git-common-dir)/../../seen/checked"
      sleep 0.2
      ! grep -q half [0-9]*.txt
`

func newLife(t *testing.T, program string, seed uint64, plans, deaths int) *life {
	t.Helper()
	home := testkit.TempDir(t)
	l := &life{t: t, program: program, home: home, dir: filepath.Join(home, "project"), env: testkit.Env(t), random: random(seed), plans: plans, deaths: deaths}
	l.tally.lives = 1
	for _, dir := range []string{l.dir, filepath.Join(home, "seen")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	testkit.GitEnv(t, l.dir, l.env, "init", "--quiet", "--initial-branch=main")
	testkit.Write(t, l.dir, ".tendril/config.yaml", config)
	testkit.Write(t, l.dir, ".gitignore", "ignored.txt\n")
	testkit.Write(t, l.dir, ".git/body.md", work)
	l.person = newPerson(l)
	testkit.Commit(t, l.dir, "begin")
	for i := range l.plans {
		l.must("new", fmt.Sprintf("Plan %d", i+1), "--body", ".git/body.md", "--quiet")
	}
	return l
}

// live kills until there were enough deaths, then lets the work come to its end, and looks.
func (l *life) live() {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { defer close(stopped); l.person.live(stop) }()
	for n := range l.deaths {
		engine := l.start("run")
		l.sleep(1500 * time.Millisecond)
		l.kill(engine)
		if l.powerCuts && (n == 2 || l.random.IntN(6) == 0) {
			close(stop)
			<-stopped
			l.cutPower()
			stop, stopped = make(chan struct{}), make(chan struct{})
			go func() { defer close(stopped); l.person.live(stop) }()
		}
	}
	close(stop)
	<-stopped
	l.finish()
	l.judge()
	l.tally.commits = len(l.person.commits)
	for _, pid := range l.processes("") {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the test's own, if the oracle found any
	}
}

// start starts Tendril in a session of its own.
func (l *life) start(args ...string) *exec.Cmd {
	cmd := exec.Command(l.program, args...)
	cmd.Dir, cmd.Env = l.dir, l.env
	log, err := os.OpenFile(filepath.Join(l.home, "seen", "engines.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	return cmd
}

// kill kills something, and in the end the engine.
func (l *life) kill(engine *exec.Cmd) {
	switch l.random.IntN(6) {
	case 0:
		l.tally.supervisors += killOne(l.random, l.processes("supervise"))
		l.sleep(300 * time.Millisecond)
	case 1:
		l.tally.agents += killOne(l.random, l.processes("script.sh"))
		l.sleep(300 * time.Millisecond)
	case 2:
		l.killAll()
	}
	l.tally.engines++
	_ = engine.Process.Kill()
	_ = engine.Wait() // killed, as it was to be
}

// killAll kills everything at once, git processes under way too.
func (l *life) killAll() {
	l.tally.all++
	for range 3 {
		for _, pid := range l.processes("") {
			_ = syscall.Kill(pid, syscall.SIGKILL) // one that ended is what was wanted
		}
	}
}

func killOne(r *rand.Rand, pids []int) int {
	if len(pids) == 0 {
		return 0
	}
	_ = syscall.Kill(pids[r.IntN(len(pids))], syscall.SIGKILL) // one that ended meanwhile ended by itself
	return 1
}

// cutPower copies everything as it is at one moment while an engine is at work, lets all processes die, and goes on with the
// copy in the place of what was there.
func (l *life) cutPower() {
	l.tally.cuts++
	engine := l.start("run")
	l.sleep(1200 * time.Millisecond)
	l.freeze()
	to := l.home + ".copy"
	if out, err := exec.Command("cp", "-a", l.home, to).CombinedOutput(); err != nil {
		l.t.Fatalf("copy: %v\n%s", err, out)
	}
	for range 100 {
		for _, pid := range l.processes("") {
			_ = syscall.Kill(pid, syscall.SIGKILL) // one that ended is what was wanted
		}
		if len(l.processes("")) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = engine.Process.Kill() // dead already
	_ = engine.Wait()
	if err := os.RemoveAll(l.home); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Rename(to, l.home); err != nil {
		l.t.Fatal(err)
	}
}

// freeze stops every process of the life, so that nothing is written while it is copied.
func (l *life) freeze() {
	stopped := map[int]bool{}
	for again := true; again; {
		again = false
		for _, pid := range l.processes("") {
			if !stopped[pid] {
				again, stopped[pid] = true, true
				_ = syscall.Kill(pid, syscall.SIGSTOP) // one that ended writes nothing more
			}
		}
	}
}

// finish approves and accepts what is left and runs engines that nobody kills until all is merged.
func (l *life) finish() {
	for range 3 * l.plans {
		l.person.gates()
		out, err := l.tendril("run", "--once")
		fmt.Fprintf(&l.said, "%s%v\n", out, err)
		l.person.gates()
		if l.merged() == l.plans {
			break
		}
	}
	out, err := l.tendril("run", "--once")
	fmt.Fprintf(&l.said, "%s%v\n", out, err)
}

// processes are the living processes of this life whose command line holds a word, engines and what they started.
func (l *life) processes(word string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		l.t.Fatal(err)
	}
	var found []int
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		where, _ := os.Readlink("/proc/" + e.Name() + "/cwd")
		ours := strings.HasPrefix(where, l.home+"/") || where == l.home || bytes.Contains(environ, []byte(l.home+"/")) || bytes.Contains(line, []byte(l.home+"/"))
		if ours && len(line) > 0 && bytes.Contains(line, []byte(word)) && !bytes.Contains(line, []byte("torture.test")) {
			found = append(found, pid)
		}
	}
	return found
}

func (l *life) sleep(most time.Duration) {
	time.Sleep(time.Duration(l.random.Int64N(int64(most))))
}

func (l *life) must(args ...string) string {
	l.t.Helper()
	out, err := l.tendril(args...)
	if err != nil {
		l.t.Fatalf("tendril %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (l *life) tendril(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.program, args...)
	cmd.Dir, cmd.Env = l.dir, l.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// keep puts the life aside for whoever looks for the fault.
func (l *life) keep() string {
	to, err := os.MkdirTemp("", "tendril-tortured-")
	if err == nil {
		err = exec.Command("cp", "-a", l.home, to).Run()
	}
	if err != nil {
		return err.Error()
	}
	return to
}
