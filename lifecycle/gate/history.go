package gate

import (
	"context"

	"tendril/internal/git"
	"tendril/plans"
)

// Effective is what the history of one plan.md grants it.
type Effective struct {
	// Status counts. Raw is what the file says; it differs where the newest step was not a legal one.
	Status, Raw plans.Status
	// Commit is the first-parent commit of the plans branch that set Status; empty before the first legal step.
	Commit string
	// Invalid are the steps that were ignored, oldest first.
	Invalid []Invalid
}

// Ignored returns the newest step when it was ignored, so that the file says something else than what counts.
func (e Effective) Ignored() (Invalid, bool) {
	if e.Raw == e.Status || len(e.Invalid) == 0 {
		return Invalid{}, false
	}
	return e.Invalid[len(e.Invalid)-1], true
}

// Invalid is a step outside the matrix: it counts as not made.
type Invalid struct {
	// Commit made the step, Author is "Name <email>" of it.
	Commit, Author string
	From, To       plans.Status
	// Why says in one line what is wrong with it.
	Why string
}

// History folds the history of every plan of the plans branch. It remembers what it read, so that a newer tip costs only
// the commits between. It may be used from several goroutines.
type History struct {
	repo  *git.Repo
	rules Rules
}

// NewHistory returns a history that has read nothing yet. Of the rules it needs PlansDir and the identities.
func NewHistory(repo *git.Repo, rules Rules) *History { return &History{repo: repo, rules: rules} }

// At returns what counts at the commit tip of the plans branch, for every plan.md that is there. The map is the caller's.
func (h *History) At(ctx context.Context, tip string) (map[plans.Key]Effective, error) {
	return nil, errTodo
}
