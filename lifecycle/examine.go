package lifecycle

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/plans"
)

// Finding is one thing that was looked at.
type Finding struct {
	Name string `json:"name"`
	// State is Good, Note or Bad.
	State string `json:"state"`
	// Found says what is there, Mend what to do about it.
	Found string `json:"found"`
	Mend  string `json:"mend,omitempty"`
}

// The states of a finding: Bad keeps Tendril from working, a Note does not.
const (
	Good = "ok"
	Note = "note"
	Bad  = "BAD"
)

// Examine looks for what keeps Tendril from working in a repository. It changes nothing.
func Examine(ctx context.Context, repo *git.Repo, now func() time.Time) []Finding {
	return mended(examineAll(ctx, repo, now))
}

func examineAll(ctx context.Context, repo *git.Repo, now func() time.Time) []Finding {
	out := []Finding{examineGit(ctx), examineShell(), examineShallow(ctx, repo), examineLocks(repo), examineNames(ctx, repo)}
	p, err := Open(ctx, repo, Deps{Now: now, NewID: func() string { return "doctor" }})
	if err != nil {
		return append(out, bad("plans branch", err))
	}
	defer func() { _ = p.Close() }() // the helper process ends with us at the latest
	out = append(out, Finding{Name: "plans branch", State: Good, Found: p.branchName()}, examinePerson(ctx, p), examineRuntime(p),
		Finding{Name: "log", State: Good, Found: p.LogFile()})
	snap, all, err := p.survey(ctx)
	if err != nil {
		return append(out, bad("configuration", err))
	}
	out = append(out, examineConfig(ctx, p, snap)...)
	out = append(out, examineSync(ctx, p, snap)...)
	return append(out, examinePlans(all, snap.set.Strays))
}

// usualMends are what to do about a finding whose error says nothing of it, by the finding's name.
func usualMends() map[string]string {
	return map[string]string{
		"git":            "install git 2.39 or newer, and see that it is the first on PATH",
		"history":        "git fsck says what is damaged; a fresh clone has it whole",
		"plans branch":   "git branch --all shows what there is; the key branch in .tendril/config.yaml names another (tendril help config)",
		"configuration":  "mend it where it says, and commit that on the plans branch (tendril help config)",
		"agent":          "tendril agents lists those there are",
		"worktrees":      "name another folder under worktrees: in .tendril/config.yaml",
		"right to write": "give yourself the right to write there, or work in a clone of your own",
		"sync":           "git fetch says more; what was to be written waits until the remote answers",
	}
}

// mended gives each finding that is not good something to do.
func mended(findings []Finding) []Finding {
	for i, f := range findings {
		if f.State != Good && f.Mend == "" {
			if findings[i].Mend = usualMends()[f.Name]; findings[i].Mend == "" {
				findings[i].Mend = "git status and git fsck say more"
			}
		}
	}
	return findings
}

// bad is a finding from an error; its second line is the mend.
func bad(name string, err error) Finding {
	found, mend, said := strings.Cut(err.Error(), "\n")
	if !said {
		mend = git.Advice(err)
	}
	return Finding{Name: name, State: Bad, Found: found, Mend: strings.TrimSpace(mend)}
}

func examineGit(ctx context.Context) Finding {
	if err := git.CheckVersion(ctx); err != nil {
		return bad("git", err)
	}
	version, err := git.Version(ctx)
	if err != nil {
		return bad("git", err)
	}
	return Finding{Name: "git", State: Good, Found: version}
}

func examineShell() Finding {
	path, err := exec.LookPath("bash")
	if err != nil {
		return Finding{Name: "bash", State: Bad, Found: "not on PATH", Mend: "install bash: checks and the script agent run in it"}
	}
	return Finding{Name: "bash", State: Good, Found: path}
}

func examineShallow(ctx context.Context, repo *git.Repo) Finding {
	out, err := repo.Run(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return bad("history", err)
	}
	if out == "true" {
		return Finding{Name: "history", State: Note, Found: "cut off: gates passed before the cut are refused", Mend: "git fetch --unshallow"}
	}
	return Finding{Name: "history", State: Good, Found: "whole"}
}

// examineNames looks for a branch whose name keeps git from making the plans' branches, tendril/KEY.
func examineNames(ctx context.Context, repo *git.Repo) Finding {
	if _, err := repo.Run(ctx, "show-ref", "--verify", "--quiet", "refs/heads/tendril"); err != nil {
		return Finding{Name: "branch names", State: Good, Found: "tendril/… is free"}
	}
	return Finding{
		Name: "branch names", State: Bad, Found: "a branch named tendril keeps the branches tendril/KEY from being made",
		Mend: "git branch -m tendril ANOTHER-NAME",
	}
}

// examineLocks names git's own lock files: one that stays when no git runs was left by a git that was killed.
func examineLocks(repo *git.Repo) Finding {
	var held []string
	for _, dir := range []string{repo.CommonDir, repo.GitDir} {
		for _, name := range []string{"HEAD.lock", "index.lock", "packed-refs.lock", "config.lock"} {
			file := filepath.Join(dir, name)
			if _, err := os.Stat(file); err == nil && !slices.Contains(held, file) {
				held = append(held, file)
			}
		}
	}
	if len(held) == 0 {
		return Finding{Name: "locks", State: Good, Found: "none"}
	}
	return Finding{
		Name: "locks", State: Note, Found: strings.Join(held, ", "),
		Mend: "a git is at work, or was killed: when no git runs here, remove them",
	}
}

func examinePerson(ctx context.Context, p *Project) Finding {
	actor, err := p.GitActor(ctx)
	if err != nil {
		return bad("you", err)
	}
	return Finding{Name: "you", State: Good, Found: actor.ident().String()}
}

func examineRuntime(p *Project) Finding {
	f := Finding{Name: "runtime folder", State: Good, Found: p.Runtime}
	if err := p.mayWrite(); err != nil {
		return bad("right to write", err)
	}
	info, err := os.Stat(p.Runtime)
	if err != nil {
		// It is made at need.
		return f
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		f.State, f.Found, f.Mend = Bad, fmt.Sprintf("%s can be read by others (%#o)", p.Runtime, perm), "chmod 700 "+p.Runtime
	}
	if _, err := os.Stat(filepath.Join(p.Runtime, "step.json")); err == nil {
		f.State, f.Found, f.Mend = Note, "a commit on the plans branch was cut off", "tendril run finishes it"
	}
	if j, err := readMove(p.Runtime); err != nil || j != nil {
		f.State, f.Found, f.Mend = Note, "a move of the plans to another branch was cut off", "tendril init --move-plans"
	}
	return f
}

func examineConfig(ctx context.Context, p *Project, snap *snapshot) []Finding {
	out := []Finding{}
	switch {
	case snap.files == nil || snap.files.Config == nil:
		out = append(out, examineNoConfig(ctx, p))
	case snap.untrusted != "":
		out = append(out, Finding{Name: "configuration", State: Note, Found: "new plans wait for " + snap.untrusted, Mend: "tendril trust shows the commands, and lets them run here"})
	default:
		out = append(out, Finding{Name: "configuration", State: Good, Found: config.File})
	}
	if len(snap.cfg.Checks) == 0 {
		out = append(out, Finding{Name: "checks", State: Note, Found: "none: every plan will be UNVERIFIED", Mend: "name your test command under checks:"})
	} else {
		out = append(out, Finding{Name: "checks", State: Good, Found: fmt.Sprintf("%d", len(snap.cfg.Checks))})
	}
	out = append(out, examineAgent(snap))
	m, err := p.manager(ctx, snap.cfg)
	if err != nil {
		return append(out, bad("worktrees", err))
	}
	return append(out, Finding{Name: "worktrees", State: Good, Found: m.Root})
}

// examineNoConfig tells a configuration that was forgotten to commit from one that was never written.
func examineNoConfig(ctx context.Context, p *Project) Finding {
	f := Finding{Name: "configuration", State: Note, Found: "no " + config.File + " on " + p.branchName(), Mend: "tendril init writes one"}
	copies, err := p.workingCopies(ctx)
	if err != nil {
		return f
	}
	for _, c := range copies {
		if _, err := os.Stat(filepath.Join(c.dir, filepath.FromSlash(config.File))); err == nil {
			f.Mend = fmt.Sprintf("it lies in %s and is not committed: git add %s && git commit", c.dir, config.Dir)
		}
	}
	return f
}

func examineAgent(snap *snapshot) Finding {
	name, _, _ := strings.Cut(snap.cfg.Agent, ":")
	if name == "" {
		return Finding{Name: "agent", State: Note, Found: "none named: each plan must name its own", Mend: "set agent: in " + config.File}
	}
	agent, err := loadAgent(snap.files, name)
	if err != nil {
		return bad("agent", err)
	}
	path, err := exec.LookPath(agent.Command[0])
	if err != nil {
		return Finding{Name: "agent", State: Bad, Found: fmt.Sprintf("%s: %s is not on PATH", name, agent.Command[0]), Mend: installing(*agent) + ", or put it on PATH"}
	}
	return Finding{Name: "agent", State: Good, Found: name + ": " + path}
}

func examinePlans(all []decided, strays []string) Finding {
	var broken []plans.Key
	for _, one := range all {
		if one.facts.Problem != "" {
			broken = append(broken, one.entry.Key)
		}
	}
	if len(broken) > 0 {
		return Finding{Name: "plans", State: Note, Found: fmt.Sprintf("%d of %d cannot be read: %s", len(broken), len(all), joinKeys(broken, ", ")), Mend: "tendril status names the line"}
	}
	if len(strays) > 0 {
		return Finding{
			Name: "plans", State: Note, Found: fmt.Sprintf("%d; for their names these are none: %s", len(all), strings.Join(strays, ", ")),
			Mend: "name the folder as a key, four digits or more and a slug of a-z, 0-9 and hyphens: 0007-add-search-button",
		}
	}
	return Finding{Name: "plans", State: Good, Found: fmt.Sprintf("%d", len(all))}
}
