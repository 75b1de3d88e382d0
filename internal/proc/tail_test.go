package proc

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		tail := NewTail(limit)
		var all []byte
		for _, part := range rapid.SliceOf(rapid.SliceOfN(rapid.ByteMax(0x7f), 0, 60)).Draw(t, "parts") {
			n, err := tail.Write(part)
			if n != len(part) || err != nil {
				t.Fatalf("Write: %d, %v", n, err)
			}
			all = append(all, part...)
		}
		want := all[max(len(all)-limit, 0):]
		if got := tail.Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if tail.Total() != int64(len(all)) {
			t.Fatalf("total %d, want %d", tail.Total(), len(all))
		}
		if cap(tail.buf) > 8*limit+64 {
			t.Fatalf("%d bytes held for a limit of %d", cap(tail.buf), limit)
		}
	})
}

func TestTailBeginsWithAWholeCharacter(t *testing.T) {
	t.Parallel()
	for limit := range 9 {
		tail := NewTail(limit)
		if _, err := tail.Write([]byte(strings.Repeat("ä€𝄞", 5))); err != nil {
			t.Fatal(err)
		}
		if got := tail.Bytes(); !utf8.Valid(got) || limit-len(got) > 3 {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}
