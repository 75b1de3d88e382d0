package lifecycle

import (
	"context"

	"tendril/lifecycle/record"
)

// recover finishes a move of a branch that was cut off. It says whether there was one.
func (p *Project) recover(ctx context.Context) (bool, error) {
	return record.Recover(ctx, p.Repo, p.Runtime)
}
