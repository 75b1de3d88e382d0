package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

const childEnv = "CRASH_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		for i := range 3 {
			At("test.other")
			At("test.point")
			fmt.Println(i)
		}
		return
	}
	os.Exit(m.Run())
}

func TestAt(t *testing.T) {
	t.Parallel()
	for want, out := range map[string]string{
		"": "0\n1\n2\n", "test.point": "", "test.point:1": "", "test.point:3": "0\n1\n", "test.point:4": "0\n1\n2\n",
		"test.point:x": "", "test.nowhere": "0\n1\n2\n", "test": "0\n1\n2\n",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"=1", Env+"="+want)
			got, err := cmd.Output()
			if string(got) != out {
				t.Errorf("printed %q, want %q", got, out)
			}
			var exit *exec.ExitError
			if survived := out == "0\n1\n2\n"; survived != (err == nil) || !survived && (!errors.As(err, &exit) || exit.Exited()) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}
