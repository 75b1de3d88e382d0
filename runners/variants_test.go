package runners

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// variant is output that no recording has, but that an agent's description says may come.
type variant struct {
	name string
	// stdout, stderr and file (the usage file) are what it wrote; end is how it ended, exit code 0 where it is empty.
	stdout, stderr, file string
	end                  ending
	session              string // Spec.Session
	before               *Usage // Spec.SessionUsage
	want                 read
}

// read is the part of an outcome that is compared.
type read struct {
	Result         Result
	Session, Model string
	Text           string
	Usage          Usage
	Denied         []string
	Kind           ErrorKind
	Reset          int64
}

// lines joins lines of output.
func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

func TestVariants(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][]variant{
		"claude": claudeVariants(), "codex": codexVariants(), "gemini": geminiVariants(), "copilot": copilotVariants(),
		"opencode": opencodeVariants(),
	} {
		for _, c := range rows {
			t.Run(name+"/"+c.name, func(t *testing.T) { t.Parallel(); c.check(t, name) })
		}
	}
}

func (c variant) check(t *testing.T, name string) {
	t.Helper()
	agent, ok := Builtin(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	dir := t.TempDir()
	l := logs{stdout: filepath.Join(dir, "stdout"), stderr: filepath.Join(dir, "stderr"), usage: filepath.Join(dir, "usage")}
	for file, content := range map[string]string{l.stdout: c.stdout, l.stderr: c.stderr, l.usage: c.file} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := l.read(t.Context(), *agent)
	if err != nil {
		t.Fatal(err)
	}
	c.end.seen = true
	out := compose(Spec{Agent: *agent, Session: c.session, SessionUsage: c.before}, c.end, r, onDesk{})
	got := read{Result: out.Result, Session: out.Session, Model: out.Model, Text: out.Text, Usage: out.Usage, Denied: out.Denied}
	if out.Err != nil {
		got.Kind = out.Err.Kind
		if out.Err.Reset != nil {
			got.Reset = out.Err.Reset.Unix()
		}
	}
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
