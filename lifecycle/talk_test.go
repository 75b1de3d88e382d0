package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/runners"
)

func TestChooseRuns(t *testing.T) {
	t.Parallel()
	var runs []runInfo
	for _, at := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 1}} {
		runs = append(runs, runInfo{spec: runners.Spec{Round: at[0], Attempt: at[1]}})
	}
	for in, want := range map[string]string{
		"": "1.1 1.2 2.1 2.1 ", "1": "2.1 2.1 ", "2": "1.2 ", "1.1": "1.1 ", "2.2": "error", "3": "error", "x": "error", "1.": "error", "0": "error",
	} {
		got := ""
		chosen, err := chooseRuns(runs, in)
		for _, r := range chosen {
			got += fmt.Sprintf("%d.%d ", r.spec.Round, r.spec.Attempt)
		}
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// Pieces of a text are one, once they are whole; how long a tool took is known at the next line, and said where it was long.
func TestWhatARunTells(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Date(2026, 11, 30, 12, 0, seconds, 0, time.UTC) }
	told := func(e runners.Event, seconds int) runners.Told { return runners.Told{Event: &e, At: at(seconds)} }
	var got []string
	talk := &runTalk{talker: &talker{each: func(u Utterance) error {
		took := ""
		if u.Took != nil {
			took = fmt.Sprint(*u.Took)
		}
		got = append(got, joinNonEmpty(" ", string(u.Type), u.Name, u.Target, u.Text, took))
		return nil
	}}}
	for _, line := range []runners.Told{
		told(runners.Event{Type: runners.EventSession, ID: "s"}, 0),
		told(runners.Event{Type: runners.EventText, Text: "I w", Delta: true}, 1),
		told(runners.Event{Type: runners.EventText, Text: "I will.", Delta: true}, 2),
		told(runners.Event{Type: runners.EventTool, Name: "Bash", Target: "go test"}, 3),
		{At: at(63)},
		told(runners.Event{Type: runners.EventTool, Name: "Write", Target: "a.go"}, 64),
		told(runners.Event{Type: runners.EventText, Text: " "}, 65),
		told(runners.Event{Type: runners.EventTool, Name: "Read"}, 66),
		{},
		told(runners.Event{Type: runners.EventText, Text: "Do", Delta: true}, 67),
		told(runners.Event{Type: runners.EventUsage}, 67),
		told(runners.Event{Type: runners.EventText, Text: "Done.", Delta: true}, 67),
		told(runners.Event{Type: runners.EventResult, OK: true}, 68),
	} {
		if err := talk.told(line); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"text I will.", "tool Bash go test", "took 60", "tool Write a.go", "tool Read", "text Done."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
