package runners

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"tendril/internal/crash"
	"tendril/internal/redact"
)

// The two variables that every process of a run carries, and its supervisor does not: the run's id, and the run's folder.
const (
	runVariable    = "TENDRIL_RUN"
	folderVariable = "TENDRIL_RUN_FOLDER"
)

// markOf is what finds a run's processes. It is the folder and not the id, since ids of two clones may be the same, and the
// processes of the other one are none of ours.
func markOf(folder string) string { return folderVariable + "=" + folder }

// ownPrefix is the prefix of our own variables: those of an enclosing run are not this run's.
const ownPrefix = "TENDRIL_"

// Inherit returns what of base ("NAME=value") may reach an agent or a command of its: no GIT_* and no TENDRIL_* variables,
// nothing that asks a person, no marks of an enclosing agent session, and no secret but those that match secrets (the
// agent's own). pass are globs over names that are let through all the same, GIT_* and TENDRIL_* aside.
func Inherit(base, secrets, pass []string) []string {
	var kept []string
	for _, kv := range base {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || name == "OLDPWD" {
			continue
		}
		switch {
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, ownPrefix):
			continue
		case matchAny(pass, name):
		case slices.Contains(promptVariables, name), isMarker(name):
			continue
		case redact.SecretName(name) && !matchAny(secrets, name):
			continue
		}
		kept = append(kept, kv)
	}
	return kept
}

// Environment returns the whole environment of a run's agent: what it may inherit of r.Environ, the agent's own variables,
// the worktree's (Spec.Env), and over all of them Tendril's: TENDRIL_*, the run's git identity, nothing that waits for a
// person. It writes nothing.
func (r Runs) Environment(s Spec) []string {
	base := r.Environ
	if base == nil {
		base = os.Environ()
	}
	env := newVariables(Inherit(base, s.Agent.Secrets, r.PassEnv))
	told := s.Agent.Autonomy.EditEnv
	if s.Autonomy == AutonomyFull {
		told = s.Agent.Autonomy.FullEnv
	}
	for _, own := range []map[string]string{s.Agent.Env, told} {
		for name, value := range own {
			env.set(name, value)
		}
	}
	env.addAll(s.Env)
	env.set("PWD", s.Dir)
	env.set("TERM", "dumb")
	env.set("NO_COLOR", "1")
	path := append(slices.Clone(s.Path), filepath.Join(r.folder(s.Run), binFolder))
	path = append(path, filepath.SplitList(env.get("PATH"))...)
	env.set("PATH", strings.Join(path, string(os.PathListSeparator)))
	for name, value := range own(s) {
		env.set(name, value)
	}
	env.set(folderVariable, r.folder(s.Run))
	gitSettings(env, s)
	return env.list()
}

// own are the variables by which an agent knows its run (design, section 7).
func own(s Spec) map[string]string {
	desk := filepath.Join(s.Dir, DeskFolder)
	vars := map[string]string{
		runVariable:             s.Run,
		"TENDRIL_PLAN":          s.Key,
		"TENDRIL_UNIT":          s.Unit,
		"TENDRIL_ROUND":         strconv.Itoa(s.Round),
		"TENDRIL_ATTEMPT":       strconv.Itoa(s.Attempt),
		"TENDRIL_FEEDBACK":      filepath.Join(desk, feedbackFile),
		"TENDRIL_MEMORY":        filepath.Join(desk, memoryFolder),
		"TENDRIL_SUMMARY":       filepath.Join(desk, summaryFile),
		"TENDRIL_FINDINGS":      filepath.Join(desk, findingsFolder),
		"TENDRIL_SCOPE_REQUEST": filepath.Join(desk, scopeRequestFile),
		"TENDRIL_SLOT":          strconv.Itoa(s.Slot),
	}
	if s.Candidate != "" {
		vars["TENDRIL_CANDIDATE"] = s.Candidate
	}
	return vars
}

// Identity returns the git identity of an agent at work on a plan.
func Identity(key, agent string) (name, email string) {
	return key + " (" + agent + ")", key + "@agent.tendril.localhost"
}

// gitSettings gives git the agent's identity and nothing to ask anybody: no terminal, no editor, no pager, no password
// window; and no signature, which would be the person's.
func gitSettings(env *variables, s Spec) {
	name, email := Identity(s.Key, s.Agent.Name)
	for _, v := range [][2]string{
		{"GIT_AUTHOR_NAME", name},
		{"GIT_AUTHOR_EMAIL", email},
		{"GIT_COMMITTER_NAME", name},
		{"GIT_COMMITTER_EMAIL", email},
		{"GIT_TERMINAL_PROMPT", "0"},
		{"GIT_ASKPASS", ""},
		{"SSH_ASKPASS_REQUIRE", "never"},
		{"GIT_EDITOR", ":"},
		{"GIT_SEQUENCE_EDITOR", ":"},
		{"EDITOR", ":"},
		{"VISUAL", ":"},
		{"GIT_PAGER", "cat"},
		{"PAGER", "cat"},
	} {
		env.set(v[0], v[1])
	}
	settings := append([]GitSetting{{"commit.gpgSign", "false"}, {"tag.gpgSign", "false"}}, s.GitConfig...)
	env.set("GIT_CONFIG_COUNT", strconv.Itoa(len(settings)))
	for i, g := range settings {
		env.set("GIT_CONFIG_KEY_"+strconv.Itoa(i), g.Key)
		env.set("GIT_CONFIG_VALUE_"+strconv.Itoa(i), g.Value)
	}
}

// forSupervisor is the agent's environment as its supervisor gets it: without the marks, by which the supervisor would be
// hunted with the rest, and with the crash point that a test asked for.
func forSupervisor(env []string) []string {
	env = without(env, runVariable, folderVariable)
	if at := os.Getenv(crash.Env); at != "" {
		env = append(env, crash.Env+"="+at, crash.MarkEnv+"="+os.Getenv(crash.MarkEnv))
	}
	return env
}

// forAgent is the other way round: the agent's environment from its supervisor's.
func forAgent(env []string, run, mark string) []string {
	return append(without(env, crash.Env, crash.MarkEnv), runVariable+"="+run, mark)
}

func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
}

// variables is an environment in which a later value takes the place of an earlier one.
type variables struct{ byName map[string]string }

func newVariables(env []string) *variables {
	v := &variables{byName: map[string]string{}}
	v.addAll(env)
	return v
}

func (v *variables) addAll(env []string) {
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			v.set(name, value)
		}
	}
}

func (v *variables) set(name, value string) { v.byName[variableName(name)] = value }

func (v *variables) get(name string) string { return v.byName[variableName(name)] }

// variableName is the name under which the system keeps a variable.
func variableName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// list returns the variables by name, in order: the same Spec gives the same environment.
func (v *variables) list() []string {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(v.byName)) {
		env = append(env, name+"="+v.byName[name])
	}
	return env
}
