package git

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"tendril/internal/testkit"
)

func TestMain(m *testing.M) {
	// Each check starts a dozen git processes; the command line may ask for more.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(testkit.Main(m, testkit.NoLeaks))
}
