package live

import (
	"os"
	"testing"

	"tendril/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }
