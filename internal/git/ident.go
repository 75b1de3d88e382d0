package git

import (
	"fmt"
	"time"
)

// Ident is who a commit is by: a name, an email address, and when. A zero When is "now" by git's own clock.
type Ident struct {
	Name, Email string
	When        time.Time
}

// String is the ident as people write it, without the time.
func (i Ident) String() string { return fmt.Sprintf("%s <%s>", i.Name, i.Email) }

// AuthorEnv is the environment that makes git write i as the author.
func (i Ident) AuthorEnv() []string { return i.environ("AUTHOR") }

// CommitterEnv is the environment that makes git write i as the committer, in commits and in reflogs.
func (i Ident) CommitterEnv() []string { return i.environ("COMMITTER") }

func (i Ident) environ(role string) []string {
	env := []string{"GIT_" + role + "_NAME=" + i.Name, "GIT_" + role + "_EMAIL=" + i.Email}
	if !i.When.IsZero() {
		env = append(env, fmt.Sprintf("GIT_%s_DATE=@%d %s", role, i.When.Unix(), i.When.Format("-0700")))
	}
	return env
}
