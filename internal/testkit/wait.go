package testkit

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// pollEvery is the pause between two looks of Eventually.
const pollEvery = 10 * time.Millisecond

// Eventually looks until cond holds, and ends the test when it does not within limit. The words, a format and its
// arguments, say what was awaited.
func Eventually(t testing.TB, limit time.Duration, cond func() bool, words ...any) {
	t.Helper()
	end := time.Now().Add(limit)
	for !cond() {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", limit, sentence(words))
		}
		time.Sleep(pollEvery)
	}
}

func sentence(words []any) string {
	if len(words) == 0 {
		return "what the test waits for"
	}
	if format, ok := words[0].(string); ok {
		return fmt.Sprintf(format, words[1:]...)
	}
	return fmt.Sprint(words...)
}

// contextFor ends with limit, or with the test. Within Cleanup, where a test's own context has ended, it is the
// limit's alone.
func contextFor(t testing.TB, limit time.Duration) (context.Context, context.CancelFunc) {
	parent := t.Context()
	if parent.Err() != nil {
		parent = context.WithoutCancel(parent)
	}
	return context.WithTimeout(parent, limit)
}
