package check

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }

// run runs a command in a folder of its own and fails the test when it could not be run.
func run(t *testing.T, s Spec) (Result, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("these checks are written for bash")
	}
	if s.Dir == "" {
		s.Dir = testkit.TempDir(t)
	}
	s.Name, s.Log = "test", filepath.Join(t.TempDir(), "log")
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	res, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	log := testkit.Read(t, filepath.Dir(s.Log), "log")
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(log))); res.SHA256 != want {
		t.Errorf("sha256 %s, the log's is %s", res.SHA256, want)
	}
	if info, err := os.Stat(s.Log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", info.Mode(), err)
	}
	return res, log
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]int{
		"true": 0, "exit 7": 7, "false | tail -1": 1, "false; true": 1, "false\ntrue": 1, "true\nfalse\necho not here": 1,
		"no-such-program-here": 127, "if false; then :; fi": 0, "false || true": 0, "exec >&- 2>&-; exit 3": 3, "exec >&- 2>&-": 0,
		"kill -9 $$": 137, "cat": 0, "read x && exit 5 || exit 6": 6, "test ! -t 0 -a ! -t 1 -a ! -t 2": 0,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			res, log := run(t, Spec{Command: command})
			if res.Exit != want || res.Passed() != (want == 0) || res.TimedOut {
				t.Errorf("exit %d (passed %v, timed out %v), want %d", res.Exit, res.Passed(), res.TimedOut, want)
			}
			if strings.Contains(log, "not here") {
				t.Errorf("went on after a failing line: %s", log)
			}
		})
	}
}

func TestOutputKeepsItsOrderAndItsEnd(t *testing.T) {
	t.Parallel()
	res, log := run(t, Spec{Command: "for i in $(seq 1 200); do echo out $i; echo err $i >&2; done; printf 'no end \\e[31mred\\e[0m'"})
	var want strings.Builder
	for i := 1; i <= 200; i++ {
		fmt.Fprintf(&want, "out %d\nerr %d\n", i, i)
	}
	if log != want.String()+"no end \x1b[31mred\x1b[0m" {
		t.Errorf("log:\n%s", log)
	}
	if string(res.Tail) != want.String()+"no end red" {
		t.Errorf("tail:\n%s", res.Tail)
	}
}

func TestACheckCannotCutItsLogShort(t *testing.T) {
	t.Parallel()
	_, log := run(t, Spec{Command: "echo first; echo second > /dev/stdout; echo third | tee /dev/stderr"})
	if log != "first\nsecond\nthird\nthird\n" {
		t.Errorf("%q", log)
	}
}

func TestEndlessCheckIsEndedWithAllItStarted(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	tick := func(name string) string {
		return fmt.Sprintf("bash -c 'trap \"\" TERM HUP; while :; do date +%%N >%s; sleep 0.05; done'", name)
	}
	start := time.Now()
	res, _ := run(t, Spec{
		Dir: dir, Timeout: time.Second,
		Command: tick("child") + " & setsid " + tick("session") + " & (setsid nohup " + tick("orphan") + " >/dev/null 2>&1 &) ; while :; do sleep 1; done",
	})
	if !res.TimedOut || res.Exit != -1 || res.Passed() {
		t.Errorf("%+v", res)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	names := []string{"child"}
	if runtime.GOOS == "linux" {
		names = append(names, "session", "orphan")
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatalf("%s never ran: %v", name, err)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing writes any more: what is removed stays away for many of its turns.
	end := time.Now().Add(500 * time.Millisecond)
	for time.Now().Before(end) {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Fatalf("%s is still at work", name)
			}
		}
		runtime.Gosched()
	}
}

func TestBackgroundChildrenDoNotHoldItUp(t *testing.T) {
	t.Parallel()
	start := time.Now()
	res, log := run(t, Spec{Command: "sleep 600 & setsid sleep 600 & echo done"})
	if res.Exit != 0 || log != "done\n" {
		t.Errorf("%+v %q", res, log)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

// heap is what Go holds for objects, in bytes.
func heap() uint64 {
	runtime.GC()
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestHugeOutputCostsNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 300 MB")
	}
	before := heap()
	res, err := Run(t.Context(), Spec{
		Name: "huge", Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log"), Timeout: 2 * time.Minute,
		Command: "head -c 300000000 /dev/zero | tr '\\0' 'x'; seq 1 1000000; echo the end",
	})
	if err != nil || res.Exit != 0 {
		t.Fatalf("exit %d, %v", res.Exit, err)
	}
	if after := heap(); after > before+16<<20 {
		t.Errorf("heap grew from %d to %d", before, after)
	}
	if len(res.Tail) > TailLimit || !strings.HasSuffix(string(res.Tail), "\nthe end\n") {
		t.Errorf("tail of %d bytes", len(res.Tail))
	}
}

func TestFloodIsEnded(t *testing.T) {
	t.Parallel()
	res, log := run(t, Spec{Command: "yes", MaxLog: 1 << 20})
	if !res.Flooded || res.Passed() || res.Exit != -1 || len(log) != 1<<20 {
		t.Errorf("flooded %v, exit %d, log of %d", res.Flooded, res.Exit, len(log))
	}
}

func TestOutputOfJustTheLimitIsNoFlood(t *testing.T) {
	t.Parallel()
	res, log := run(t, Spec{Command: "printf 12345678", MaxLog: 8})
	if !res.Passed() || log != "12345678" {
		t.Errorf("%+v %q", res, log)
	}
}

func TestNoTestsIsNoPass(t *testing.T) {
	t.Parallel()
	res, _ := run(t, Spec{Command: "printf '?   \\tx\\t[no test files]\\n'"})
	if res.Exit != 0 || !res.NoTests || res.Passed() {
		t.Errorf("%+v", res)
	}
}

func TestCancelledContextIsAnErrorAndLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, Spec{Name: "x", Command: "touch here; sleep 600", Dir: dir, Log: filepath.Join(dir, "log"), Mark: "X_MARK=" + dir})
		done <- err
	}()
	testkit.Eventually(t, 20*time.Second, func() bool { _, err := os.Stat(filepath.Join(dir, "here")); return err == nil })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNotStartable(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), Spec{Name: "x", Command: "true", Dir: "/no/such/folder", Log: filepath.Join(t.TempDir(), "log")}); err == nil {
		t.Error("no error for a folder that is not there")
	}
	if _, err := Run(t.Context(), Spec{Name: "x", Command: "true", Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "no", "log")}); err == nil {
		t.Error("no error for a log that cannot be written")
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := strings.Join(Environ([]string{
		"PATH=/bin", "HOME=/h", "LANG=C", "TENDRIL_RUN=1", "TENDRIL_PLAN=2", "GIT_DIR=/x", "GIT_INDEX_FILE=/y", "GIT_CONFIG_COUNT=1",
		"GIT_SSH_COMMAND=ssh -v", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CODEX_SANDBOX=1", "OPENAI_API_KEY=k", "MY_TOKEN=t",
		"BASH_ENV=/evil", "DATABASE_URL=u", "PWD=/old", "CI=",
	}, "/work"), "\n") + "\n"
	want := "PATH=/bin\nHOME=/h\nLANG=C\nGIT_SSH_COMMAND=ssh -v\nDATABASE_URL=u\nPWD=/old\nCI=\nCI=1\nTERM=dumb\nPWD=/work\nGIT_TERMINAL_PROMPT=0\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestExplicitVariablesReachTheCheck(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	res, log := run(t, Spec{Dir: dir, Command: `echo "$CI $MY_TOKEN $X"; pwd; echo "$PWD"`, Env: []string{"MY_TOKEN=asked for", `X=a"$(b)`}})
	if want := fmt.Sprintf("1 asked for a\"$(b)\n%s\n%s\n", dir, dir); res.Exit != 0 || log != want {
		t.Errorf("%q, want %q", log, want)
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\r\nb\r\n": "a\nb\n", "10%\r20%\r100%\n": "100%\n", "\x1b]0;title\x07x\x1b[1;31mred\x1b[m\n": "xred\n", "a\x00b\x08": "ab",
		"\xff\xfe": "\uFFFD", "é\tü\n": "é\tü\n", "x\x1b[2K\r": "x", "": "",
	} {
		if got := string(plainText([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
