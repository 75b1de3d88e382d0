package lifecycle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tendril/lifecycle/record"
	"tendril/plans"
)

// Editing is a plan opened for a person to edit.
type Editing struct {
	Key plans.Key
	// Status is what the plan has on the branch.
	Status plans.Status
	// File is what to open: the working copy where the plans branch is checked out, else a temporary file.
	File string
	// Temporary is true for a file that is to be removed afterwards.
	Temporary bool
	// Path is plan.md relative to the repository, Before its text on the branch.
	Path   string
	Before []byte
}

// OpenForEdit finds or makes the file in which a person edits a plan.
func (p *Project) OpenForEdit(ctx context.Context, name string) (Editing, error) {
	if err := p.freshen(ctx); err != nil {
		return Editing{}, err
	}
	cfg, _, err := p.atTip(ctx)
	if err != nil {
		return Editing{}, err
	}
	tip, err := p.Tip(ctx)
	if err != nil {
		return Editing{}, err
	}
	set, err := p.reader.Read(ctx, tip, cfg.Plans)
	if err != nil {
		return Editing{}, err
	}
	entry, err := set.Find(name)
	if err != nil {
		return Editing{}, err
	}
	path := cfg.Plans + "/" + string(entry.Key) + "/" + plans.PlanFile
	before, err := p.fileAt(ctx, tip, path)
	if err != nil {
		return Editing{}, err
	}
	e := Editing{Key: entry.Key, Path: path, Before: before}
	if entry.Plan != nil {
		e.Status = entry.Plan.Status
	}
	copies, err := p.workingCopies(ctx)
	if err != nil {
		return Editing{}, err
	}
	if behind, err := p.copyIsOld(ctx, path, before); err != nil {
		return Editing{}, err
	} else if behind {
		copies = nil
	}
	for _, c := range copies {
		file := filepath.Join(c.dir, filepath.FromSlash(path))
		if _, err := os.Stat(file); err == nil {
			e.File = file
			return e, nil
		}
	}
	dir, err := os.MkdirTemp("", "tendril-edit-")
	if err != nil {
		return Editing{}, fmt.Errorf("make a file to edit %s in: %w", entry.Key, err)
	}
	e.File, e.Temporary = filepath.Join(dir, plans.PlanFile), true
	if err := os.WriteFile(e.File, before, 0o600); err != nil {
		return Editing{}, fmt.Errorf("make a file to edit %s in: %w", entry.Key, err)
	}
	return e, nil
}

// Edited commits what a person made of a plan, in their name. Where the plan changed on the branch meanwhile, nothing is
// committed and the edit stays where it is. An empty commit says that nothing was changed.
func (p *Project) Edited(ctx context.Context, actor Actor, e Editing) (record.Result, error) {
	text, err := os.ReadFile(e.File)
	if err != nil {
		return record.Result{}, fmt.Errorf("read what was edited: %w", err)
	}
	if _, err := plans.Parse(e.Key, e.Path, text, p.Repo.Format); err != nil {
		return record.Result{}, fmt.Errorf("%w\n  not committed; what you wrote is in %s", err, e.File)
	}
	cfg, _, err := p.atTip(ctx)
	if err != nil {
		return record.Result{}, err
	}
	build := func(ctx context.Context, tip string) (*record.Draft, error) {
		now, err := p.fileAt(ctx, tip, e.Path)
		if err != nil {
			return nil, err
		}
		merged, err := carryStatus(text, e.Before, now)
		if err != nil {
			return nil, fmt.Errorf("%s changed on %s while you edited: %w\n  not committed; what you wrote is in %s", e.Key, p.branchName(), err, e.File)
		}
		if string(merged) == string(now) {
			return nil, nil
		}
		who := actor.ident()
		return &record.Draft{
			Message: fmt.Sprintf("%s: edit\n", e.Key), Author: who, Committer: who, Sign: actor.Sign,
			Edits: []record.Edit{{Path: e.Path, Data: merged}},
		}, nil
	}
	return p.commitPatiently(ctx, cfg, build)
}

// carryStatus puts the status that the branch moved on to meanwhile into an edited text. Any other difference between
// what was opened and what the branch has now is an error.
func carryStatus(edited, before, now []byte) ([]byte, error) {
	if string(before) == string(now) {
		return edited, nil
	}
	was, err := plans.StatusOf(before)
	if err != nil {
		return nil, err
	}
	is, err := plans.StatusOf(now)
	if err != nil {
		return nil, err
	}
	if same, err := plans.SetStatus(before, is); err != nil || string(same) != string(now) {
		return nil, fmt.Errorf("its text is another now")
	}
	mine, err := plans.StatusOf(edited)
	if err != nil {
		return nil, err
	}
	if mine != was {
		return nil, fmt.Errorf("its status is %s now", is)
	}
	return plans.SetStatus(edited, is)
}
