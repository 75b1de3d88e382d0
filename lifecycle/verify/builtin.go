package verify

import (
	"context"
	"fmt"
	"strings"

	"tendril/plans"
	"tendril/worktree"
)

// builtIn runs the built-in checks on the diff.
func (t *tally) builtIn(ctx context.Context, left worktree.Left) error {
	t.noteOut(left)
	t.summary = summarise(ctx, t.Workspace, t.diff.Files)
	t.summary.Outside = t.outside(t.diff.Files)
	if len(t.diff.Files) == 0 {
		t.judge(CheckChanges, []string{"nothing was changed since the base"})
		if len(left.Secrets) == 0 && len(left.Out) == 0 {
			return nil
		}
	} else {
		t.judge(CheckChanges, nil)
	}
	t.judge(CheckScope, t.scopeRemarks())
	f, err := t.look(ctx, t.diff.Files, !t.Try)
	if err != nil {
		return err
	}
	t.judge(CheckMarkers, f.markers)
	t.judgeLeft(f, left)
	t.judgeSize(f.binaries)
	return nil
}

// noteOut remembers what stayed out of the commit.
func (t *tally) noteOut(left worktree.Left) {
	t.out, t.leftOut = map[string]bool{}, nil
	for _, o := range left.Out {
		t.out[o.Path] = true
		t.leftOut = append(t.leftOut, o.Path+": "+o.Why)
	}
}

func hasSecret(all []worktree.Secret, path string) bool {
	for _, s := range all {
		if s.Path == path {
			return true
		}
	}
	return false
}

// skippable are the built-in checks that a plan may leave out.
var skippable = map[string]bool{CheckMarkers: true, CheckSecrets: true, CheckBinaries: true, CheckDeletions: true}

// judge notes a built-in check, failed when there are remarks.
func (t *tally) judge(name string, remarks []string) {
	if t.Only != "" && t.Only != name {
		return
	}
	c := plans.CheckResult{Name: name, Result: plans.ResultPassed, Required: true}
	if reason, ok := t.Plan.Skip[name]; ok && skippable[name] {
		c.Result, c.Tail = plans.ResultSkipped, reason
		t.builtins = append(t.builtins, c)
		return
	}
	if len(remarks) > 0 {
		c.Result = plans.ResultFailed
		c.Tail = string(endOf([]byte(strings.Join(remarks, "\n")), tailLimit))
		t.feedback = append(t.feedback, failure{name: name, how: hints[name], output: []byte(strings.Join(remarks, "\n"))})
	}
	t.builtins = append(t.builtins, c)
}

// judgeLeft judges secrets and what stayed out of the commit. A secret for which a file stayed out fails whatever the plan
// skips, since the commit is then not what lies in the worktree.
func (t *tally) judgeLeft(f finds, left worktree.Left) {
	var held, out []string
	for _, s := range left.Secrets {
		held = append(held, s.String()+", not committed")
	}
	for _, o := range left.Out {
		if !hasSecret(left.Secrets, o.Path) {
			out = append(out, o.Path+": "+o.Why)
		}
	}
	if _, skipped := t.Plan.Skip[CheckSecrets]; skipped {
		held, out = nil, append(held, out...)
	}
	t.judge(CheckSecrets, append(held, f.secrets...))
	if len(out) > 0 {
		t.judge(CheckLeftOut, out)
	}
}

// hints tell the agent what to do.
var hints = map[string]string{
	CheckChanges:  "there is nothing to review: make the change that the plan asks for",
	CheckScope:    "these files are not the plan's to change: put them back as they were",
	CheckMarkers:  "these lines are what is left of a merge conflict: resolve it",
	CheckSecrets:  "these lines look like secrets: take them out (also out of earlier commits of this branch), read them from the environment instead",
	CheckBinaries: "these are large binary files, which history keeps for ever: take them out (also out of earlier commits of this branch)",
	CheckLeftOut:  "this could not be committed: delete it, or have git ignore it",
}

// scopeRemarks names the files outside the scope.
func (t *tally) scopeRemarks() []string {
	var remarks []string
	for _, path := range t.summary.Outside {
		if t.protected(path) {
			remarks = append(remarks, path+": belongs to plans or to Tendril")
			continue
		}
		remarks = append(remarks, fmt.Sprintf("%s: outside the scope (%s)", path, strings.Join(t.Plan.Scope, ", ")))
	}
	return remarks
}

// outside returns the files that the plan's scope does not let the agent change.
func (r *run) outside(files []worktree.FileStat) []string {
	var out []string
	add := func(path string) {
		if path != "" && (!r.scope.Match(path) || r.protected(path)) {
			out = append(out, path)
		}
	}
	for _, f := range files {
		add(f.Old)
		add(f.Path)
	}
	return out
}

// protected reports whether a path belongs to plans, the board or Tendril's configuration, and no glob of the scope names a
// path there. Case does not matter, as it does not on some file systems.
func (r *run) protected(path string) bool {
	path = strings.ToLower(path)
	if desk := r.Workspace.Desk; desk != "" && (path == desk || strings.HasPrefix(path, desk+"/")) {
		return true
	}
	if dir := ".tendril"; path == dir || strings.HasPrefix(path, dir+"/") {
		return !r.named(dir)
	}
	dir := strings.ToLower(strings.Trim(r.PlansDir, "/"))
	rest, in := strings.CutPrefix(path, dir+"/")
	if dir == "" || path != dir && !in {
		return false
	}
	folder, _, _ := strings.Cut(rest, "/")
	_, err := plans.ParseKey(folder)
	return (path == dir || rest == "readme.md" || err == nil) && !r.named(dir)
}

// named reports whether a glob of the scope begins with the folder.
func (r *run) named(dir string) bool {
	for _, g := range r.Plan.Scope {
		g = strings.ToLower(strings.TrimPrefix(g, "/"))
		if g == dir || strings.HasPrefix(g, dir+"/") {
			return true
		}
	}
	return false
}
