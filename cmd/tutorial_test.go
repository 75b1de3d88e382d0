//go:build unix

package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// standIn plays claude for the tutorial: its first attempt fails the check, the second mends it, and asked for changes it
// makes them. It says what claude says.
const standIn = `#!/usr/bin/env bash
set -eu
[ "${1:-}" != --version ] || { echo 2.1.197; exit; }
grep -q . || { echo "no prompt" >&2; exit 1; }
say() { printf '%s\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","model":"stand-in"}'
write() {
	printf 'package hello\n\n%s\nfunc Greet(language, name string) string {\n\tif language == "fr" {\n\t\treturn "%s, " + name + "!"\n\t}\n\treturn "Hello, " + name + "!"\n}\n' "$1" "$2" >hello.go
}
if [ "$TENDRIL_ROUND" = 2 ]; then
	write '// Greet says hello to somebody: in French (fr), else in English.' Bonjour
elif [ "$TENDRIL_ATTEMPT" = 1 ]; then
	write '// Greet says hello to somebody.' Salut
	printf '\nfunc TestFrench(t *testing.T) {\n\tif got := Greet("fr", "Ada"); got != "Bonjour, Ada!" {\n\t\tt.Error(got)\n\t}\n}\n' >>hello_test.go
else
	grep -q 'Salut, Ada!' "$TENDRIL_FEEDBACK"
	write '// Greet says hello to somebody.' Bonjour
fi
say '{"type":"result","subtype":"success","is_error":false,"result":"Greet knows French.","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5}}'
`

// The commands of the tutorial, one block after the other, are what they say they are.
func TestTutorial(t *testing.T) {
	t.Parallel()
	testkit.Need(t, "bash", "go")
	dir := testkit.TempDir(t)
	bin, home := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	for _, folder := range []string{bin, home} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(standIn), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "set -euo pipefail\n"
	for _, part := range strings.Split(page(t, "docs/tutorial.md"), "```sh\n")[1:] {
		body, _, _ := strings.Cut(part, "\n```")
		script += body + "\n"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.Env = dir, testkit.Setenv(testkit.Home(t, home), "PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, "GOFLAGS=-vet=off")
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"agent: claude", "Waits for your review", "attempt 1 of 3: claude", "attempt 2 of 3: claude, going on in its session",
		"+\t\treturn \"Bonjour, \" + name + \"!\"", "Greet knows French.", "round 2 begins", "in French (fr), else in English", "0001-greet-in-french merged", "ok  \texample.com/hello",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	project := filepath.Join(dir, "hello")
	if left := testkit.Git(t, project, "status", "--porcelain") + testkit.Git(t, project, "branch", "--list", "tendril/*"); left != "" {
		t.Errorf("left behind: %s", left)
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
