package runners

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A transcript is read bit by bit, each line once; when it was written is known from the agent or from its supervisor.
func TestTranscript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	decoder, err := NewDecoder(Agent{Name: "a", Events: `if .say then {type: "text", text: .say} else empty end`})
	if err != nil {
		t.Fatal(err)
	}
	at := func(seconds int64) time.Time { return time.Unix(1796043000+seconds, 0).UTC() }
	transcript := &Transcript{dir: dir, decoder: decoder}
	p := newPace(dir)
	defer p.close()
	write := func(text string, seconds int64) {
		f, err := os.OpenFile(filepath.Join(dir, stdoutFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		p.note(sizeOf(f.Name()), at(seconds))
		p.note(sizeOf(f.Name()), at(seconds+99)) // it has not grown
	}
	said := func(text string, seconds int64) Told {
		return Told{Event: &Event{Type: EventText, Text: text}, At: at(seconds)}
	}
	for _, c := range []struct {
		text  string
		at    int64
		ended bool
		want  []Told
	}{
		{"{\"say\": \"one\"}\n{\"other\": 1}\n{\"say\"", 1, false, []Told{said("one", 1), {At: at(1)}}},
		{": \"two", 2, false, nil},
		{"\"}\n", 3, false, []Told{said("two", 3)}},
		{"{\"say\": \"stamped\", \"timestamp\": \"2026-12-01T10:10:00Z\"}\n", 4, false, []Told{{Event: &Event{Type: EventText, Text: "stamped"}, At: time.Date(2026, 12, 1, 10, 10, 0, 0, time.UTC)}}},
		{"{\"say\": \"ms\", \"timestamp\": 1796043000500}\n", 5, false, []Told{{Event: &Event{Type: EventText, Text: "ms"}, At: at(0).Add(500 * time.Millisecond)}}},
		{"{\"say\": \"cut off\"}", 6, true, []Told{said("cut off", 6)}},
		{"", 7, true, nil},
	} {
		write(c.text, c.at)
		var got []Told
		if err := transcript.Read(context.Background(), c.ended, func(told Told) error { got = append(got, told); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("after %q (-want +got)\n%s", c.text, diff)
		}
	}
}
