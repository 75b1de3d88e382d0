package runners

import (
	"context"
	"io"
	"path/filepath"
)

// Events hands every event of a run's stdout to each, from the beginning to what is written by now. For an agent whose
// output is text each line is a text event; what is not understood is left out.
func (r Runs) Events(ctx context.Context, id string, each func(Event)) error {
	spec, err := r.Spec(id)
	if err != nil {
		return err
	}
	decoder, err := NewDecoder(spec.Agent)
	if err != nil {
		return err
	}
	return withFile(filepath.Join(r.folder(id), stdoutFile), func(f io.Reader) error { return decoder.Stdout(ctx, f, each) })
}
