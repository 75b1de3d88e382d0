package runners

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// followed is a run's folder that a test writes into, and a follower of it.
type followed struct {
	t   *testing.T
	dir string
	*Follower
}

func follow(t *testing.T, agent Agent) *followed {
	t.Helper()
	f := &followed{t: t, dir: testkit.TempDir(t)}
	var err error
	if f.Follower, err = newFollower(Spec{Agent: agent}, f.dir); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *followed) write(name, text string) {
	f.t.Helper()
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteString(text); err != nil {
		f.t.Fatal(err)
	}
}

// says reads and compares what the agent said last.
func (f *followed) says(news bool, want string) {
	f.t.Helper()
	got, err := f.Read(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	words := ""
	if l := f.Last(); l != nil {
		words = strings.TrimSpace(l.Text + l.Name + " " + l.Target)
	}
	if got != news || words != want {
		f.t.Errorf("read: %t, %q; want %t, %q", got, words, news, want)
	}
}

func events(mode string) Agent {
	return Agent{Name: "plain", Output: OutputJSONL, Usage: mode, Events: "select(.type)"}
}

func TestFollowReadsWholeLinesOnce(t *testing.T) {
	t.Parallel()
	f := follow(t, events(UsagePerMessage))
	f.says(false, "")
	f.write(stdoutFile, `{"type":"text","text":"first"}`+"\n"+`{"type":"usage","id":"a","input":3,"output":4}`+"\n"+`{"type":"to`)
	f.says(true, "first")
	f.says(false, "first")
	f.write(stdoutFile, `ol","name":"Edit","target":"a.go"}`+"\nno json\n")
	f.says(true, "Edit a.go")
	// The same message again counts once.
	f.write(stdoutFile, `{"type":"usage","id":"a","input":3,"output":4}`+"\n")
	f.says(true, "Edit a.go")
	if u := f.Usage(); u.Input == nil || *u.Input != 3 || *u.Output != 4 || u.CacheRead != nil || u.USD != nil {
		t.Errorf("usage: %+v", u)
	}
}

func TestFollowKnowsNothingBeforeItIsTold(t *testing.T) {
	t.Parallel()
	f := follow(t, events(UsageTotal))
	f.write(stdoutFile, `{"type":"text","text":"hello"}`+"\n")
	f.says(true, "hello")
	if u := f.Usage(); u != (Usage{}) {
		t.Errorf("usage: %+v", u)
	}
}

func TestFollowLeavesOutALineThatIsTooLong(t *testing.T) {
	t.Parallel()
	f := follow(t, events(UsageTotal))
	f.write(stdoutFile, `{"type":"text","text":"`+strings.Repeat("x", 2*followStep))
	f.says(false, "")
	f.says(false, "")
	f.says(false, "")
	f.write(stdoutFile, "\"}\n"+`{"type":"text","text":"after"}`+"\n")
	f.says(true, "after")
	if f.skipping {
		t.Error("still inside the long line")
	}
}

func TestFollowTextShowsTheLastLine(t *testing.T) {
	t.Parallel()
	f := follow(t, Agent{Name: "script", Output: OutputText, Usage: UsageNone})
	f.says(false, "")
	f.write(stdoutFile, "one\ntwo")
	f.says(true, "two")
	f.says(false, "two")
	f.write(stdoutFile, " of two\r 50 %\r 60 %\n\n")
	f.says(true, "60 %")
	f.write(stderrFile, "warning: x\n")
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(f.dir, stderrFile), later, later); err != nil {
		t.Fatal(err)
	}
	f.says(true, "warning: x")
	if u := f.Usage(); u.USD == nil || *u.USD != 0 || u.Source != CostNone {
		t.Errorf("usage: %+v", u)
	}
}
