package record

import (
	"context"
	"errors"
)

var errTodo = errors.New("not built yet")

// Commit adds one commit to the branch. It finishes or takes back an interrupted step first. Errors: *BusyError when it
// has to wait for a person, ErrMoved when the branch kept moving, what build returned, or what git said.
func (r *Recorder) Commit(ctx context.Context, build Build) (Result, error) {
	return Result{}, errTodo
}

// Settle looks once more at the last step, waiting until a second has gone by since: a git command of a person that read
// the index before the step and wrote it afterwards puts old entries back, and these are repaired. It reports whether
// something was.
func (r *Recorder) Settle(ctx context.Context) (bool, error) { return false, errTodo }
