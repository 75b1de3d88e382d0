package config

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

func valueOf(c *Config) reflect.Value { return reflect.ValueOf(c).Elem() }

// agentDomain is the domain of agents' own git identities: never Tendril's, never an approver's.
const agentDomain = "@agent.tendril.localhost"

// AgentAddress reports whether an email address is an agent's own.
func AgentAddress(email string) bool { return strings.HasSuffix(email, agentDomain) }

// validator finds values that can be read but cannot be meant.
type validator struct{ *decoder }

// say reports a value by its name; one that the file does not hold is reported at its start.
func (v *validator) say(name, hint, format string, args ...any) {
	n := v.at[name]
	if n == nil {
		n = &yaml.Node{Line: 1, Column: 1}
	}
	v.fail(n, hint, "%s: %s", name, fmt.Sprintf(format, args...))
}

func (v *validator) config(c *Config) {
	v.places(c)
	v.numbers(c)
	words := choices()
	v.oneOf("autonomy", c.Autonomy, words["autonomy"])
	v.oneOf("deliver", c.Deliver, words["deliver"])
	v.oneOf("merge", c.Merge, words["merge"])
	v.oneOf("take", c.Take, words["take"])
	v.oneOf("sandbox.mode", c.Sandbox.Mode, words["sandbox.mode"])
	v.workspace(c)
	v.checks(c.Checks)
	v.agents(c)
	v.people(c)
}

func (v *validator) places(c *Config) {
	for _, b := range [...]struct{ name, value string }{{"branch", c.Branch}, {"base", c.Base}, {"sync", c.Sync}} {
		if _, given := v.at[b.name]; given && !validBranch(b.value) && b.value != "" {
			v.say(b.name, "", "%q cannot be a name in git", b.value)
		}
	}
	if !insideTree(c.Plans) || strings.HasPrefix(c.Plans+"/", ".git/") || strings.HasPrefix(c.Plans+"/", ".tendril/") || strings.ContainsAny(c.Plans, "*?[{\\") {
		v.say("plans", "write it as plans or docs/plans", "%q is not a folder of the repository", c.Plans)
	}
	if _, err := WorktreesFolder(c.Worktrees, "repo"); err != nil {
		v.say("worktrees", "write it as ../{{.Repo}}.worktrees", "%v", err)
	}
}

func (v *validator) numbers(c *Config) {
	for _, n := range [...]struct {
		name  string
		value int
	}{{"parallel", c.Parallel}, {"review_limit", c.ReviewLimit}, {"max_attempts", c.MaxAttempts}} {
		if n.value < 1 || n.value > 10_000 {
			v.say(n.name, "", "must be 1 or more, not %d", n.value)
		}
	}
	for _, d := range [...]struct {
		name  string
		value Duration
	}{{"time_limit", c.TimeLimit}, {"stall", c.Stall}, {"setup_limit", c.SetupLimit}, {"check_timeout", c.CheckTimeout}} {
		if d.value <= 0 {
			v.say(d.name, "", "must be longer than nothing")
		}
	}
	for _, b := range [...]struct {
		name  string
		value *float64
	}{{"budget", c.Budget}, {"budget_per_day", c.BudgetPerDay}} {
		if b.value != nil && *b.value <= 0 {
			v.say(b.name, "leave it out for no budget", "must be more than 0 USD")
		}
	}
	for model, p := range c.Prices {
		for field, usd := range map[string]*float64{"input": p.Input, "output": p.Output, "cache_read": p.CacheRead, "cache_write": p.CacheWrite} {
			if usd != nil && *usd < 0 {
				v.say("prices."+model+"."+field, "", "must not be negative")
			}
		}
	}
}

func (v *validator) oneOf(name, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		v.say(name, "write one of: "+strings.Join(allowed, ", "), "%q is not possible", value)
	}
}

func (v *validator) workspace(c *Config) {
	for name, value := range c.Env {
		at := "env." + name
		v.variable(at, name)
		if _, err := template.New(at).Funcs(template.FuncMap{"port": func(int) int { return 0 }}).Parse(value); err != nil {
			v.say(at, "a template may hold {{.Slot}} and {{port 1}}", "%v", err)
		}
	}
	for i, pattern := range c.Copy {
		v.pathPattern(fmt.Sprintf("copy[%d]", i), pattern)
	}
	for i, pattern := range c.Share {
		v.pathPattern(fmt.Sprintf("share[%d]", i), pattern)
	}
	for i, command := range c.Setup {
		v.command(fmt.Sprintf("setup[%d]", i), command)
	}
	for i, command := range c.Teardown {
		v.command(fmt.Sprintf("teardown[%d]", i), command)
	}
	for i, folder := range c.Sandbox.Writes {
		if strings.TrimSpace(folder) == "" {
			v.say(fmt.Sprintf("sandbox.writes[%d]", i), "", "names no folder")
		}
	}
	for i, name := range c.PassEnv {
		if !validVariable(strings.ReplaceAll(name, "*", "_")) {
			v.say(fmt.Sprintf("pass_env[%d]", i), "", "%q is not the name of a variable", name)
		}
	}
}

func (v *validator) pathPattern(at, pattern string) {
	switch {
	case !insideTree(strings.TrimSuffix(pattern, "/")):
		v.say(at, "", "%q is not a path within the repository", pattern)
	case !doublestar.ValidatePattern(pattern):
		v.say(at, "", "%q is not a glob: a bracket or brace is not closed", pattern)
	}
}

func (v *validator) command(at, command string) {
	if strings.TrimSpace(command) == "" {
		v.say(at, "", "the command is empty")
	}
	if strings.ContainsRune(command, 0) {
		v.say(at, "", "a command cannot hold a NUL byte")
	}
}

// insideTree reports whether p is a clean, relative, slash-separated path below the top.
func insideTree(p string) bool {
	return p != "" && p != "." && !strings.ContainsAny(p, "\x00\n\\:") && path.Clean(p) == p && !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
}
