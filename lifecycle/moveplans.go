package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// PlansMoved is what moving the plans to the other layout came to.
type PlansMoved struct {
	// Layout is the one that they are in now, From and To are the plans branch before and now.
	Layout, From, To string
	// Commit is the new one on the default branch; where the plans went to a branch of their own, Began is its first one.
	Commit, Began string
	// Plans is how many were moved. Resumed is true where a move that was cut off was finished.
	Plans   int
	Resumed bool
	// Checkout is the folder in which the new plans branch was checked out just now, Machine the machine's configuration file
	// where it was changed; empty otherwise.
	Checkout, Machine string
	// Left is what stays as it is, with the reason and what a person can do.
	Left []string
}

// movedFile is the journal of a move: where there is one, a move was begun.
const movedFile = "move-plans.json"

// planMove is a move whose commits are built. It is done when the default branch holds Code: all else can be done again.
type planMove struct {
	Layout string `json:"layout"`
	// Source and Target are full names of branches, Default that of the default branch, which is one of them.
	Source  string `json:"source"`
	Target  string `json:"target"`
	Default string `json:"default"`
	// Base is where the default branch stood, Code its new commit; Plans is the tip of the own branch that Code contains.
	Base  string `json:"base"`
	Code  string `json:"code"`
	Plans string `json:"plans"`
	// Remote has the truth; empty: this clone.
	Remote  string `json:"remote,omitempty"`
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
	Count   int    `json:"count"`
}

// moveTries is how often the commits are built anew because somebody committed meanwhile.
const moveTries = 5

// MovePlans brings the plans from the default branch to one of their own, or back, with everything of Tendril's: plans,
// records, board, configuration. layout is the one to go to; empty is the other one, or that of a move that was cut off, which
// is finished. Nothing moves while an engine runs or a plan is at work. Whoever does it is the author, and passes no gate by it.
func MovePlans(ctx context.Context, repo *git.Repo, deps Deps, layout string) (PlansMoved, error) {
	clone := &Project{Deps: deps, Repo: repo, Runtime: config.Runtime(repo)}
	lock, err := clone.lockEngine()
	if err != nil {
		return PlansMoved{}, err
	}
	defer lock.release()
	j, err := readMove(clone.Runtime)
	if err != nil {
		return PlansMoved{}, err
	}
	if j != nil {
		done, err := clone.moveIsIn(ctx, *j)
		if err != nil {
			return PlansMoved{}, err
		}
		if done {
			return finishMove(ctx, clone, *j, true)
		}
	}
	actor, err := clone.GitActor(ctx)
	if err != nil {
		return PlansMoved{}, err
	}
	for range moveTries {
		out, err := tryMove(ctx, clone, actor, layout)
		if !errors.Is(err, record.ErrMoved) {
			return out, err
		}
	}
	return PlansMoved{}, errors.New("the default branch moves again and again\n  tendril init --move-plans again")
}

// tryMove builds the move on what is there now, and does it; record.ErrMoved where somebody was quicker.
func tryMove(ctx context.Context, clone *Project, actor Actor, layout string) (PlansMoved, error) {
	p, err := Open(ctx, clone.Repo, clone.Deps)
	if err != nil {
		return PlansMoved{}, err
	}
	defer func() { _ = p.Close() }() // what it holds open ends with the process at the latest
	if err := p.freshen(ctx); err != nil {
		return PlansMoved{}, err
	}
	m, err := p.planMove(ctx, layout)
	if err != nil || m.Target == m.Source {
		return PlansMoved{Layout: m.Layout, From: branchName(m.Source), To: branchName(m.Target)}, err
	}
	if err := p.buildMove(ctx, actor, &m); err != nil {
		return PlansMoved{}, signHint(actor, err)
	}
	if err := writeMove(p.Runtime, m); err != nil {
		return PlansMoved{}, err
	}
	if err := p.doMove(ctx, actor, m); err != nil {
		return PlansMoved{}, p.dropMove(err)
	}
	return finishMove(ctx, clone, m, false)
}

// planMove decides where the plans go, and refuses what must not move. Target is Source where they are there already.
func (p *Project) planMove(ctx context.Context, layout string) (planMove, error) {
	cfg, history, err := p.atTip(ctx)
	if err != nil {
		return planMove{}, err
	}
	t, err := p.truth(ctx)
	if err != nil {
		return planMove{}, err
	}
	m := planMove{Source: p.Ref, Target: "refs/heads/" + config.OwnBranch, Dir: cfg.Plans, Plans: t.tip, Base: t.tip}
	if t.remote != nil {
		m.Remote = t.remote.Name
	}
	base := cfg.Base
	if base == "" {
		if base, err = config.DefaultBranch(ctx, p.Repo); err != nil {
			return m, err
		}
	}
	m.Default = "refs/heads/" + base
	from := LayoutOwn
	m.Layout = LayoutDefault
	if m.Source == m.Default {
		from, m.Layout = LayoutDefault, LayoutOwn
	} else {
		m.Target = m.Default
	}
	if layout == from {
		m.Layout, m.Target = from, m.Source
		return m, nil
	}
	if m.Layout == LayoutDefault {
		if m.Base, err = p.moveBase(ctx, m, base); err != nil {
			return m, err
		}
	}
	trusted, err := p.TrustState(ctx)
	if err != nil {
		return m, err
	}
	m.Trusted = trusted.Trusted
	set, effective, err := p.readAt(ctx, cfg, history, t.tip)
	if err != nil {
		return m, err
	}
	m.Count = len(set.Entries)
	var why []string
	for _, e := range set.Entries {
		why = append(why, p.keepsPlansHere(e.Key, effective[e.Key].Status)...)
	}
	if len(why) > 0 {
		return m, fmt.Errorf("the plans cannot move now: %s\n  let tendril run bring them to a rest first, or tendril stop KEY", strings.Join(why, ", "))
	}
	return m, p.moveFits(ctx, cfg, m)
}

// keepsPlansHere says why a plan keeps all from moving: something is about to be written of it.
func (p *Project) keepsPlansHere(key plans.Key, status plans.Status) []string {
	if by, held := p.heldBy(key); held {
		return []string{fmt.Sprintf("%s is held by %s", key, by)}
	}
	if movable(status) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s", key, status)}
}

// movable tells whether a plan of that status is at rest.
func movable(status plans.Status) bool {
	return status != plans.Executing && status != plans.Verifying && status != plans.Accepted
}

// moveBase is where the default branch stands, which gets the plans: with a remote, there.
func (p *Project) moveBase(ctx context.Context, m planMove, base string) (string, error) {
	ref := m.Default
	if m.Remote != "" {
		ref = record.KnownRef(m.Remote, base)
	}
	out, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", ref)
	if err == nil && out == "" {
		err = fmt.Errorf("the default branch %s is not here\n  git branch %s REMOTE/%s, or tendril sync", base, base, base)
	}
	return out, err
}

// moveFits refuses a target that something else is in, before anything is changed.
func (p *Project) moveFits(ctx context.Context, cfg *config.Config, m planMove) error {
	if m.Layout == LayoutDefault {
		return nil
	}
	out, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(refname:short)", m.Target)
	if err != nil {
		return err
	}
	if out == "" && m.Remote != "" {
		there, err := p.Repo.LsRemote(ctx, m.Remote, m.Target)
		if err != nil {
			return err
		}
		if there[m.Target] != "" {
			return fmt.Errorf("%s has a branch %s, which is not the plans branch\n  rename or remove it there", m.Remote, branchName(m.Target))
		}
	}
	if out != "" {
		return fmt.Errorf("the branch %s is there already, and is not the plans branch\n  rename it: git branch -m %s ANOTHER-NAME", out, out)
	}
	s := &Survey{repo: p.Repo, deps: p.Deps, Config: cfg}
	return s.ownFolderFree(ctx)
}

// moveIsIn tells whether the default branch has the commit of a move: here, or where the truth is.
func (p *Project) moveIsIn(ctx context.Context, m planMove) (bool, error) {
	refs := []string{m.Default}
	if m.Remote != "" {
		// The push may have gone through without anybody here having heard of it.
		u := record.Remote{Repo: p.Repo, Runtime: p.Runtime, Name: m.Remote, Branch: branchName(m.Default), Now: p.Now}
		if _, err := u.Refresh(ctx); err != nil {
			return false, err
		}
		refs = []string{record.KnownRef(m.Remote, branchName(m.Default))}
	}
	for _, ref := range refs {
		_, err := p.Repo.Run(ctx, "merge-base", "--is-ancestor", m.Code, ref)
		if err == nil {
			return true, nil
		}
		if code, exited := git.ExitCode(err); !exited || code != 1 && code != 128 {
			return false, err
		}
	}
	return false, nil
}

// readMove reads the journal; nil without one.
func readMove(runtime string) (*planMove, error) {
	data, err := os.ReadFile(filepath.Join(runtime, movedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var m planMove
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("read what was begun of a move: %w", err)
	}
	return &m, nil
}

// dropMove takes the journal back where an error says that nothing moved; where that is not known it stays.
func (p *Project) dropMove(err error) error {
	inTheWay, busy, refused := (*record.InTheWayError)(nil), (*record.BusyError)(nil), (*record.RefusedError)(nil)
	if !errors.Is(err, record.ErrMoved) && !errors.As(err, &inTheWay) && !errors.As(err, &busy) && !errors.As(err, &refused) {
		return err
	}
	if gone := os.Remove(filepath.Join(p.Runtime, movedFile)); gone != nil {
		return fmt.Errorf("%w (and what was begun of the move stays noted: %v)", err, gone)
	}
	return err
}

// writeMove makes the journal durable.
func writeMove(runtime string, m planMove) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = maybe.WriteFile(filepath.Join(runtime, movedFile), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note the move: %w", err)
	}
	return nil
}
