package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"time"
)

// draining bounds the wait for output after the child and its family ended: only a process that got away (no mark, a
// session of its own) can still hold the pipe, and it is not waited for.
const draining = 2 * time.Second

// output carries a child's output to its writers through pipes of our own, so that waiting for the child does not mean
// waiting for whoever inherited its pipes.
type output struct {
	streams []*stream
}

type stream struct {
	from, childEnd *os.File
	to             io.Writer
	done           chan error
}

// connect gives cmd its stdout and stderr. Files go to the child as they are.
func connect(cmd *exec.Cmd, stdout, stderr io.Writer) (*output, error) {
	out := &output{}
	var err error
	if cmd.Stdout, err = out.add(stdout); err != nil {
		return nil, err
	}
	if same(stdout, stderr) {
		cmd.Stderr = cmd.Stdout
		return out, nil
	}
	if cmd.Stderr, err = out.add(stderr); err != nil {
		out.abandon()
		return nil, err
	}
	return out, nil
}

// same reports whether both are one writer: two goroutines must not write into it, and its output keeps its order.
func same(a, b io.Writer) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

func (o *output) add(to io.Writer) (io.Writer, error) {
	if to == nil {
		return nil, nil
	}
	if f, ok := to.(*os.File); ok {
		return f, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe for output: %w", err)
	}
	o.streams = append(o.streams, &stream{from: r, childEnd: w, to: to, done: make(chan error, 1)})
	return w, nil
}

// copy begins to carry the output; drain waits for its end.
func (o *output) copy() {
	for _, s := range o.streams {
		_ = s.childEnd.Close() // the child has its own
		go func() {
			_, err := io.Copy(s.to, s.from)
			_ = s.from.Close() // read only; a child that still writes gets EPIPE when the writer failed
			s.done <- err
		}()
	}
}

// drain waits for the rest of the output, at most for draining, and returns the first writer's error.
func (o *output) drain() error {
	limit := time.NewTimer(draining)
	defer limit.Stop()
	var first error
	for _, s := range o.streams {
		var err error
		select {
		case err = <-s.done:
		case <-limit.C:
			// From now on nobody is waited for: closing ends the copying.
			limit.Reset(0)
			_ = s.from.Close()
			err = <-s.done
		}
		if err != nil && !errors.Is(err, os.ErrClosed) && first == nil {
			first = err
		}
	}
	return first
}

// abandon closes the pipes of a child that was not started.
func (o *output) abandon() {
	for _, s := range o.streams {
		_ = s.childEnd.Close() // nothing was written
		_ = s.from.Close()
	}
}
