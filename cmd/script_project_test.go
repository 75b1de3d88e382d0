package cmd

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptConfig is the configuration of a script's project: no model, and one check that wants a greeting.
const scriptConfig = `agent: script
checks:
  - {name: test, run: 'grep -q hello greeting.txt || { echo no greeting; exit 1; }', timeout: 1m}
`

// scriptProject: project [DIR] makes a repository with that configuration and goes there; the script's own files are one
// folder up.
func scriptProject(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		args = []string{"project"}
	}
	dir := folder(ts, neg, "project [DIR]", args)
	scriptRepo(ts, neg, []string{args[0]})
	ts.Check(os.MkdirAll(filepath.Join(dir, ".tendril"), 0o755))
	ts.Check(os.WriteFile(filepath.Join(dir, ".tendril", "config.yaml"), []byte(scriptConfig), 0o644))
	scriptCommit(ts, neg, []string{"configure", args[0]})
	if args[0] != "project" {
		return
	}
	ts.Check(ts.Chdir(dir))
}

// scriptSetStatus: set-status STATUS KEY… writes the status line of plan files, as a person does in an editor.
func scriptSetStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: set-status STATUS KEY…")
	}
	for _, key := range args[1:] {
		file := ts.MkAbs(filepath.Join("plans", key, "plan.md"))
		data, err := os.ReadFile(file)
		ts.Check(err)
		lines := strings.SplitAfter(string(data), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "status:") {
				lines[i] = "status: " + args[0] + "\n"
				break
			}
		}
		ts.Check(os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644))
	}
}
