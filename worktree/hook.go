package worktree

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"tendril/internal/git"
	"tendril/internal/proc"
)

// hookTail is how much of the end of a hook's output a warning carries, in bytes.
const hookTail = 2 << 10

// postCheckout runs the repository's own post-checkout hook as git does after making a worktree, within the setup limit,
// and returns what went wrong with it, empty for nothing. The worktree is good all the same.
func (m *Manager) postCheckout(ctx context.Context, ws *Workspace, mark string) string {
	// Where the hooks are is asked with the repository's own configuration, from the new worktree: a relative
	// core.hooksPath begins there.
	at := &git.Repo{Dir: ws.Path}
	out, err := at.Do(ctx, git.Call{Args: []string{"rev-parse", "--path-format=absolute", "--git-path", "hooks/post-checkout"}, Hooks: true})
	if err != nil {
		return fmt.Sprintf("post-checkout hook: %v", err)
	}
	hook := strings.TrimSuffix(string(out), "\n")
	info, err := os.Stat(hook)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return "" // none, or switched off: git would not run it either
	}
	head, err := ws.Repo.Run(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return fmt.Sprintf("post-checkout hook: %v", err)
	}
	tail := proc.NewTail(hookTail)
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: hookArgv(hook, ws.Path, strings.Repeat("0", len(head)), head, "1"), Dir: ws.Path, Env: hookEnviron(os.Environ(), ws.Path),
		Stdout: tail, Stderr: tail, Timeout: m.setupLimit(), Mark: mark,
	})
	said := strings.TrimSpace(string(tail.Bytes()))
	if said != "" {
		said = ":\n" + said
	}
	switch {
	case err != nil:
		return fmt.Sprintf("post-checkout hook: %v%s", err, said)
	case res.TimedOut:
		return fmt.Sprintf("post-checkout hook took longer than %s and was ended%s", m.setupLimit(), said)
	case res.ExitCode != 0:
		return fmt.Sprintf("post-checkout hook failed with exit code %d%s", res.ExitCode, said)
	}
	return ""
}

// hookArgv runs the hook's file itself where the system can, since `git hook run` would set GIT_DIR, as git does not for
// this hook. Windows needs git to find the hook's interpreter.
func hookArgv(hook, dir string, args ...string) []string {
	if runtime.GOOS == "windows" {
		return append([]string{"git", "-C", dir, "hook", "run", "--ignore-missing", "post-checkout", "--"}, args...)
	}
	return append([]string{hook}, args...)
}

// hookEnviron is what a hook of the person's would find at their terminal, less what names another repository.
func hookEnviron(environ []string, dir string) []string {
	kept := map[string]bool{"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_EXEC_PATH": true}
	env := make([]string, 0, len(environ)+2)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !kept[name] || strings.HasPrefix(name, "TENDRIL_") || name == "PWD" {
			continue
		}
		env = append(env, kv)
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "PWD="+dir)
}
