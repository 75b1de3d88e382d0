package lifecycle

import (
	"context"

	"tendril/runners"
)

// Supervise keeps the agent run of a run folder until its end: the body of the command that every run is started with.
func Supervise(ctx context.Context, dir string) error { return runners.Supervise(ctx, dir) }
