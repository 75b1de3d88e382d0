package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"tendril/internal/testkit"
)

// TestMain lets the test binary stand in for tendril: "supervise DIR" is the hidden command, "start RUNS SPEC" an engine
// that starts one run and dies where TENDRIL_CRASH_AT says.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "supervise" {
		exit(Supervise(context.Background(), os.Args[2]))
	}
	if len(os.Args) == 4 && os.Args[1] == "start" {
		exit(startForTest(os.Args[2], os.Args[3]))
	}
	os.Exit(testkit.Main(m, testkit.NoLeaks))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// specForTest is a Spec with what spec.json leaves out.
type specForTest struct {
	Spec           Spec
	Prompt, Script []byte
}

func startForTest(runsDir, specFile string) error {
	data, err := os.ReadFile(specFile)
	if err != nil {
		return err
	}
	var s specForTest
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	s.Spec.Prompt, s.Spec.Script = s.Prompt, s.Script
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r := Runs{Dir: runsDir, Self: []string{self, "supervise"}, Environ: os.Environ()}
	return errors.Join(r.Start(context.Background(), s.Spec))
}
