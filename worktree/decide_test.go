package worktree

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at, other := filepath.Join(root, "wt"), filepath.Join(root, "other")
	here := registration{Path: at, Branch: "refs/heads/" + branch, Locked: true, Reason: "tendril: wt"}
	with := func(r registration, change func(*registration)) registration { change(&r); return r }
	elsewhere := with(here, func(r *registration) { r.Path = other })
	done, unfinished := &record{Phase: ready}, &record{Phase: making}
	lost := &LostError{at, "replaced"}
	clash, foreign, isLost := new(*ClashError), new(*ForeignError), new(*LostError)
	for name, c := range map[string]struct {
		s     sight
		want  step
		prune []string
		err   any
	}{
		"nothing":                         {sight{ground: absent}, makeAnew, nil, nil},
		"an empty folder":                 {sight{ground: empty}, makeAnew, nil, nil},
		"ready":                           {sight{ground: attached, rec: done, known: []registration{here}}, takeUp, nil, nil},
		"unfinished":                      {sight{ground: attached, rec: unfinished, known: []registration{here}}, finish, nil, nil},
		"record lost":                     {sight{ground: attached, known: []registration{here}}, adopt, nil, nil},
		"record lost, not locked by us":   {sight{ground: attached, known: []registration{with(here, func(r *registration) { r.Reason = "mine" })}}, 0, nil, foreign},
		"record lost, another branch":     {sight{ground: attached, known: []registration{with(here, func(r *registration) { r.Branch = "refs/heads/x" })}}, 0, nil, foreign},
		"folder gone":                     {sight{ground: absent, rec: done, known: []registration{with(here, func(r *registration) { r.Missing = true })}}, makeAnew, []string{at}, nil},
		"folder gone, locked by a person": {sight{ground: absent, known: []registration{with(here, func(r *registration) { r.Reason = "usb"; r.Missing = true })}}, 0, nil, foreign},
		"git died while adding":           {sight{ground: bare, rec: unfinished, known: []registration{with(here, func(r *registration) { r.Reason = "initializing" })}}, makeAnew, []string{at}, nil},
		"only .git, not remembered":       {sight{ground: bare}, 0, nil, foreign},
		"strange":                         {sight{ground: strange, why: "x"}, 0, nil, foreign},
		"replaced":                        {sight{ground: strange, rec: done, lost: lost}, 0, nil, isLost},
		"in use elsewhere":                {sight{ground: absent, known: []registration{elsewhere}}, 0, nil, clash},
		"in use in the main worktree":     {sight{ground: absent, known: []registration{with(elsewhere, func(r *registration) { r.Main = true })}}, 0, nil, clash},
		"gone elsewhere":                  {sight{ground: absent, known: []registration{with(elsewhere, func(r *registration) { r.Missing = true })}}, makeAnew, []string{other}, nil},
		"gone elsewhere, not locked":      {sight{ground: absent, known: []registration{with(elsewhere, func(r *registration) { r.Missing = true; r.Locked = false })}}, makeAnew, []string{other}, nil},
		"on a disk that is away":          {sight{ground: absent, known: []registration{with(elsewhere, func(r *registration) { r.Missing = true; r.Reason = "usb" })}}, 0, nil, clash},
		"others do not matter":            {sight{ground: absent, known: []registration{{Path: other, Branch: "refs/heads/x"}, {Path: root, Main: true}}}, makeAnew, nil, nil},
		"the main worktree itself":        {sight{ground: attached, known: []registration{{Path: at, Main: true}}}, 0, nil, foreign},
	} {
		c.s.path, c.s.want = at, Want{Key: key, Branch: branch, Name: "wt"}
		got, stale, err := decide(c.s)
		var pruned []string
		for _, r := range stale {
			pruned = append(pruned, r.Path)
		}
		if c.err != nil {
			if err == nil || !errors.As(err, c.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || got != c.want || !slices.Equal(pruned, c.prune) {
			t.Errorf("%s: step %d, prune %v, %v; want %d, %v", name, got, pruned, err, c.want, c.prune)
		}
	}
}

func TestParseRegistrations(t *testing.T) {
	t.Parallel()
	got := parseRegistrations("worktree /r\x00HEAD abc\x00branch refs/heads/main\x00\x00worktree /w\n x\x00HEAD abc\x00detached\x00locked why not\x00\x00worktree /b\x00bare\x00locked\x00\x00")
	want := []registration{
		{Path: "/r", Branch: "refs/heads/main", Main: true}, {Path: "/w\n x", Locked: true, Reason: "why not"}, {Path: "/b", Bare: true, Locked: true},
	}
	if filepath.Separator == '/' && !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
