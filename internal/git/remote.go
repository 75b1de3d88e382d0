package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

// How long git may take to talk to a remote: to ask which branches there are, to bring objects, and to send them (a
// server's own hooks run meanwhile).
const (
	askLimit   = 45 * time.Second
	fetchLimit = 10 * time.Minute
	pushLimit  = 5 * time.Minute
)

// RemoteError says that a remote did not answer as it should: it cannot be reached, does not know us, or is none.
type RemoteError struct {
	// Op is what was tried: ask, fetch or push. Remote is the remote's name.
	Op, Remote string
	// Words are git's or the server's, in one line.
	Words string
	// Login is true when the remote would not let us in.
	Login bool
}

// Error says it in one line; for a login that is missing, a second one says where it has to come from.
func (e *RemoteError) Error() string {
	how, known := map[string]string{"ask": "does not answer", "fetch": "cannot be fetched from", "push": "cannot be pushed to"}[e.Op]
	if !known {
		how = e.Op
	}
	text := fmt.Sprintf("%s %s: %s", e.Remote, how, e.Words)
	if e.Login {
		text += "\n  git asks nobody here: give it a key in the agent or a credential helper, so that git fetch " + e.Remote + " works without a question"
	}
	return text
}

// LsRemote asks a remote at which commits branches stand, by full names; a name that ends in * asks for all that begin so.
// What is not there is not in the answer. An error is a *RemoteError, or the context's.
func (r *Repo) LsRemote(ctx context.Context, remote string, refs ...string) (map[string]string, error) {
	out, err := r.talk(ctx, "ask", remote, askLimit, append([]string{"ls-remote", "--quiet", "--", remote}, refs...))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && asked(ref, refs) {
			found[ref] = id
		}
	}
	return found, nil
}

// asked reports whether a ref is one of those asked for: git also matches names that only end so.
func asked(ref string, refs []string) bool {
	for _, want := range refs {
		if prefix, all := strings.CutSuffix(want, "*"); ref == want || all && strings.HasPrefix(ref, prefix) {
			return true
		}
	}
	return false
}

// Fetch brings refs of a remote, each "+THERE:HERE", and nothing besides: no tags, no branch of a person's, no remote-
// tracking branch. An error is a *RemoteError, or the context's.
func (r *Repo) Fetch(ctx context.Context, remote string, specs ...string) error {
	args := []string{
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--no-prune",
		"--refmap=", "--", remote,
	}
	_, err := r.talk(ctx, "fetch", remote, fetchLimit, append(args, specs...))
	return err
}

// PushRef is a branch of a remote to be moved to a commit.
type PushRef struct {
	// Ref is its full name there, Commit what it shall stand at; empty deletes it.
	Ref, Commit string
	// Expect, when set, is the one commit at which it may stand now; else it may stand anywhere that Commit descends from,
	// or not be there. Commit must descend from it: nothing is ever forced.
	Expect string
}

// Pushed is what became of one branch.
type Pushed struct {
	Ref string
	// Done is true where the branch stands at the commit now.
	Done bool
	// Moved is true where it stands elsewhere than expected, or was moved by somebody else at the same moment.
	Moved bool
	// Words are why the server or git refused it, in one line.
	Words string
}

// Push moves branches of a remote. Each is done or refused by itself. An error is a *RemoteError: then it is not known
// whether any was moved.
func (r *Repo) Push(ctx context.Context, remote string, refs ...PushRef) ([]Pushed, error) {
	return r.push(ctx, remote, nil, refs)
}

// PushTogether is Push of which all is done, or nothing.
func (r *Repo) PushTogether(ctx context.Context, remote string, refs ...PushRef) ([]Pushed, error) {
	return r.push(ctx, remote, []string{"--atomic"}, refs)
}

func (r *Repo) push(ctx context.Context, remote string, more []string, refs []PushRef) ([]Pushed, error) {
	args := append([]string{
		"-c", "push.gpgSign=false", "push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no",
	}, more...)
	var specs []string
	for _, p := range refs {
		if p.Expect != "" {
			// This is no force: the commit descends from what is expected. It refuses, besides, a branch that was set back.
			args = append(args, "--force-with-lease="+p.Ref+":"+p.Expect)
		}
		specs = append(specs, p.Commit+":"+p.Ref)
	}
	out, err := r.talk(ctx, "push", remote, pushLimit, append(append(args, "--", remote), specs...))
	answers := parsePushed(string(out))
	if len(answers) < len(refs) {
		if err == nil {
			err = &RemoteError{Op: "push", Remote: remote, Words: "git did not say what became of it"}
		}
		return nil, err
	}
	if failed := (*RemoteError)(nil); errors.As(err, &failed) {
		for i := range answers {
			if !answers[i].Done && !answers[i].Moved {
				answers[i].Words = joinWords(answers[i].Words, serverWords(failed.Words))
			}
		}
	}
	return answers, nil
}

// parsePushed reads `git push --porcelain`: a flag, from:to and a summary with the reason in brackets, a line each.
func parsePushed(out string) []Pushed {
	var all []Pushed
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) != 3 || len(fields[0]) != 1 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		p := Pushed{Ref: ref, Done: fields[0] != "!"}
		if !p.Done {
			p.Words = fields[2]
			p.Moved = movedWords(fields[2])
		}
		all = append(all, p)
	}
	return all
}

// movedWords recognises a refusal that only says that somebody else was quicker, at the client or in the server.
func movedWords(words string) bool {
	for _, w := range []string{
		"stale info", "fetch first", "non-fast-forward", "needs force", "failed to update ref", "cannot lock ref", "incorrect old value",
		"failed to lock", "reference already exists", "remote ref updated since checkout",
	} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// serverWords keeps of a message what the server said.
func serverWords(words string) string {
	var said []string
	for part := range strings.SplitSeq(words, "; ") {
		if rest, ok := strings.CutPrefix(part, "remote:"); ok && strings.TrimSpace(rest) != "" {
			said = append(said, strings.TrimSpace(rest))
		}
	}
	return strings.Join(said, "; ")
}

func joinWords(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}

// talk runs a git that talks to a remote: nobody is asked anything, and nothing waits for ever.
func (r *Repo) talk(ctx context.Context, op, remote string, limit time.Duration, args []string) ([]byte, error) {
	env, err := r.silentLogin(ctx)
	if err != nil {
		return nil, err
	}
	out, err := r.Do(ctx, Call{Args: args, Env: env, Timeout: limit})
	var failed *Error
	if !errors.As(err, &failed) {
		return out, err
	}
	words := oneLine(failed.Stderr)
	if words == "" {
		words = fmt.Sprintf("git ended with code %d", failed.ExitCode)
	}
	return out, &RemoteError{Op: op, Remote: remote, Words: words, Login: loginWords(words)}
}

// silentLogin is the environment in which neither ssh nor a credential helper asks a person anything.
func (r *Repo) silentLogin(ctx context.Context) ([]string, error) {
	env := []string{"GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never"}
	command := os.Getenv("GIT_SSH_COMMAND")
	if command == "" {
		if os.Getenv("GIT_SSH") != "" {
			return env, nil // a program that takes no options of ours; it has no terminal either
		}
		set, err := r.Config(ctx, "core.sshcommand", "ssh.variant")
		if err != nil {
			return nil, err
		}
		if v := set["ssh.variant"]; v != "" && v != "auto" && v != "ssh" {
			return env, nil
		}
		if command = set["core.sshcommand"]; command == "" {
			command = "ssh"
		}
	}
	first, _, _ := strings.Cut(command, " ")
	if base := strings.TrimSuffix(path.Base(strings.ReplaceAll(first, `\`, "/")), ".exe"); base != "ssh" {
		return env, nil
	}
	return append(env, "GIT_SSH_COMMAND="+command+" -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=8"), nil
}

// loginWords recognises a remote that would not let us in.
func loginWords(words string) bool {
	for _, w := range []string{
		"terminal prompts disabled", "could not read Username", "could not read Password", "Authentication failed",
		"Permission denied (", "Host key verification failed",
	} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// oneLine joins the lines of a message, hints left out.
func oneLine(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line != "remote:" && !strings.HasPrefix(line, "hint:") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
