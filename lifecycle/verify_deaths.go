package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"tendril/lifecycle/verify"
)

// mostDeaths is how often engines may die while they check one commit before that is taken for the checks' doing: so often
// in a row nobody pulls the plug.
const mostDeaths = 10

// begun is what is written down while checks run: which commit, and for the how manieth time since they last came to an end.
type begun struct {
	Head  string `json:"head"`
	Times int    `json:"times"`
}

// deadlyError says that engines die of checking a commit.
type deadlyError struct{ times int }

func (e *deadlyError) Error() string {
	return fmt.Sprintf("the engine died %d times while it checked this commit; one of the checks ends it, or the machine has too little memory", e.times)
}

// check runs checks, and refuses those of which engines die: the next one would only die of them too.
func (w *work) check(ctx context.Context, in verify.Input) (verify.Result, error) {
	head, err := in.Workspace.Head(ctx)
	if err != nil {
		return verify.Result{}, err
	}
	mark := filepath.Join(in.LogDir, "begun.json")
	before, err := readBegun(mark)
	if err != nil {
		return verify.Result{}, err
	}
	if before.Head != head {
		before = begun{Head: head}
	}
	if before.Times >= mostDeaths {
		// A person who approves it again has seen to it.
		return verify.Result{}, errors.Join(&deadlyError{before.Times}, gone(os.Remove(mark)))
	}
	before.Times++
	if err := writeBegun(mark, before); err != nil {
		return verify.Result{}, err
	}
	res, err := verify.Run(ctx, in)
	return res, errors.Join(err, gone(os.Remove(mark)))
}

func readBegun(file string) (begun, error) {
	var b begun
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return b, fmt.Errorf("read how often checks were begun: %w", err)
	}
	// What cannot be read counts nothing.
	_ = json.Unmarshal(data, &b)
	return b, nil
}

func writeBegun(file string, b begun) error {
	data, err := json.Marshal(b)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = maybe.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note that checks begin: %w", err)
	}
	return nil
}

// gone is err, unless it says that the file was gone already.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
