package config

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode"
)

func (v *validator) checks(checks []Check) {
	first := map[string]int{}
	for i, c := range checks {
		at := fmt.Sprintf("checks[%d]", i)
		switch j, twice := first[c.Name]; {
		case c.Name == "":
			v.say(at, "write it as {name: test, run: go test ./...}", "a check needs a name")
		case !validName(c.Name):
			v.say(at+".name", "use letters, digits, . - and _", "%q cannot be a check's name", c.Name)
		case twice:
			v.say(at+".name", "", "%q is checks[%d]'s name already", c.Name, j)
		}
		first[c.Name] = i
		if _, given := v.at[at+".run"]; !given && c.Run == "" {
			v.say(at, "write it as {name: test, run: go test ./...}", "a check needs a command: run")
		} else {
			v.command(at+".run", c.Run)
		}
		if n, given := v.at[at+".timeout"]; given && n.Tag != "!!null" && c.Timeout <= 0 {
			v.say(at+".timeout", "", "must be longer than nothing")
		}
		v.checkPlace(at, c)
	}
}

// maxFlaky bounds how often a check may be run again: beyond it, nothing is proved by the one time that it passed.
const maxFlaky = 5

// checkPlace is about where and how a check runs.
func (v *validator) checkPlace(at string, c Check) {
	if c.Dir != "" && !insideTree(strings.TrimSuffix(c.Dir, "/")) {
		v.say(at+".dir", "", "%q is not a folder within the repository", c.Dir)
	}
	if c.Report != "" && c.Report != ReportOutput {
		v.pathPattern(at+".report", c.Report)
	}
	for name, value := range c.Env {
		v.variable(at+".env."+name, name)
		if strings.ContainsRune(value, 0) {
			v.say(at+".env."+name, "", "a value cannot hold a NUL byte")
		}
	}
	for i, glob := range c.When {
		v.pathPattern(fmt.Sprintf("%s.when[%d]", at, i), strings.TrimPrefix(strings.TrimPrefix(glob, "!"), "/"))
	}
	for i, glob := range c.Clean {
		v.pathPattern(fmt.Sprintf("%s.clean[%d]", at, i), strings.TrimPrefix(glob, "/"))
	}
	if n, given := v.at[at+".flaky"]; given && n.Tag != "!!null" && (c.Flaky < 1 || c.Flaky > maxFlaky) {
		v.say(at+".flaky", "leave it out for a check that is run once", "must be from 1 to %d, not %d", maxFlaky, c.Flaky)
	}
	switch {
	case c.Fix && c.Flaky > 0:
		v.say(at+".flaky", "", "a check that mends is not run again")
	case c.Fix && c.Parallel:
		v.say(at+".parallel", "", "a check that mends runs alone")
	}
}

// variable is about the name of a variable that the configuration sets.
func (v *validator) variable(at, name string) {
	switch {
	case !validVariable(name):
		v.say(at, "", "not the name of a variable")
	case strings.HasPrefix(name, "TENDRIL_"), strings.HasPrefix(name, "GIT_"):
		v.say(at, "", "variables TENDRIL_… and GIT_… are Tendril's to set")
	}
}

// profiles are the names that every agent gives its models and efforts.
var profiles = [...]string{"deep", "balanced", "quick"}

func (v *validator) agents(c *Config) {
	if c.Agent != "" && !validAgent(c.Agent) {
		v.say("agent", "write it as claude or claude:opus", "%q is not an agent's name", c.Agent)
	}
	if c.PR.DraftWith != "" && !validAgent(c.PR.DraftWith) {
		v.say("pr.draft_with", "write it as claude or claude:opus", "%q is not an agent's name", c.PR.DraftWith)
	}
	for name, s := range c.Agents {
		at := "agents." + name
		if !validName(name) {
			v.say(at, "", "%q is not an agent's name", name)
		}
		if n, given := v.at[at+".parallel"]; s.Parallel < 0 || given && n.Tag != "!!null" && s.Parallel == 0 {
			v.say(at+".parallel", "", "must be 1 or more, not %d", s.Parallel)
		}
		if s.Profile != "" && !slices.Contains(profiles[:], s.Profile) {
			v.say(at+".profile", "write one of: "+strings.Join(profiles[:], ", "), "%q is not a profile", s.Profile)
		}
		for i, arg := range s.Args {
			if strings.ContainsRune(arg, 0) {
				v.say(fmt.Sprintf("%s.args[%d]", at, i), "", "an argument cannot hold a NUL byte")
			}
		}
	}
}

func (v *validator) people(c *Config) {
	for i, who := range c.Approvals.Approvers {
		at := fmt.Sprintf("approvals.approvers[%d]", i)
		switch {
		case !strings.Contains(who, "@") || !oneLine(who):
			v.say(at, "write the address that is in the commits", "%q is not an email address", who)
		case strings.HasSuffix(strings.TrimSuffix(who, ">"), agentDomain):
			v.say(at, "", "an agent cannot approve")
		}
	}
	if c.Identity.Name == "" || !oneLine(c.Identity.Name) || strings.ContainsAny(c.Identity.Name, "<>") {
		v.say("identity.name", "", "%q cannot be a name in a commit", c.Identity.Name)
	}
	switch {
	case c.Identity.Email == "" || !oneLine(c.Identity.Email) || strings.ContainsAny(c.Identity.Email, "<> "):
		v.say("identity.email", "", "%q cannot be an email address in a commit", c.Identity.Email)
	case strings.HasSuffix(c.Identity.Email, agentDomain):
		v.say("identity.email", "", "addresses at %s are the agents'", agentDomain[1:])
	}
	if !oneLine(c.Runner) {
		v.say("runner", "", "%q is not one line of text", c.Runner)
	}
	if n, given := v.at["notify"]; given && n.Tag != "!!null" {
		v.command("notify", c.Notify)
	}
}

// WorktreesFolder fills in the template of the key worktrees; repo is the name of the main worktree's folder. Any
// variable but .Repo is an error, and so is an empty result.
func WorktreesFolder(pattern, repo string) (string, error) {
	t, err := template.New("worktrees").Option("missingkey=error").Parse(pattern)
	if err != nil {
		return "", fmt.Errorf("%q: %w", pattern, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, struct{ Repo string }{repo}); err != nil {
		return "", fmt.Errorf("%q: only {{.Repo}} is known here: %w", pattern, err)
	}
	if strings.TrimSpace(b.String()) == "" || !oneLine(b.String()) {
		return "", fmt.Errorf("%q names no folder", pattern)
	}
	return b.String(), nil
}

// validBranch is git's rule for the name of a branch, and no leading dash.
func validBranch(name string) bool {
	if name == "" || name == "@" || name == "HEAD" || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") ||
		strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for _, r := range name {
		if r < ' ' {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// validAgent reports whether s is "name" or "name:model".
func validAgent(s string) bool {
	name, model, hasModel := strings.Cut(s, ":")
	return validName(name) && (!hasModel || model != "" && oneLine(model) && !strings.HasPrefix(model, "-"))
}

// validName reports whether s may name a check or an agent: letters, digits, and . - _ within.
func validName(s string) bool {
	for i, r := range s {
		inner := r == '.' || r == '-' || r == '_'
		if (inner && i == 0) || (!inner && !unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != "" && len(s) <= 60
}

func validVariable(s string) bool {
	for i, r := range s {
		digit := r >= '0' && r <= '9'
		if !(r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || digit && i > 0) {
			return false
		}
	}
	return s != ""
}

func oneLine(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) }
