package gate

import (
	"context"
	"errors"
	"time"

	"tendril/internal/git"
	"tendril/plans"
)

// Passage is a gate that was passed: by whom, when, in which commit, and for what.
type Passage struct {
	// Commit is the gate commit, AuthorName and AuthorEmail its author as the commit has them, At the author's date.
	Commit, AuthorName, AuthorEmail string
	At                              time.Time
	// Text is the text id of the plan in that commit.
	Text string
	// Head is the commit that was accepted; empty at gate 1.
	Head string
}

var errTodo = errors.New("not built yet")

// Approval finds the commit that approved the plan p, which was read at tip of the plans branch, and judges it. A gate
// that does not count is a *Refusal; any other error is git's.
func Approval(ctx context.Context, repo *git.Repo, tip string, p *plans.Plan, rules Rules) (Passage, error) {
	return Passage{}, errTodo
}

// Acceptance finds the commit that accepted the plan p, which was read at tip of the plans branch, and judges it. The
// head is the one in the commit's trailer Tendril-Accepts, else in the record.yaml of that commit. A gate that does not
// count is a *Refusal; a head other than the recorded one is a *Moved.
func Acceptance(ctx context.Context, repo *git.Repo, tip string, p *plans.Plan, rules Rules) (Passage, error) {
	return Passage{}, errTodo
}
