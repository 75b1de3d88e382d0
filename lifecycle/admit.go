package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tendril/plans"
)

// Contender is one plan as Admit sees it.
type Contender struct {
	Key      plans.Key
	Priority int
	Status   plans.Status
	// Starts is true when the plan would start a round now: its gate counts and nothing of its own is in the way.
	Starts bool
	// Elsewhere is true for a plan that another clone has: it takes no place here, but its scope counts.
	Elsewhere bool
	// Agent is the name of the agent it would use or uses.
	Agent string
	Scope []string
	// DependsOn are the keys of the plans that must be merged first.
	DependsOn []plans.Key
}

// Limits bound what is under way at once; zero is no limit.
type Limits struct {
	// Parallel plans at work, Review plans waiting for a person's review.
	Parallel, Review int
	// Agents bounds the plans at work by agent.
	Agents map[string]int
}

// Admit says what each plan that would start has to wait for; a plan that is not in the answer may start now. Order is
// priority, then number (design section 5). It is pure.
func Admit(all []Contender, limits Limits) map[plans.Key]Wait {
	byKey := make(map[plans.Key]Contender, len(all))
	load := workload{agents: map[string]int{}}
	for _, c := range all {
		byKey[c.Key] = c
		if c.Status == plans.InReview {
			load.reviews++
		}
		if atWork(c.Status) {
			load.add(c)
		}
	}
	waits := map[plans.Key]Wait{}
	for _, c := range inOrder(all) {
		if !c.Starts {
			continue
		}
		if w := waitFor(c, byKey, load, limits); w != nil {
			waits[c.Key] = *w
			continue
		}
		load.add(c)
	}
	return waits
}

// inOrder sorts by priority, higher first, then by number, then by key.
func inOrder(all []Contender) []Contender {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Contender) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Key.Number(), b.Key.Number()), cmp.Compare(a.Key, b.Key))
	})
	return sorted
}

func atWork(s plans.Status) bool { return s == plans.Executing || s == plans.Verifying }

// workload is what is under way, the plans admitted in this round included.
type workload struct {
	active  []Contender
	places  int
	agents  map[string]int
	reviews int
}

func (w *workload) add(c Contender) {
	w.active = append(w.active, c)
	if !c.Elsewhere {
		w.places++
		w.agents[c.Agent]++
	}
}

func waitFor(c Contender, byKey map[plans.Key]Contender, load workload, limits Limits) *Wait {
	if w := waitForDependencies(c, byKey); w != nil {
		return w
	}
	// A round of changes is about a plan that already waits for review: the limit is not for it.
	if c.Status == plans.Approved && limits.Review > 0 && load.reviews >= limits.Review {
		return &Wait{For: fmt.Sprintf("reviews: %d plans are in review, the limit is %d", load.reviews, limits.Review)}
	}
	if limits.Parallel > 0 && load.places >= limits.Parallel {
		return &Wait{For: fmt.Sprintf("a free place: %d of %d plans are at work", load.places, limits.Parallel), Place: true}
	}
	if most := limits.Agents[c.Agent]; most > 0 && load.agents[c.Agent] >= most {
		return &Wait{For: fmt.Sprintf("agent %s: %d of %d are at work", c.Agent, load.agents[c.Agent], most)}
	}
	for _, other := range load.active {
		if other.Key != c.Key && plans.Overlap(c.Scope, other.Scope) {
			return &Wait{For: fmt.Sprintf("%s, whose scope overlaps", other.Key)}
		}
	}
	return nil
}

func waitForDependencies(c Contender, byKey map[plans.Key]Contender) *Wait {
	var open []string
	for _, d := range c.DependsOn {
		dep, known := byKey[d]
		if known && dep.Status == plans.Merged {
			continue
		}
		open = append(open, string(d))
	}
	if len(open) == 0 {
		return nil
	}
	return &Wait{For: strings.Join(open, ", ") + " to be merged"}
}

// FindCycle returns the plans of a dependency cycle that key lies on, in order, or nil.
func FindCycle(key plans.Key, dependsOn func(plans.Key) []plans.Key) []plans.Key {
	var path []plans.Key
	seen := map[plans.Key]bool{}
	var visit func(plans.Key) bool
	visit = func(k plans.Key) bool {
		path = append(path, k)
		for _, d := range dependsOn(k) {
			if d == key {
				return true
			}
			if !seen[d] {
				seen[d] = true
				if visit(d) {
					return true
				}
			}
		}
		path = path[:len(path)-1]
		return false
	}
	if visit(key) {
		return append(path, key)
	}
	return nil
}
