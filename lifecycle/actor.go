package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"tendril/internal/git"
)

// Actor is the person in whose name a gate is passed or a plan is written.
type Actor struct {
	// Name and Email are the person's, as their commits carry them.
	Name, Email string
	// Sign is true where the person's git configuration signs commits.
	Sign bool
}

// ident is the actor as author and committer.
func (a Actor) ident() git.Ident { return git.Ident{Name: a.Name, Email: a.Email} }

// GitActor is the person that git would commit as here: configuration and environment decide, as for git commit.
func (p *Project) GitActor(ctx context.Context) (Actor, error) {
	out, err := p.Repo.Do(ctx, git.Call{Args: []string{"var", "GIT_AUTHOR_IDENT"}, Env: identEnviron()})
	if err != nil {
		return Actor{}, errors.New("git does not know who you are\n  git config --global user.name NAME, and user.email ADDRESS")
	}
	name, rest, ok := strings.Cut(strings.TrimSpace(string(out)), " <")
	email, _, closed := strings.Cut(rest, "> ")
	if !ok || !closed || email == "" {
		return Actor{}, fmt.Errorf("git names you %q, which is no name with an address\n  git config --global user.email ADDRESS", strings.TrimSpace(string(out)))
	}
	actor := Actor{Name: name, Email: email}
	if sign, err := p.Repo.Run(ctx, "config", "--type=bool", "commit.gpgsign"); err == nil {
		actor.Sign = sign == "true"
	}
	return actor, nil
}

// identEnviron are the variables by which a person tells git who they are.
func identEnviron() []string {
	var env []string
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
