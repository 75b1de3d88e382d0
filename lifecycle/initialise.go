package lifecycle

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"tendril/internal/config"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// The two layouts: where plans live.
const (
	// LayoutDefault: on the default branch, beside the code.
	LayoutDefault = "default-branch"
	// LayoutOwn: on a branch of their own, checked out beside the worktrees.
	LayoutOwn = "own-branch"
)

// InitChoice is what a person decides when a repository is set up.
type InitChoice struct {
	// Layout is LayoutDefault or LayoutOwn.
	Layout string
	// Agent works on plans that name none: "claude", "claude:opus".
	Agent string
	// Autonomy is config.AutonomyEdit or config.AutonomyFull.
	Autonomy string
}

// Initialised is what setting up came to.
type Initialised struct {
	// Branch is the plans branch, Commit the commit that was made there; empty when nothing was missing.
	Branch, Commit string
	// Written are the files of the commit; Left are files that were left as a person has them, each with the reason.
	Written []string
	Left    []record.Left
	// Checkout is the folder in which the plans branch was checked out just now; empty otherwise.
	Checkout string
	// Machine is the machine's configuration file where it was written just now.
	Machine string
	// Trusted is true where the commands may run on this machine.
	Trusted bool
	// Plan is the number that the next plan gets.
	Plan int
}

// Initialise writes what is missing, in one commit on the plans branch in the person's name, wherever they stand; what is
// there stays as it is. The commands that it writes are trusted in this clone.
func (s *Survey) Initialise(ctx context.Context, actor Actor, choice InitChoice) (Initialised, error) {
	if err := s.allows(choice); err != nil {
		return Initialised{}, err
	}
	var out Initialised
	// What is found comes from the repository: whatever it is called there, the file must be one that can be read.
	if _, err := config.Parse(config.File, s.ConfigText(choice)); err != nil && s.Config == nil {
		return out, fmt.Errorf("the configuration that was found cannot be written: %w\n  tendril init --show prints it: write it by hand, less that line", err)
	}
	var err error
	if choice.Layout == LayoutOwn && s.Layout == "" {
		err = s.createOwn(ctx, actor, choice, &out)
	} else {
		err = s.complete(ctx, actor, choice, &out)
	}
	if err != nil {
		return out, signHint(actor, err)
	}
	return out, s.afterwards(ctx, choice, &out)
}

// allows refuses a choice that contradicts what is there: it would be silently left out otherwise.
func (s *Survey) allows(choice InitChoice) error {
	if s.Layout != "" && choice.Layout != s.Layout {
		return fmt.Errorf("the plans are on the branch %s already (%s)\n  init does not move them", s.Branch, s.Layout)
	}
	if s.Config == nil {
		return nil
	}
	for _, key := range [...]struct{ name, is, asked string }{
		{"agent", s.Config.Agent, choice.Agent}, {"autonomy", s.Config.Autonomy, choice.Autonomy},
	} {
		if key.asked != "" && key.asked != key.is {
			return fmt.Errorf("%s is there already, with %s: %s\n  edit and commit it: init changes nothing that is there", config.File, key.name, orNothing(key.is))
		}
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// complete adds what a branch that is there does not have.
func (s *Survey) complete(ctx context.Context, actor Actor, choice InitChoice, out *Initialised) error {
	p, err := Open(ctx, s.repo, s.deps)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }() // what it holds open ends with the process at the latest
	if err := s.localBranch(ctx, p); err != nil {
		return err
	}
	out.Branch = p.branchName()
	trusted, err := p.TrustState(ctx)
	if err != nil {
		return err
	}
	copies, err := p.workingCopies(ctx)
	if err != nil {
		return err
	}
	cfg, history, err := p.atTip(ctx)
	if err != nil {
		return err
	}
	if s.Config == nil {
		cfg.Plans = s.Plans
		history = p.historyOf(cfg)
	}
	build := func(ctx context.Context, tip string) (*record.Draft, error) {
		set, effective, err := p.readAt(ctx, cfg, history, tip)
		if err != nil {
			return nil, err
		}
		board, err := plans.Board(boardRows(set, effective, nil, nil), nil)
		if err != nil {
			return nil, err
		}
		out.Written, out.Left = nil, nil
		var edits []record.Edit
		for _, e := range s.files(choice, board) {
			there, err := p.fileAt(ctx, tip, e.Path)
			if err != nil {
				return nil, err
			}
			if there != nil {
				continue
			}
			if dir := uncommittedIn(copies, e.Path); dir != "" {
				out.Left = append(out.Left, record.Left{Worktree: dir, Path: e.Path, Why: "it lies there and is not committed"})
				continue
			}
			edits, out.Written = append(edits, e), append(out.Written, e.Path)
		}
		if len(edits) == 0 {
			return nil, nil
		}
		who := actor.ident()
		return &record.Draft{Message: initMessage(out.Written), Author: who, Committer: who, Sign: actor.Sign, Edits: edits}, nil
	}
	res, err := p.commitPatiently(ctx, cfg, build)
	if err != nil {
		return err
	}
	out.Commit, out.Left = res.Commit, append(out.Left, res.Left...)
	// What a stranger's files bring is not trusted because of what was added to them.
	if out.Trusted = trusted.Trusted; out.Trusted && out.Commit != "" {
		return p.Trust(ctx)
	}
	return nil
}

// localBranch makes the plans branch of the own layout where it is on the remote only; another's absence is told by what
// reads its tip next.
func (s *Survey) localBranch(ctx context.Context, p *Project) error {
	if s.Layout != LayoutOwn {
		return nil
	}
	if _, err := s.repo.Run(ctx, "show-ref", "--verify", "--quiet", p.Ref); err == nil {
		return nil
	}
	remote, err := p.onRemote(ctx)
	if err != nil || remote == "" {
		return err
	}
	_, err = s.repo.Run(ctx, "branch", "--quiet", "--track", p.branchName(), remote)
	return err
}

// onRemote is the remote-tracking branch of the plans branch, "origin/main"; empty without one.
func (p *Project) onRemote(ctx context.Context) (string, error) {
	return p.Repo.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname:short)", "refs/remotes/*/"+p.branchName())
}

// noTip says why the plans branch has no commit here, and what to do.
func (p *Project) noTip(ctx context.Context) error {
	remote, err := p.onRemote(ctx)
	if err != nil || remote == "" {
		return fmt.Errorf("the plans branch %s has no commit\n  make a first commit there", p.branchName())
	}
	if p.branchName() == config.OwnBranch {
		return fmt.Errorf("the plans branch %s is on the remote only\n  tendril init brings it here", p.branchName())
	}
	return fmt.Errorf("the plans branch %s is on the remote only\n  git branch %s %s", p.branchName(), p.branchName(), remote)
}

// uncommittedIn is the working copy in which a file lies that the branch does not have.
func uncommittedIn(copies []workingCopy, file string) string {
	for _, c := range copies {
		if _, err := os.Lstat(filepath.Join(c.dir, filepath.FromSlash(file))); err == nil {
			return c.dir
		}
	}
	return ""
}

// initMessage is the commit's message.
func initMessage(written []string) string {
	if written[0] == config.File {
		return "Set up Tendril\n\nAgents work on the plans that are approved on this branch; see " + config.File + ".\n"
	}
	return "Complete Tendril's files\n\n" + strings.Join(written, "\n") + "\n"
}

// files are all files that a repository set up has, in the order in which they are told.
func (s *Survey) files(choice InitChoice, board []byte) []record.Edit {
	return []record.Edit{
		{Path: config.File, Data: s.ConfigText(choice)},
		{Path: path.Join(s.Plans, plans.BoardFile), Data: board},
		{Path: path.Join(s.Plans, ".gitattributes"), Data: []byte(attributesText)},
		{Path: path.Join(s.Plans, ".ignore"), Data: []byte(ignoreText)},
	}
}

// afterwards does what is not in the commit: the checkout of an own branch, the machine's file.
func (s *Survey) afterwards(ctx context.Context, choice InitChoice, out *Initialised) error {
	p, err := Open(ctx, s.repo, s.deps)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }() // as above
	if s.Base.Checkout && choice.Layout == LayoutDefault && s.Config == nil {
		if err := s.pinBranch(out); err != nil {
			return err
		}
	}
	if choice.Layout == LayoutOwn {
		if err := s.checkOutOwn(ctx, p, out); err != nil {
			return err
		}
	}
	out.Plan, err = plans.NextNumber(ctx, s.repo, s.Plans)
	return err
}

// pinBranch writes the plans branch into the machine's file: nothing else tells it once another branch is checked out.
func (s *Survey) pinBranch(out *Initialised) error {
	file := config.MachineFile(s.repo)
	if _, err := os.Lstat(file); err == nil {
		out.Left = append(out.Left, record.Left{Worktree: filepath.Dir(file), Path: filepath.Base(file), Why: "it had better hold branch: " + s.Base.Name})
		return nil
	}
	if _, err := config.EnsureRuntime(s.repo); err != nil {
		return err
	}
	text := "# This machine's own settings, over those in " + config.File + ".\n" +
		"# No remote and no usual name tells the default branch here, and it must not change with what is checked out.\n" +
		"branch: " + yamlWord(s.Base.Name) + "\n"
	if err := maybe.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	out.Machine = file
	return nil
}

// Configured reports whether the plans branch holds a configuration.
func (p *Project) Configured(ctx context.Context) (bool, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return false, err
	}
	data, err := p.fileAt(ctx, tip, config.File)
	return data != nil, err
}
