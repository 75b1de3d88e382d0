package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"tendril/internal/proc"
	"tendril/lifecycle"
)

// page prints a text through the pager that git would use; where standard output is no terminal, or no pager is wanted,
// it only prints. A pager that cannot be started costs nothing but the paging.
func (f *Factory) page(ctx context.Context, p *lifecycle.Project, text string) error {
	pager := f.pager(ctx, p)
	if pager == "" {
		return f.Printf("%s", text)
	}
	env := os.Environ()
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if f.IO.Env(name) == "" {
			env = append(env, name+"="+value)
		}
	}
	// Ctrl-C is the pager's: the context that it ends is not asked.
	run := proc.Interactive{Argv: []string{"sh", "-c", pager}, Env: env, Stdin: strings.NewReader(text), Stdout: f.IO.Out, Stderr: f.IO.Err}
	ended, err := run.Run(context.WithoutCancel(ctx))
	if err != nil || ended.ExitCode == 127 {
		return f.Printf("%s", text)
	}
	if ended.ExitCode > 0 {
		return fmt.Errorf("pager %s: exit code %d\n  name another in GIT_PAGER, core.pager or PAGER; cat is none", strings.Fields(pager)[0], ended.ExitCode)
	}
	return nil
}

// pager is what git would page with: GIT_PAGER, core.pager, PAGER, less. It is a shell's text by git's own rule. Empty and
// cat are none.
func (f *Factory) pager(ctx context.Context, p *lifecycle.Project) string {
	if !f.IO.Term.OutTTY || f.Global.JSON || f.IO.Env("TERM") == "dumb" {
		return ""
	}
	for _, ask := range []func() (string, bool){
		func() (string, bool) { v := f.IO.Env("GIT_PAGER"); return v, v != "" },
		func() (string, bool) { return p.ConfiguredPager(ctx) },
		func() (string, bool) { v := f.IO.Env("PAGER"); return v, v != "" },
	} {
		if pager, set := ask(); set {
			if pager = strings.TrimSpace(pager); pager == "cat" {
				return ""
			}
			return pager
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}
