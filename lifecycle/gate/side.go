package gate

import (
	"context"
	"slices"

	"tendril/internal/git"
)

// maxNesting bounds how deep merges within merged lines are followed; below that a merge counts as its author's word.
const maxNesting = 8

// sides holds the lines of history that merges brought in: the first-parent lines of their other parents, as far as they
// are not the plans branch's own.
type sides struct {
	book *book
	// commits are those of the side lines, by id.
	commits map[string]commit
	// roots are the parents whose lines were read.
	roots map[string]bool
}

// question is one file in one parent of a merge.
type question struct{ parent, path string }

// load reads the side lines of the merges among the commits, and of the merges within them.
func (s *sides) load(ctx context.Context, repo *git.Repo, tip, spec string, commits []commit) error {
	for range maxNesting {
		if err := s.book.ask(ctx, repo, questions(commits)); err != nil {
			return err
		}
		heads := s.heads(commits)
		if len(heads) == 0 {
			return nil
		}
		found, err := readLog(ctx, repo, lines(heads), "--sparse", "--exclude-first-parent-only", "--stdin", "^"+tip, "--", spec)
		if err != nil {
			return err
		}
		for _, c := range found {
			s.commits[c.id] = c
		}
		if err := s.book.read(ctx, repo, found); err != nil {
			return err
		}
		commits = found
	}
	return nil
}

// questions are all that has to be known of the parents of merges.
func questions(commits []commit) []question {
	var all []question
	for _, c := range commits {
		if len(c.parents) < 2 {
			continue
		}
		for _, ch := range c.changes {
			for _, p := range c.parents[1:] {
				all = append(all, question{p, ch.path})
			}
		}
	}
	return all
}

// heads are the parents from which a merge took a status, and whose lines are not read yet.
func (s *sides) heads(commits []commit) []string {
	var out []string
	for _, c := range commits {
		if len(c.parents) < 2 {
			continue
		}
		for _, ch := range c.changes {
			if p := s.source(c, ch); p != "" && !s.roots[p] {
				s.roots[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// source is the parent from which a merge took the status of a file: one with the identical file, else one with the same
// status. It is empty when the status is the merge's own, and when it is the first parent's.
func (s *sides) source(c commit, ch change) string {
	to, ok := s.book.after(ch)
	if !ok {
		return ""
	}
	for _, p := range c.parents[1:] {
		if s.book.blobs[question{p, ch.path}] == ch.new {
			return p
		}
	}
	if from, ok := s.book.status(ch.old); ok && from == to {
		return ""
	}
	for _, p := range c.parents[1:] {
		if status, ok := s.book.status(s.book.blobs[question{p, ch.path}]); ok && status == to {
			return p
		}
	}
	return ""
}

// steps are the changes of status of a file on the side line that ends at a commit, oldest first. mine are the commits of
// the plans branch itself, at which the line ends.
func (s *sides) steps(from, path string, mine map[string]bool, nesting int) []step {
	var back []step
	for id := from; ; {
		c, ok := s.commits[id]
		if !ok || mine[id] {
			break
		}
		for _, ch := range c.changes {
			if ch.path == path {
				back = append(back, s.within(c, ch, mine, nesting)...)
			}
		}
		if len(c.parents) == 0 {
			break
		}
		id = c.parents[0]
	}
	slices.Reverse(back)
	return back
}

// within are the steps that one commit of a side line makes, newest first.
func (s *sides) within(c commit, ch change, mine map[string]bool, nesting int) []step {
	to, ok := s.book.after(ch)
	if !ok {
		return nil
	}
	from, had := s.book.status(ch.old)
	if had && from == to {
		return nil
	}
	if len(c.parents) > 1 && nesting < maxNesting {
		if p := s.source(c, ch); p != "" {
			inner := s.steps(p, ch.path, mine, nesting+1)
			if len(inner) == 0 {
				return []step{{commit: c, before: from, to: to, given: true}}
			}
			slices.Reverse(inner)
			return inner
		}
	}
	return []step{{commit: c, before: from, to: to}}
}
