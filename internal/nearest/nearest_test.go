package nearest

import "testing"

func TestWord(t *testing.T) {
	t.Parallel()
	known := []string{"parallel", "plans", "status", "stop", "show"}
	for word, want := range map[string]string{
		"paralel": "parallel", "stauts": "status", "sttaus": "status", "plan": "plans", "shwo": "show",
		"x": "", "deliver": "", "": "", "stopp": "stop",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
}
