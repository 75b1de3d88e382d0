//go:build linux

package cmd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// randomClones is three clones in which people and engines do what they like.
type randomClones struct {
	t     *testing.T
	rand  *rand.Rand
	all   []*clone
	made  []string
	told  []string
	extra int
	// most is how many plans there may be.
	most int
}

// TestClonesAtRandom lets three people and their engines work in three clones: they write plans, commit, pull and push, accept
// and reject; engines die in the middle of a talk with the remote. At no time is a commit of a person's at the remote that
// they did not push. In the end every plan has run at most once an approval, and all clones are the same.
// CLONES_SEEDS=N tries N seeds, and goes on for longer.
func TestClonesAtRandom(t *testing.T) {
	t.Parallel()
	seeds, steps := 1, 8
	if n, err := strconv.Atoi(os.Getenv("CLONES_SEEDS")); err == nil {
		seeds, steps = n, 30
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := &randomClones{t: t, rand: rand.New(rand.NewPCG(seed, 7)), all: newClones(t, "", "ann", "bob", "cyd"), most: steps / 5}
			for range steps {
				r.step()
				r.nothingPublished()
			}
			r.end()
			if t.Failed() {
				t.Log(strings.Join(r.told, "\n"))
			}
		})
	}
}

func (r *randomClones) tell(c *clone, what, out string, err error) {
	r.told = append(r.told, fmt.Sprintf("%s: %s (%v) %s", c.name, what, err, strings.TrimSpace(out)))
}

// step is one thing that one person or one engine does.
func (r *randomClones) step() {
	r.t.Helper()
	c := r.all[r.rand.IntN(len(r.all))]
	switch n := r.rand.IntN(12); {
	case n < 3 && len(r.made) < r.most:
		file := fmt.Sprintf("made%d.txt", len(r.made))
		r.made = append(r.made, file)
		c.plan(fmt.Sprint("Plan ", len(r.made)), file)
		r.tell(c, "plan", file, nil)
	case n < 5:
		r.extra++
		testkit.Write(r.t, c.dir, fmt.Sprintf("%s-%d.txt", c.name, r.extra), "by hand\n")
		c.commit("by hand")
		r.tell(c, "commit", c.git("rev-parse", "--short", "HEAD"), nil)
	case n < 6:
		r.push(c)
	case n < 8:
		r.judge(c)
	default:
		points := []string{"", "", "sync.pushing:1", "sync.pushed:1", "sync.known:1", "sync.fetched:1", "sync.pushed:2", "lifecycle.started:1"}
		point := points[r.rand.IntN(len(points))]
		out, err := c.with("TENDRIL_CRASH_AT", point).tendril("run", "--once", "--trust")
		r.tell(c, "run "+point, out, err)
	}
}

// push is what a person does with what they committed.
func (r *randomClones) push(c *clone) {
	r.t.Helper()
	for range 5 {
		c.git("pull", "--quiet", "--rebase")
		_, err := testkit.TryGit(r.t, c.dir, nil, "push", "--quiet")
		r.tell(c, "push", "", err)
		if err == nil {
			return
		}
	}
	r.t.Errorf("%s cannot push", c.name)
}

// rows are the plans as a clone sees them.
func (r *randomClones) rows(c *clone) []struct{ Key, Status string } {
	r.t.Helper()
	var rows []struct{ Key, Status string }
	out := c.must("list", "--json", "--quiet")
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	return rows
}

// judge accepts, or sends back, or rejects something that is in review.
func (r *randomClones) judge(c *clone) {
	r.t.Helper()
	for _, row := range r.rows(c) {
		if row.Status != "in-review" {
			continue
		}
		out, err := c.tendril("diff", row.Key)
		r.tell(c, "diff "+row.Key, firstOf(out), err)
		args := []string{"accept", row.Key}
		if r.rand.IntN(4) == 0 {
			args = []string{"reject", row.Key}
		}
		out, err = c.tendril(args...)
		r.tell(c, strings.Join(args, " "), out, err)
		return
	}
}

func firstOf(s string) string { return s[:min(len(s), 60)] }

// nothingPublished asks that what a person has not pushed is not among the remote's objects.
func (r *randomClones) nothingPublished() {
	r.t.Helper()
	for _, c := range r.all {
		for id := range strings.FieldsSeq(c.git("rev-list", "main", "--not", "--remotes", "--glob=refs/tendril/sync")) {
			if _, err := testkit.TryGit(r.t, c.origin, nil, "cat-file", "-e", id); err == nil {
				r.t.Errorf("%s of %s is at the remote, and nobody pushed it", id, c.name)
			}
		}
	}
}

// end lets everybody finish.
func (r *randomClones) end() {
	r.t.Helper()
	for _, c := range r.all {
		r.push(c)
	}
	for range 6 {
		for _, c := range r.all {
			out, err := c.tendril("run", "--once", "--trust")
			r.tell(c, "run", out, err)
		}
		open := 0
		for _, row := range r.rows(r.all[0]) {
			if row.Status == "in-review" {
				r.all[0].must("diff", row.Key)
				r.all[0].must("accept", row.Key)
			}
			if row.Status != "merged" && row.Status != "rejected" {
				open++
			}
		}
		if open == 0 {
			break
		}
	}
	for _, row := range r.rows(r.all[0]) {
		if row.Status != "merged" && row.Status != "rejected" {
			r.t.Errorf("%s is %s", row.Key, row.Status)
		}
	}
	for _, file := range r.made {
		if n := r.all[0].starts(file); n > 1 {
			r.t.Errorf("%s was made %d times", file, n)
		}
	}
	converged(r.t, r.all...)
}

// TestClonesManyPlans has two engines run 40 plans while a third person commits all the while. It takes a minute or two, so
// it runs where CLONES_PLANS says how many.
func TestClonesManyPlans(t *testing.T) {
	plans, err := strconv.Atoi(os.Getenv("CLONES_PLANS"))
	if err != nil {
		t.Skip("CLONES_PLANS is not set")
	}
	all := newClones(t, "take: all\nparallel: 4\nreview_limit: 100\n", "ann", "bob", "cyd")
	for i := range plans {
		all[0].plan(fmt.Sprint("Plan ", i), fmt.Sprintf("made%d.txt", i))
	}
	stop, commits, repeated := make(chan struct{}), 0, 0
	var person, engines sync.WaitGroup
	person.Go(func() {
		c := all[2]
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
			testkit.Write(t, c.dir, "by-hand.txt", fmt.Sprint(commits))
			c.commit("by hand")
			commits++
			for {
				c.git("pull", "--quiet", "--rebase")
				if _, err := testkit.TryGit(t, c.dir, nil, "push", "--quiet"); err == nil {
					break
				}
				repeated++
			}
		}
	})
	begun := time.Now()
	for _, c := range all[:2] {
		engines.Go(func() {
			for range 5 {
				if out, err := c.tendril("run", "--once", "--trust"); err != nil {
					t.Logf("%s: %v\n%s", c.name, err, out)
				}
			}
		})
	}
	engines.Wait()
	close(stop)
	person.Wait()
	t.Logf("%d plans in %s; the person committed %d times and repeated %d pushes", plans, time.Since(begun).Round(time.Second), commits, repeated)
	shares := map[string]int{}
	for i := range plans {
		if n := all[0].starts(fmt.Sprintf("made%d.txt", i)); n != 1 {
			t.Errorf("plan %d ran %d times", i, n)
		}
	}
	for _, line := range strings.Split(all[0].must("list", "--json"), "\n") {
		if strings.Contains(line, `"elsewhere": true`) {
			shares["elsewhere"]++
		}
	}
	t.Logf("of them in the other clone: %d", shares["elsewhere"])
	converged(t, all...)
	if got := testkit.Git(t, all[0].origin, "rev-list", "--count", "--merges", "main"); got != "0" {
		t.Errorf("%s merges", got)
	}
}
