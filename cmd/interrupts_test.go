package cmd

import (
	"context"
	"os"
	"testing"
)

// What is waited for after the second Ctrl-C can be left by a third; without one it ends by itself.
func TestAThirdSignalEndsTheWaiting(t *testing.T) {
	t.Parallel()
	in := &interrupts{signals: make(chan os.Signal, 4)}
	if in.until(t.Context(), func(context.Context) {}) {
		t.Error("cut off by no signal")
	}
	cut := in.until(t.Context(), func(ctx context.Context) {
		in.signals <- os.Interrupt
		<-ctx.Done()
	})
	if !cut {
		t.Error("a signal is not heeded")
	}
}
