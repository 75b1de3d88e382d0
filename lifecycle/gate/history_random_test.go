package gate

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/plans"
)

// graph is a random history: lines that leave each other and are merged again, each commit with a version of the plan.
type graph struct {
	rnd     *rand.Rand
	stream  strings.Builder
	status  []plans.Status // by mark
	version []int
	by      []who
	merge   []bool
}

// add adds a commit to the stream and returns its mark, counted from 1.
func (g *graph) add(w who, status plans.Status, version int, parents ...int) int {
	mark := len(g.status) + 1
	g.status, g.version, g.by, g.merge = append(g.status, status), append(g.version, version), append(g.by, w), append(g.merge, len(parents) > 1)
	// Equal and skewed dates are part of it.
	date := 1_000_000 + g.rnd.IntN(3)
	body := text(string(status), fmt.Sprintf("version %d\n", version))
	fmt.Fprintf(&g.stream, "commit refs/heads/c%d\nmark :%d\nauthor %s <%s> %d +0000\ncommitter %s <%s> %d +0000\ndata 1\nx\n",
		mark, mark, w.name, w.email, date, w.name, w.email, date)
	for i, p := range parents {
		fmt.Fprintf(&g.stream, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], p)
	}
	fmt.Fprintf(&g.stream, "M 100644 inline plans/%s/plan.md\ndata %d\n%s\n", key, len(body), body)
	return mark
}

// step adds a commit on top of another: a status by somebody, or a text.
func (g *graph) step(on int) int {
	w := []who{pat, pat, engine, engine, mallory}[g.rnd.IntN(5)]
	if g.rnd.IntN(4) == 0 {
		return g.add(w, g.status[on-1], len(g.status), on)
	}
	all := plans.Statuses()
	to := all[g.rnd.IntN(len(all))]
	party := plans.Person
	if w == engine {
		party = plans.Tendril
	}
	// Mostly what is legal, so that the plan lives.
	if moves := plans.Moves(party, g.status[on-1]); len(moves) > 0 && g.rnd.IntN(5) > 0 {
		to = moves[g.rnd.IntN(len(moves))]
	}
	return g.add(w, to, g.version[on-1], on)
}

// join merges: the file is one of the parents', or the status of one with another text.
func (g *graph) join(first, second int) int {
	from := []int{first, second}[g.rnd.IntN(2)]
	version := g.version[from-1]
	if g.rnd.IntN(4) == 0 {
		version = len(g.status)
	}
	return g.add(mallory, g.status[from-1], version, first, second)
}

// load writes the history into a repository and returns the commits by mark.
func (g *graph) load(t *testing.T) (*git.Repo, []string) {
	t.Helper()
	r := testkit.EmptyRepo(t)
	cmd := exec.CommandContext(t.Context(), "git", "fast-import", "--quiet", "--export-marks=.git/marks")
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, testkit.Env(t), strings.NewReader(g.stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
	ids := make([]string, len(g.status)+1)
	for line := range strings.Lines(r.Read(".git/marks")) {
		var mark int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err != nil {
			t.Fatal(err)
		}
		ids[mark] = id
	}
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo, ids
}

// Going on from tip to tip must give what reading anew gives; on a line without merges it must be what stepping through
// the matrix gives; and no way leads out of merged.
func TestHistoryOfRandomGraphs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := &graph{rnd: rand.New(rand.NewPCG(seed, 1))}
			main := []int{g.add(pat, plans.Draft, 0)}
			sides := []int{main[0]}
			for range 22 {
				last := main[len(main)-1]
				i := g.rnd.IntN(len(sides))
				switch g.rnd.IntN(6) {
				case 0, 1:
					main = append(main, g.step(last))
				case 2, 3:
					sides[i] = g.step(sides[i])
				case 4:
					main = append(main, g.join(last, sides[i]))
				case 5:
					if g.rnd.IntN(2) == 0 {
						sides = append(sides, last)
					} else {
						sides[i] = g.join(sides[i], last)
					}
				}
			}
			repo, ids := g.load(t)
			checkGraph(t, repo, g, main, ids)
		})
	}
}

func checkGraph(t *testing.T, repo *git.Repo, g *graph, main []int, ids []string) {
	t.Helper()
	on := NewHistory(repo, rules)
	linear, was := track{}, plans.Status("")
	merged := false
	for _, mark := range main {
		got, err := on.At(t.Context(), ids[mark])
		if err != nil {
			t.Fatal(err)
		}
		anew, err := NewHistory(repo, rules).At(t.Context(), ids[mark])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(anew, got); diff != "" {
			t.Fatalf("commit %d: going on differs from reading anew (-anew +on):\n%s\n%s", mark, diff, testkit.Git(t, repo.Dir, "log", "--graph", "--format=%h %s %an", ids[mark]))
		}
		e := got[key]
		if e.Raw != g.status[mark-1] {
			t.Errorf("commit %d: raw %s, want %s", mark, e.Raw, g.status[mark-1])
		}
		if merged && e.Status != plans.Merged {
			t.Errorf("commit %d: %s after merged", mark, e.Status)
		}
		merged = e.Status == plans.Merged
		if slices.ContainsFunc(main[:slices.Index(main, mark)+1], func(m int) bool { return g.merge[m-1] }) {
			continue
		}
		if st := g.status[mark-1]; st != was {
			linear = linear.apply(move{g.by[mark-1], st}.step(was), ids[mark], rules)
			was = st
		}
		if e.Status != linear.current() {
			t.Errorf("commit %d: %s, want %s", mark, e.Status, linear.current())
		}
	}
}
