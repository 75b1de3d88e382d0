package lifecycle

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tendril/internal/config"
	"tendril/internal/proc"
	"tendril/runners"
)

// AgentInfo is what can be said of one agent without asking a model.
type AgentInfo struct {
	Name string `json:"name"`
	// File is where it comes from: empty for a built-in one.
	File string `json:"file,omitempty"`
	// Problem is why its file cannot be used.
	Problem string `json:"problem,omitempty"`
	// Program is what it is called as, Path where that is; empty: not installed.
	Program string `json:"program,omitempty"`
	Path    string `json:"path,omitempty"`
	Install string `json:"install,omitempty"`
	// Version is what its program says; nil is unknown. Tested are the versions that its file was seen to work with, and
	// Untested is true for another one.
	Version  *string  `json:"version"`
	Tested   []string `json:"tested,omitempty"`
	Untested bool     `json:"untested,omitempty"`
	// LoggedIn is nil where it cannot be told at no cost.
	LoggedIn *bool  `json:"logged_in"`
	Login    string `json:"login,omitempty"`
	// Profiles are the names of its profiles, Default says that the configuration names it, Autonomy what it may do here.
	Profiles []string `json:"profiles"`
	Default  bool     `json:"default,omitempty"`
	Autonomy string   `json:"autonomy"`
	Resumes  bool     `json:"resumes"`
}

// askLimit ends a program that does not say its version.
const askLimit = 20 * time.Second

// Agents describes every agent that a plan may name, sorted. Programs of built-in agents are asked for their version and
// whether somebody is logged in; those of the repository's own files only where its commands are trusted.
func (p *Project) Agents(ctx context.Context) ([]AgentInfo, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	cfg, files, err := config.LoadFiles(ctx, p.Repo, tip)
	if err != nil {
		return nil, err
	}
	trusted, err := p.trustStore().Trusted(ctx, p.Ref, tip, cfg.Commands(files.Extra()))
	if err != nil {
		return nil, err
	}
	names := runners.Names()
	for name := range files.Agents {
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	infos := make([]AgentInfo, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() { infos[i] = describe(ctx, cfg, files, name, trusted) })
	}
	wait.Wait()
	return infos, ctx.Err()
}

// describe says what can be said of one agent.
func describe(ctx context.Context, cfg *config.Config, files *config.Files, name string, trusted bool) AgentInfo {
	configured, _, _ := strings.Cut(cfg.Agent, ":")
	info := AgentInfo{Name: name, Default: name == configured, Autonomy: cfg.Autonomy, Profiles: []string{}}
	_, own := files.Agents[name]
	if own {
		info.File = path.Join(config.Dir, "agents", name+".yaml")
	}
	agent, err := loadAgent(files, name)
	if err != nil {
		info.Problem = oneLine(err.Error())
		return info
	}
	info.Program, info.Tested, info.Resumes = agent.Command[0], agent.Tested, agent.CanResume()
	info.Install, info.Login = agent.Install, agent.Login
	for profile := range agent.Profiles {
		info.Profiles = append(info.Profiles, profile)
	}
	slices.Sort(info.Profiles)
	if info.Path, err = exec.LookPath(agent.Command[0]); err != nil {
		info.Path = ""
		return info
	}
	if own && !trusted {
		return info
	}
	env := runners.Inherit(os.Environ(), agent.Secrets, cfg.PassEnv)
	for name, value := range agent.Env {
		env = append(env, name+"="+value)
	}
	if out, code, asked := ask(ctx, agent.Version, env); asked && code == 0 {
		if v := versionIn(out); v != "" {
			info.Version, info.Untested = &v, !tested(v, agent.Tested)
		}
	}
	if _, code, asked := ask(ctx, agent.LoggedIn, env); asked {
		yes := code == 0
		info.LoggedIn = &yes
	}
	return info
}

// ask runs a program that answers at once; asked is false where there is none, or it could not.
func ask(ctx context.Context, argv, env []string) (out string, code int, asked bool) {
	if len(argv) == 0 {
		return "", 0, false
	}
	said := proc.NewTail(4 << 10)
	// Not in the repository: what its files tell an agent to do is for runs.
	res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: os.TempDir(), Env: env, Stdout: said, Timeout: askLimit})
	return string(said.Bytes()), res.ExitCode, err == nil && !res.TimedOut
}

// versionPattern finds a version in what a program says of itself.
var versionPattern = regexp.MustCompile(`\d+(\.\d+)+`)

func versionIn(text string) string { return versionPattern.FindString(text) }

// tested says whether a version lies in the range: one version, or the first and the last. Without a range all do.
func tested(version string, within []string) bool {
	if len(within) == 0 {
		return true
	}
	return compareVersions(version, within[0]) >= 0 && compareVersions(version, within[len(within)-1]) <= 0
}

// compareVersions compares numbers between points; a part that is missing is 0.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if c := cmp.Compare(part(as, i), part(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
