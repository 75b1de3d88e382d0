package lifecycle

import (
	"context"

	"tendril/internal/config"
	"tendril/lifecycle/record"
)

// recover finishes a move of a branch and removals of worktrees that were cut off. It says whether a move was.
func (p *Project) recover(ctx context.Context, cfg *config.Config) (bool, error) {
	moved, err := record.Recover(ctx, p.Repo, p.Runtime)
	if err != nil {
		return moved, err
	}
	m, err := p.manager(ctx, cfg)
	if err != nil {
		return moved, err
	}
	return moved, m.Recover(ctx, p.Now())
}
