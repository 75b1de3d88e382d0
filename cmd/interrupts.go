package cmd

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// interrupts listens for the signals that end the engine.
type interrupts struct {
	signals chan os.Signal
	cancel  context.CancelFunc
	done    chan struct{}
	// asked is true when a Ctrl-C ended the engine, rather than a signal meant for the process alone.
	asked bool
}

// interruptible is a context that ends with the first signal; first is called just before, with whether it was a Ctrl-C.
func interruptible(ctx context.Context, first func(asked bool)) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(ctx)
	in := &interrupts{signals: make(chan os.Signal, 4), cancel: cancel, done: make(chan struct{})}
	signal.Notify(in.signals, endSignals()...)
	go func() {
		defer close(in.done)
		select {
		case s := <-in.signals:
			in.asked = s == os.Interrupt
			first(in.asked)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, in
}

// again says whether another Ctrl-C comes within d.
func (in *interrupts) again(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case s := <-in.signals:
		return s == os.Interrupt
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// until runs do under a context that ends with the next signal, whichever it is; cut says that one came.
func (in *interrupts) until(ctx context.Context, do func(context.Context)) (cut bool) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-in.signals:
			cut = true
			cancel()
		case <-ctx.Done():
		}
	}()
	do(ctx)
	cancel()
	<-done
	return cut
}

// stop ends the listening.
func (in *interrupts) stop() {
	signal.Stop(in.signals)
	in.cancel()
	<-in.done
}
