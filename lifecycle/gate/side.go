package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tendril/internal/git"
)

// maxNesting bounds how deep merges within merged lines are followed; below that a merge counts as its author's word.
const maxNesting = 8

// sides holds what merges brought in: the first-parent lines of their other parents, down to where the plans branch had
// them already.
type sides struct {
	book *book
	// parents is the shape of the history since the oldest merge that matters, commits those of it that are on side lines.
	parents map[string][]string
	commits map[string]commit
	// had are the commits that the plans branch contains already, as far as it was folded.
	had map[string]bool
}

func newSides(b *book) *sides {
	return &sides{book: b, parents: map[string][]string{}, commits: map[string]commit{}, had: map[string]bool{}}
}

// load reads the side lines of the merges among the commits (newest first, of the plans branch's own line up to tip), and
// of the merges within them.
func (s *sides) load(ctx context.Context, repo *git.Repo, tip, spec string, commits []commit) error {
	for nesting := range maxNesting {
		if err := s.book.ask(ctx, repo, questions(commits)); err != nil {
			return err
		}
		heads, oldest := s.heads(commits)
		if len(heads) == 0 {
			return nil
		}
		if nesting == 0 {
			if err := s.readShape(ctx, repo, tip, oldest.parents[0]); err != nil {
				return err
			}
		}
		fresh := s.lines(heads)
		if len(fresh) == 0 {
			return nil
		}
		found, err := readLog(ctx, repo, []byte(strings.Join(fresh, "\n")+"\n"), "--no-walk=unsorted", "--sparse", "--stdin", "--", spec)
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

// readShape reads the parents of every commit that tip has and before has not. (git could find the side lines itself, by
// --exclude-first-parent-only; in 2.39 that leaves out too much where dates are equal or skewed.)
func (s *sides) readShape(ctx context.Context, repo *git.Repo, tip, before string) error {
	out, err := repo.Do(ctx, plain("rev-list", "--parents", tip, "^"+before))
	if err != nil {
		return fmt.Errorf("read the lines that were merged: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 0 {
			s.parents[f[0]] = f[1:]
		}
	}
	return nil
}

// first is the first parent of a commit, empty where there is none.
func (s *sides) first(id string) string {
	if p := s.parents[id]; len(p) > 0 {
		return p[0]
	}
	return ""
}

// lines are the commits on the first-parent lines that end at the heads, without those that are known.
func (s *sides) lines(heads []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, id := range heads {
		for ; !seen[id]; id = s.first(id) {
			_, inside := s.parents[id]
			if _, known := s.commits[id]; known || !inside {
				break
			}
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// absorb notes that the plans branch contains a commit now, and all that this contains.
func (s *sides) absorb(id string) {
	for stack := []string{id}; len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		parents, inside := s.parents[id]
		if !inside || s.had[id] {
			continue
		}
		s.had[id] = true
		stack = append(stack, parents...)
	}
}

// question is one file in one parent of a merge.
type question struct{ parent, path string }

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

// heads are the parents from which merges took a status, and the oldest of those merges. The commits are newest first.
func (s *sides) heads(commits []commit) (heads []string, oldest commit) {
	for _, c := range commits {
		if len(c.parents) < 2 {
			continue
		}
		for _, ch := range c.changes {
			if p := s.source(c, ch); p != "" {
				oldest = c
				if len(heads) == 0 || heads[len(heads)-1] != p {
					heads = append(heads, p)
				}
			}
		}
	}
	return heads, oldest
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

// steps are the changes of status of a file on the side line that ends at a commit, oldest first. The line ends at what
// the plans branch has already, and at what was visited for the same merge.
func (s *sides) steps(from, path string, visited map[string]bool, nesting int) []step {
	var line []commit
	for id := from; !s.had[id] && !visited[id]; id = s.first(id) {
		c, ok := s.commits[id]
		if !ok {
			break
		}
		visited[id] = true
		line = append(line, c)
	}
	var out []step
	for _, c := range slices.Backward(line) {
		for _, ch := range c.changes {
			if ch.path == path {
				out = append(out, s.within(c, ch, visited, nesting)...)
			}
		}
	}
	return out
}

// within are the steps that one commit of a side line makes.
func (s *sides) within(c commit, ch change, visited map[string]bool, nesting int) []step {
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
			if inner := s.steps(p, ch.path, visited, nesting+1); len(inner) > 0 {
				return inner
			}
			// It caught up with the plans branch, or with what that has already.
			return []step{{commit: c, before: from, to: to, given: true}}
		}
	}
	return []step{{commit: c, before: from, to: to}}
}
