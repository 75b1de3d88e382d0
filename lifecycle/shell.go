package lifecycle

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"tendril/internal/proc"
	"tendril/plans"
)

// ShellRequest is a person's wish for a shell in a plan's worktree.
type ShellRequest struct {
	// Plan is a key or a number.
	Plan string
	// Argv is the shell, or the command to run instead of one.
	Argv []string
	// NoHold opens it beside whatever works there; Interrupt ends a run or a check that is under way first.
	NoHold, Interrupt bool
}

// Shelled is what came of it.
type Shelled struct {
	Key plans.Key
	// Exit is the exit code, -1 where a signal ended the program.
	Exit int
	// Uncommitted is true when the worktree has changes that no commit has.
	Uncommitted bool
}

// Shell runs a person's shell in a plan's worktree, with their own environment and TENDRIL_PLAN and TENDRIL_SLOT besides. The
// plan is held meanwhile: what a person mends by hand is not committed under their hands. Nothing is committed at the end.
func (p *Project) Shell(ctx context.Context, req ShellRequest, t Terminal, begun func(dir string)) (Shelled, error) {
	s, err := p.seat(ctx, req.Plan)
	if err != nil {
		return Shelled{}, err
	}
	key := s.key()
	if s.ws == nil {
		return Shelled{}, noWorktree(s.one)
	}
	if !req.NoHold {
		if other, is := p.heldBy(key); is {
			return Shelled{}, &HeldError{Key: key, Holder: other}
		}
		if !req.Interrupt && s.alive() != "" {
			return Shelled{}, withChoices(&AtWorkError{Key: key, What: "its agent"}, key, "shell")
		}
		h, err := p.hold(ctx, key, "shell", req.Interrupt)
		if err != nil {
			return Shelled{}, withChoices(err, key, "shell")
		}
		defer h.release()
		if s, err = p.seat(ctx, req.Plan); err != nil {
			return Shelled{}, err
		}
		if err := s.interruptRun(ctx, req.Interrupt); err != nil {
			return Shelled{}, withChoices(err, key, "shell")
		}
		if s.ws == nil {
			return Shelled{}, fmt.Errorf("%s has no worktree here any more\n  tendril show %s says what became of it", key, key)
		}
	}
	begun(s.ws.Path)
	ended, err := proc.Interactive{
		Argv: req.Argv, Dir: s.ws.Path, Env: shellEnvironment(os.Environ(), s), Stdin: t.In, Stdout: t.Out, Stderr: t.Err,
	}.Run(ctx)
	if err != nil {
		return Shelled{}, err
	}
	return Shelled{Key: key, Exit: ended.ExitCode, Uncommitted: s.uncommitted(context.WithoutCancel(ctx))}, nil
}

// shellEnvironment is the person's environment in a plan's worktree. There is no TENDRIL_RUN in it: a person in a shell is a
// person, and may pass gates.
func shellEnvironment(environ []string, s *seat) []string {
	env := append([]string{}, environ...)
	return append(env, "PWD="+s.ws.Path, "TENDRIL_PLAN="+string(s.key()), "TENDRIL_SLOT="+strconv.Itoa(s.ws.Slot))
}

// uncommitted says whether something there is in no commit; what cannot be told is nothing.
func (s *seat) uncommitted(ctx context.Context) bool {
	paths, err := s.ws.Dirty(ctx)
	return err == nil && len(paths) > 0
}
