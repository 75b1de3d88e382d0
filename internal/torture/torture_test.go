//go:build linux

package torture

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tendril/internal/testkit"
)

var (
	seconds = flag.Int("torture.seconds", 0, "how long to go on; 0 is one short life")
	seed    = flag.Uint64("torture.seed", 0, "of the first life; 0 is by the clock")
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// TestTorture lives one life after the other. A life is a repository with plans that go from approved to merged while
// processes of Tendril's are killed, a person commits beside it, and now and then the power is cut. After each the oracle
// looks at everything that must hold (docs/design.md, section 13).
func TestTorture(t *testing.T) {
	t.Parallel()
	program := build(t)
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	end := time.Now().Add(time.Duration(*seconds) * time.Second)
	total := tally{}
	for n := uint64(0); !t.Failed() && (n < 1 || time.Now().Before(end)); n++ {
		plans, deaths := 8, 30
		if *seconds == 0 {
			plans, deaths = 2, 4
		}
		l := newLife(t, program, first+n, plans, deaths)
		l.powerCuts = n%2 == 1 || *seconds == 0
		l.live()
		total.add(l.tally)
		if t.Failed() {
			t.Logf("again: scripts/torture -seed %d; %s is kept", first+n, l.keep())
		}
	}
	t.Logf("%d lives, %d plans merged: %d engines, %d supervisors, %d agents and %d times everything killed, %d power cuts, %d commits of the person's",
		total.lives, total.merged, total.engines, total.supervisors, total.agents, total.all, total.cuts, total.commits)
}

// tally counts what was done.
type tally struct{ lives, merged, engines, supervisors, agents, all, cuts, commits int }

func (a *tally) add(b tally) {
	a.lives += b.lives
	a.merged += b.merged
	a.engines += b.engines
	a.supervisors += b.supervisors
	a.agents += b.agents
	a.all += b.all
	a.cuts += b.cuts
	a.commits += b.commits
}

// build makes the program that is tortured.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "tendril")
	cmd := exec.Command("go", "build", "-o", program, "tendril")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// random is a source of numbers that a life's seed determines. What processes do in between it does not.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
