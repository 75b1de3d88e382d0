package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"tendril/lifecycle/deliver"
	"tendril/plans"
)

// Clash is a branch that a plan's work does not merge with by itself, as both stand now.
type Clash struct {
	// With is the key of another open plan, or the name of the base branch.
	With string `json:"with"`
	// Paths are the files in conflict.
	Paths []string `json:"paths"`
}

// foreseen is what can be told of conflicts before anything is delivered.
type foreseen struct {
	clashes  map[plans.Key][]Clash
	overlaps map[plans.Key][]plans.Key
	// order is the order of accepting in which the most plans go in before one has to be mended, of which the first free
	// conflict with none before them; empty where no two conflict.
	order []plans.Key
	free  int
	// notes say what could not be looked at.
	notes []string
}

// mostMerges bounds how many merges one look makes in memory; what is left is the next look's.
const mostMerges = 400

// openBranch is a plan whose work is under way or waits, with its branch.
type openBranch struct {
	key              plans.Key
	head, base, from string
	branch           string
	status           plans.Status
}

// pair is two heads that are to be merged, and of whom: b is a base where it has no key.
type pair struct{ a, b openBranch }

func (p pair) id() string {
	if p.b.key != "" && p.b.head < p.a.head {
		return p.b.head + " " + p.a.head
	}
	return p.a.head + " " + p.b.head
}

// foresee looks for conflicts of every open branch with its base and with each other, and for scopes that overlap. What it
// found is kept by the pair of heads.
func (p *Project) foresee(ctx context.Context, snap *snapshot, all []decided) foreseen {
	f := foreseen{clashes: map[plans.Key][]Clash{}, overlaps: scopeOverlaps(all)}
	open := openBranches(snap, all)
	pairs := pairsOf(open)
	known := p.readClashes()
	if err := p.mergePairs(ctx, pairs, known); err != nil && ctx.Err() == nil {
		f.notes = append(f.notes, "conflicts could not be foreseen: "+oneLine(err.Error()))
	}
	left := 0
	for _, one := range pairs {
		paths, is := known[one.id()]
		if !is {
			left++
		}
		if len(paths) == 0 {
			continue
		}
		if one.b.key == "" {
			f.clashes[one.a.key] = append(f.clashes[one.a.key], Clash{With: one.b.branch, Paths: paths})
			continue
		}
		f.clashes[one.a.key] = append(f.clashes[one.a.key], Clash{With: string(one.b.key), Paths: paths})
		f.clashes[one.b.key] = append(f.clashes[one.b.key], Clash{With: string(one.a.key), Paths: paths})
	}
	if left > 0 && len(f.notes) == 0 {
		f.notes = append(f.notes, fmt.Sprintf("%d pairs of branches were not looked at for conflicts yet", left))
	}
	f.setOrder(open)
	return f
}

// openBranches are the plans with a branch on which work is under way or waits for a person.
func openBranches(snap *snapshot, all []decided) []openBranch {
	var open []openBranch
	for _, one := range all {
		rec := one.entry.Record
		if rec == nil || rec.Branch == "" || !isOpen(one.facts.Status) || snap.heads[rec.Branch] == "" {
			continue
		}
		open = append(open, openBranch{
			key: one.entry.Key, head: snap.heads[rec.Branch], base: snap.heads[rec.Base.Ref], from: rec.Base.Commit, branch: rec.Base.Ref,
			status: one.facts.Status,
		})
	}
	return open
}

func isOpen(s plans.Status) bool {
	return atWork(s) || s == plans.InReview || s == plans.ChangesRequested || s == plans.Accepted
}

// pairsOf are the merges that tell: each branch with its base where that moved, and with each other branch of that base.
func pairsOf(open []openBranch) []pair {
	var pairs []pair
	for i, a := range open {
		if a.head == a.from || a.base == "" {
			continue // nothing was done there yet
		}
		if a.base != a.from {
			pairs = append(pairs, pair{a, openBranch{head: a.base, branch: a.branch}})
		}
		for _, b := range open[i+1:] {
			if b.head != b.from && b.branch == a.branch && b.head != a.head {
				pairs = append(pairs, pair{a, b})
			}
		}
	}
	return pairs
}

// mergePairs merges the pairs that are not known, by base, and notes what came of it. What nobody asks for any more is
// forgotten.
func (p *Project) mergePairs(ctx context.Context, pairs []pair, known map[string][]string) error {
	asked, unknown := map[string]bool{}, map[string][]pair{}
	n := 0
	for _, one := range pairs {
		asked[one.id()] = true
		if _, is := known[one.id()]; !is && n < mostMerges {
			unknown[one.a.base] = append(unknown[one.a.base], one)
			n++
		}
	}
	stale := len(known)
	for id := range known {
		if !asked[id] {
			delete(known, id)
		}
	}
	stale -= len(known)
	for base, group := range unknown {
		heads := make([][2]string, len(group))
		for i, one := range group {
			heads[i] = [2]string{one.a.head, one.b.head}
		}
		clashes, err := deliver.Foresee(ctx, p.Repo, base, heads)
		if err != nil {
			return err
		}
		for i, one := range group {
			known[one.id()] = clashes[i]
		}
	}
	if n > 0 || stale > 0 {
		p.keepClashes(known)
	}
	return nil
}

func (p *Project) clashFile() string { return filepath.Join(p.Runtime, "cache", "clashes.json") }

// readClashes is what earlier looks found; what cannot be read is found again.
func (p *Project) readClashes() map[string][]string {
	known := map[string][]string{}
	data, err := os.ReadFile(p.clashFile())
	if err != nil || json.Unmarshal(data, &known) != nil || known == nil {
		return map[string][]string{}
	}
	return known
}

// keepClashes remembers for the next look. Who may only read finds it again.
func (p *Project) keepClashes(known map[string][]string) {
	data, err := json.Marshal(known)
	if err != nil || os.MkdirAll(filepath.Dir(p.clashFile()), 0o700) != nil {
		return
	}
	_ = maybe.WriteFile(p.clashFile(), data, 0o600) // a cache
}

// setOrder finds the order of accepting among what waits for a person or goes in.
func (f *foreseen) setOrder(open []openBranch) {
	open = slices.DeleteFunc(slices.Clone(open), func(b openBranch) bool {
		return b.status != plans.InReview && b.status != plans.Accepted
	})
	clash := func(a, b int) bool {
		return slices.ContainsFunc(f.clashes[open[a].key], func(c Clash) bool { return c.With == string(open[b].key) })
	}
	order, free := deliver.MergeOrder(len(open), clash)
	if free == len(order) {
		return
	}
	f.free = free
	for _, i := range order {
		f.order = append(f.order, open[i].key)
	}
}

// joinNotes are what concerns no single plan: what was not looked at, and the order in which to accept.
func joinNotes(f foreseen) []string {
	if len(f.order) == 0 {
		return f.notes
	}
	return append(f.notes, fmt.Sprintf("accepted in this order, the fewest conflict: %s; then, to be mended: %s",
		joinKeys(f.order[:f.free], ", "), joinKeys(f.order[f.free:], ", ")))
}

// scopeOverlaps are, for plans that are not begun, the other open plans that may change the same files.
func scopeOverlaps(all []decided) map[plans.Key][]plans.Key {
	out := map[plans.Key][]plans.Key{}
	for _, one := range all {
		if one.entry.Plan == nil || one.facts.Status != plans.Draft && one.facts.Status != plans.Approved || len(one.entry.Plan.Scope) == 0 {
			continue
		}
		for _, other := range all {
			if other.entry.Plan == nil || other.entry.Key == one.entry.Key || !isOpen(other.facts.Status) && other.facts.Status != plans.Approved {
				continue
			}
			if plans.Overlap(one.entry.Plan.Scope, other.entry.Plan.Scope) {
				out[one.entry.Key] = append(out[one.entry.Key], other.entry.Key)
			}
		}
	}
	return out
}

// Words says in one line what the work conflicts with, and in which files; the first few of many.
func (c Clash) Words() string {
	const most = 3
	shown := c.Paths
	more := ""
	if len(shown) > most {
		more = fmt.Sprintf(" and %d more", len(shown)-most)
		shown = shown[:most]
	}
	return "conflicts with " + c.With + " in " + strings.Join(shown, ", ") + more
}
