package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"tendril/internal/config"
	"tendril/internal/detect"
	"tendril/internal/git"
	"tendril/plans"
	"tendril/runners"
)

// Survey is what a repository holds before it is set up.
type Survey struct {
	// Top is the top of the checkout that the person is in; the git directory of a bare repository.
	Top string
	// Base is the default branch, with what tells it.
	Base config.DefaultFound
	// Layout is where plans live already; empty where that is still to be chosen. Branch is the plans branch then.
	Layout, Branch string
	// Config is the configuration that is there; nil without one.
	Config *config.Config
	// Plans is the folder of the plans; PlansTaken names the usual one where it holds something else.
	Plans, PlansTaken string
	// Checks and Setup are the project's own commands, Notes what was left out and why.
	Checks []CheckFound
	Setup  []StepFound
	Notes  []string
	// Copy are files that git ignores and each worktree needs.
	Copy []string
	// Unignored are what the commands make and git does not ignore: it would be committed with the work.
	Unignored []string
	// First is what a person had better do before the first plan.
	First []detect.Advice
	// Agents are those that can be named, in the order in which they are proposed.
	Agents []AgentFound

	repo *git.Repo
	deps Deps
}

// CheckFound is a command that was found, with the programs that it needs and that are not on PATH.
type CheckFound struct {
	detect.Found
	Absent []string
}

// StepFound is a step of the set-up, in the same way.
type StepFound struct {
	detect.Step
	Absent []string
}

// AgentFound is an agent that can be named.
type AgentFound struct {
	Name string
	// Program is its file; empty where it is not on PATH.
	Program string
}

// SurveyRepo looks at a repository that is to be set up. It changes nothing.
func SurveyRepo(ctx context.Context, repo *git.Repo, deps Deps) (*Survey, error) {
	s := &Survey{Top: repo.Dir, repo: repo, deps: deps, Plans: config.Default().Plans}
	var err error
	if s.Base, err = config.FindDefaultBranch(ctx, repo); err != nil {
		return nil, noCommitHint(err)
	}
	if f := examineNames(ctx, repo); f.State == Bad {
		return nil, fmt.Errorf("%s\n  %s", f.Found, f.Mend)
	}
	p, err := Open(ctx, repo, deps)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // what it holds open ends with the process at the latest
	files, err := s.settled(ctx, p)
	if err != nil {
		return nil, err
	}
	if s.Agents, err = agentsHere(files); err != nil {
		return nil, err
	}
	if s.Config != nil {
		return s, nil // nothing is proposed where it is written already
	}
	return s, s.look(ctx, p)
}

// noCommitHint says how a repository without a commit gets one.
func noCommitHint(err error) error {
	if !errors.Is(err, config.ErrNoCommit) {
		return err
	}
	return fmt.Errorf("%w: agents work on branches, and there is nothing yet that one could start from\n"+
		"  git add --all && git commit -m \"First commit\" (or git commit --allow-empty …), then tendril init", config.ErrNoCommit)
}

// settled reads what is decided already.
func (s *Survey) settled(ctx context.Context, p *Project) (*config.Files, error) {
	s.Branch = p.branchName()
	tip := s.tipOf(ctx, s.Branch)
	if tip == "" {
		return &config.Files{}, nil
	}
	cfg, files, err := config.LoadFiles(ctx, s.repo, tip)
	if err != nil {
		return nil, err
	}
	if cfg.Base != "" {
		s.Base = config.DefaultFound{Name: cfg.Base, By: config.File + " names it"}
	}
	set, err := p.reader.Read(ctx, tip, cfg.Plans)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Branch != s.Base.Name:
		s.Layout = LayoutOwn
	case files.Config != nil, len(set.Entries) > 0:
		s.Layout = LayoutDefault
	}
	if files.Config != nil {
		s.Config, s.Plans = cfg, cfg.Plans
		return files, nil
	}
	if s.Layout == "" {
		return files, s.choosePlans(ctx, p, tip)
	}
	return files, nil
}

// tipOf is the commit of a branch, here or on a remote; empty for none.
func (s *Survey) tipOf(ctx context.Context, branch string) string {
	out, err := s.repo.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"+branch, "refs/remotes/*/"+branch)
	if err != nil || out == "" {
		return ""
	}
	id, _, _ := strings.Cut(out, " ") // refs/heads sorts before refs/remotes
	return id
}

// choosePlans takes another folder where the usual one is something else's: the board would be written beside it.
func (s *Survey) choosePlans(ctx context.Context, p *Project, tip string) error {
	list, err := s.repo.Run(ctx, "ls-tree", "--name-only", "--full-tree", tip, "--", s.Plans+"/")
	if err != nil {
		return err
	}
	board, err := p.fileAt(ctx, tip, path.Join(s.Plans, plans.BoardFile))
	if err != nil || list == "" || strings.Contains(string(board), plans.BoardBegin) {
		return err
	}
	s.PlansTaken, s.Plans = s.Plans, "tendril-plans"
	return nil
}

// look finds the project's commands in the tree that worktrees are made from, and what is in the checkout beside it.
func (s *Survey) look(ctx context.Context, p *Project) error {
	commit := s.tipOf(ctx, s.Base.Name)
	if commit == "" {
		return fmt.Errorf("the default branch %s is neither here nor on a remote\n  see tendril doctor", s.Base.Name)
	}
	batch, err := s.repo.Batch(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = batch.Close() }() // a reader
	main, err := p.mainCheckout(ctx)
	if err != nil {
		return err
	}
	b := beside{dir: main, repo: s.repo}
	res, err := detect.Detect(&commitTree{batch: batch, commit: commit, format: s.repo.Format}, b.host(ctx))
	if err != nil {
		return err
	}
	s.Notes = res.Notes
	for _, f := range res.Found {
		s.Checks = append(s.Checks, CheckFound{f, absent(f.Needs)})
	}
	for _, step := range res.Setup {
		s.Setup = append(s.Setup, StepFound{step, absent(step.Needs)})
	}
	if main == "" {
		return nil
	}
	s.Unignored = b.unignored(ctx, res.Makes)
	for _, a := range res.First {
		if a.Unless == "" || len(b.unignored(ctx, []string{a.Unless})) > 0 {
			s.First = append(s.First, a)
		}
	}
	s.Copy, err = b.copies(ctx)
	return err
}

// absent are the programs of a list that are not on PATH.
func absent(programs []string) []string {
	var out []string
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			out = append(out, name)
		}
	}
	return out
}

// preferred is the order in which agents are proposed; others follow by name, script comes last.
func preferred() []string { return []string{"claude", "codex", "gemini", "copilot", "opencode"} }

// scriptAgent runs a plan's own commands; it is always there.
const scriptAgent = "script"

// agentsHere lists the agents that can be named: the built-in ones and the repository's own.
func agentsHere(files *config.Files) ([]AgentFound, error) {
	names := runners.Names()
	for name := range files.Agents {
		names = append(names, name)
	}
	rank := func(name string) int {
		if name == scriptAgent {
			return len(preferred()) + 1
		}
		if i := slices.Index(preferred(), name); i >= 0 {
			return i
		}
		return len(preferred())
	}
	slices.SortStableFunc(sorted(names), func(a, b string) int { return rank(a) - rank(b) })
	var out []AgentFound
	for _, name := range slices.Compact(names) {
		agent, err := loadAgent(files, name)
		if err != nil {
			return nil, err
		}
		found := AgentFound{Name: name}
		if program, err := exec.LookPath(agent.Command[0]); err == nil {
			found.Program = program
		}
		out = append(out, found)
	}
	return out, nil
}

// ProposedAgent is the first that is on PATH; script where there is no other.
func (s *Survey) ProposedAgent() string {
	for _, a := range s.Agents {
		if a.Program != "" {
			return a.Name
		}
	}
	return scriptAgent
}

// KnownAgent refuses an agent that nothing describes; one whose program is missing may be installed later.
func (s *Survey) KnownAgent(agent string) error {
	name, _, _ := strings.Cut(agent, ":")
	var known []string
	for _, a := range s.Agents {
		if a.Name == name {
			return nil
		}
		known = append(known, a.Name)
	}
	return fmt.Errorf("no agent %q here; there are %s\n  write %s/agents/%s.yaml to add it", name, strings.Join(known, ", "), config.Dir, name)
}

// GitActor is the person that git would commit as here.
func (s *Survey) GitActor(ctx context.Context) (Actor, error) {
	return (&Project{Deps: s.deps, Repo: s.repo}).GitActor(ctx)
}
