package lifecycle

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"tendril/lifecycle/record"
	"tendril/plans"
)

// NewRequest is a plan to be written.
type NewRequest struct {
	Title string
	// Body follows the front matter; empty is a skeleton to fill in.
	Body string
	// NoCommit leaves a file where the plans branch is checked out, and commits nothing.
	NoCommit bool
}

// Created is a plan that was written.
type Created struct {
	Key plans.Key
	// Path is plan.md relative to the repository, File where it lies in a working copy (empty where the branch is not
	// checked out), Commit what it was committed in.
	Path, File, Commit string
}

// New writes a plan: a commit on the plans branch in the person's name, or with NoCommit a file in its working copy.
func (p *Project) New(ctx context.Context, actor Actor, req NewRequest) (Created, error) {
	if strings.TrimSpace(req.Title) == "" {
		return Created{}, fmt.Errorf("a plan needs a title\n  tendril new \"Add a search button\"")
	}
	if !req.NoCommit {
		if err := p.freshen(ctx); err != nil {
			return Created{}, err
		}
	}
	cfg, history, err := p.atTip(ctx)
	if err != nil {
		return Created{}, err
	}
	text := plans.New(req.Title, req.Body)
	copies, err := p.workingCopies(ctx)
	if err != nil {
		return Created{}, err
	}
	var out Created
	name := func(ctx context.Context) error {
		number, err := plans.NextNumber(ctx, p.Repo, cfg.Plans)
		if err != nil {
			return err
		}
		out.Key = plans.MakeKey(number, req.Title)
		out.Path = path.Join(cfg.Plans, string(out.Key), plans.PlanFile)
		return nil
	}
	if req.NoCommit {
		if len(copies) == 0 {
			return Created{}, fmt.Errorf("the plans branch %s is not checked out, so there is no place for a file\n  leave out --no-commit", p.branchName())
		}
		if err := name(ctx); err != nil {
			return Created{}, err
		}
		out.File = filepath.Join(copies[0].dir, filepath.FromSlash(out.Path))
		return out, writeNew(out.File, text)
	}
	build := func(ctx context.Context, tip string) (*record.Draft, error) {
		if err := name(ctx); err != nil {
			return nil, err
		}
		set, effective, err := p.readAt(ctx, cfg, history, tip)
		if err != nil {
			return nil, err
		}
		plan, err := plans.Parse(out.Key, out.Path, text, p.Repo.Format)
		if err != nil {
			return nil, err
		}
		set = withEntry(set, &plans.Entry{Key: out.Key, Plan: plan})
		effective[out.Key] = effectiveOf(plan.Status)
		existing, err := p.fileAt(ctx, tip, path.Join(cfg.Plans, plans.BoardFile))
		if err != nil {
			return nil, err
		}
		board, err := boardEdit(cfg.Plans, set, effective, nil, nil, existing)
		if err != nil {
			return nil, err
		}
		who := actor.ident()
		return &record.Draft{
			Message: fmt.Sprintf("%s: new plan\n\n%s\n", out.Key, plan.Title), Author: who, Committer: who, Sign: actor.Sign,
			Edits: append([]record.Edit{{Path: out.Path, Data: text}}, board...),
		}, nil
	}
	res, err := p.commitPatiently(ctx, cfg, build)
	if err != nil {
		return Created{}, err
	}
	out.Commit = res.Commit
	if len(copies) > 0 {
		out.File = filepath.Join(copies[0].dir, filepath.FromSlash(out.Path))
	}
	return out, nil
}

// writeNew writes a file that must not be there yet.
func writeNew(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make the plan's folder: %w", err)
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already", file)
	}
	if err := maybe.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

// withEntry is the set with one more plan.
func withEntry(set *plans.Set, entry *plans.Entry) *plans.Set {
	c := *set
	c.Entries = append(append([]*plans.Entry{}, set.Entries...), entry)
	return &c
}
