package cmd

import (
	"strings"
	"testing"

	"tendril/plans"
)

// The topic on states is written for people; what it must not do is forget or invent a state.
func TestTopicOnStatesIsWhole(t *testing.T) {
	t.Parallel()
	data, err := topics.ReadFile("topics/states.txt")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "  ") && len(fields) > 2 && (fields[1] == "person" || fields[1] == "tendril") {
			told = append(told, fields[0])
		}
	}
	var want []string
	for _, s := range plans.Statuses() {
		want = append(want, string(s))
	}
	if strings.Join(told, " ") != strings.Join(want, " ") {
		t.Errorf("told %v\nwant %v", told, want)
	}
}

func TestTopicsHaveATitle(t *testing.T) {
	t.Parallel()
	for _, name := range topicNames() {
		if title := topicTitle(name); title == "" || len(title) > 70 {
			t.Errorf("%s: title %q", name, title)
		}
	}
}
