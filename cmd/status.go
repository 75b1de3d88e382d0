package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

type statusOptions struct{ f *Factory }

func newStatusCommand(f *Factory) *cli.Command {
	o := statusOptions{f: f}
	return &cli.Command{
		Name:      "status",
		Usage:     "show what is at work, what waits for what, and what waits for you",
		ArgsUsage: " ",
		Category:  categoryLook,
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return statusRun(c.Context, o)
		},
	}
}

func statusRun(ctx context.Context, o statusOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		view, err := p.View(ctx)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(view)
		}
		return o.f.Printf("%s", term.Wrap(term.CleanText(statusText(view, o.f.Now())), o.f.IO.Term.Width))
	})
}

// group is one part of the status.
type group struct {
	title string
	takes func(lifecycle.Row) bool
	line  func(lifecycle.Row, time.Time) string
}

// groups are the parts of the status in their order; a plan is shown in the first that takes it.
func groups() []group {
	return []group{
		{"Needs your eye", func(r lifecycle.Row) bool { return r.Problem != "" || r.Refusal != "" || r.Ignored != "" }, troubleLine},
		{"At work", func(r lifecycle.Row) bool { return r.Status == plans.Executing || r.Status == plans.Verifying }, workLine},
		{"Waits for your review", func(r lifecycle.Row) bool { return r.Status == plans.InReview }, personLine},
		{"Going in", func(r lifecycle.Row) bool { return r.Status == plans.Accepted }, waitLine},
		{"Waits for tendril run", func(r lifecycle.Row) bool { return r.Status == plans.Approved || r.Status == plans.ChangesRequested }, waitLine},
		{"Failed", func(r lifecycle.Row) bool { return r.Status == plans.Failed }, failedLine},
		{"Drafts", func(r lifecycle.Row) bool { return r.Status == plans.Draft }, personLine},
	}
}

// statusText is the whole status for a person.
func statusText(v *lifecycle.View, now time.Time) string {
	var b strings.Builder
	engine := "no engine runs: start it with tendril run"
	if v.Engine {
		engine = "an engine runs"
	}
	fmt.Fprintf(&b, "plans on %s at %.10s; %s\n", v.Branch, v.Tip, engine)
	for _, note := range v.Notes {
		fmt.Fprintf(&b, "! %s\n", note)
	}
	shown := map[plans.Key]bool{}
	for _, g := range groups() {
		first := true
		for _, r := range v.Plans {
			if shown[r.Key] || !g.takes(r) {
				continue
			}
			shown[r.Key] = true
			if first {
				fmt.Fprintf(&b, "\n%s\n", g.title)
				first = false
			}
			fmt.Fprintf(&b, "  %s  %s\n", r.Key, g.line(r, now))
			if !v.Engine && !r.Alive && !r.Elsewhere && (r.Status == plans.Executing || r.Status == plans.Verifying) {
				b.WriteString("      → nothing works on it now; tendril run goes on with it\n")
			}
			if r.Held != "" {
				fmt.Fprintf(&b, "      held by %s: nothing else works on it until that ends\n", r.Held)
			}
			if words := r.Budget.Words(); words != "" && r.Status != plans.InReview {
				fmt.Fprintf(&b, "      budget: %s\n", words)
			}
			if r.Words > 0 {
				fmt.Fprintf(&b, "      %d said, not heard yet\n", r.Words)
			}
			for _, words := range foreseenWords(r) {
				fmt.Fprintf(&b, "      %s\n", words)
			}
			if r.Uncommitted != "" {
				fmt.Fprintf(&b, "      plan.md says %s in your working copy: it counts once you commit it\n", r.Uncommitted)
			}
		}
	}
	if rest := countRest(v, shown); rest != "" {
		fmt.Fprintf(&b, "\n%s\n", rest)
	}
	return b.String()
}

// foreseenWords are what a plan's work conflicts with, and before it begins what may touch the same files.
func foreseenWords(r lifecycle.Row) []string {
	var words []string
	for _, c := range r.Conflicts {
		words = append(words, c.Words())
	}
	for _, key := range r.Overlaps {
		words = append(words, "its scope overlaps with that of "+string(key))
	}
	return words
}

// countRest counts what is not shown: what ended, what is put aside.
func countRest(v *lifecycle.View, shown map[plans.Key]bool) string {
	counts := map[plans.Status]int{}
	for _, r := range v.Plans {
		if !shown[r.Key] {
			counts[r.Status]++
		}
	}
	var parts []string
	for _, s := range plans.Statuses() {
		if n := counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

func troubleLine(r lifecycle.Row, _ time.Time) string {
	switch {
	case r.Problem != "":
		return r.Problem
	case r.Refusal != "":
		return fmt.Sprintf("%s, refused: %s", r.Status, r.Refusal)
	default:
		return fmt.Sprintf("counts as %s: %s", r.Status, r.Ignored)
	}
}

func workLine(r lifecycle.Row, now time.Time) string {
	if r.Elsewhere {
		return fmt.Sprintf("%s, round %d, in the clone of %s%s", r.Status, r.Round, r.Runner, suffix(", for ", age(r.Since, now)))
	}
	words := fmt.Sprintf("%s, round %d, attempt %d of %d, %s", r.Status, r.Round, max(r.Attempt, 1), r.Max, r.Agent)
	if r.Since != nil {
		words += ", for " + age(r.Since, now)
	}
	if !r.Alive && r.Waits != "" {
		words += "; waits for " + r.Waits
	}
	return words + suffix("; cost: ", r.Cost.Words())
}

// age is how long ago something was; nothing where that is not known.
func age(since *time.Time, now time.Time) string {
	if since == nil {
		return ""
	}
	// A time that has not come is of a clock that was wrong.
	return max(now.Sub(*since), 0).Round(time.Second).String()
}

func personLine(r lifecycle.Row, _ time.Time) string {
	return withNext(r.Title+suffix("; ", r.Detail)+suffix("; cost: ", r.Cost.Words()), r.Next)
}

func waitLine(r lifecycle.Row, _ time.Time) string {
	words := r.Title
	if r.Status == plans.Accepted && r.Reason != "" {
		words += "; " + r.Detail
	}
	return words + suffix("; waits for ", r.Waits)
}

func failedLine(r lifecycle.Row, _ time.Time) string {
	return withNext(string(r.Reason)+suffix(": ", r.Detail), r.Next)
}

func withNext(words, next string) string { return words + suffix("\n      → ", next) }

func suffix(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}
