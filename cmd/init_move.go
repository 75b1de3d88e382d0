package cmd

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/term"
	"tendril/lifecycle"
)

// movedReport is what --json prints of a move.
type movedReport struct {
	Layout string `json:"layout"`
	// From and Branch are the plans branch before and now.
	From     string   `json:"from"`
	Branch   string   `json:"branch"`
	Commit   string   `json:"commit,omitempty"`
	Plans    int      `json:"plans"`
	Resumed  bool     `json:"resumed,omitempty"`
	Checkout string   `json:"checkout,omitempty"`
	Left     []string `json:"left,omitempty"`
}

// movePlansRun is init --move-plans.
func movePlansRun(ctx context.Context, o initOptions) error {
	repo, err := o.f.Repo(ctx)
	if err != nil {
		return err
	}
	done, err := lifecycle.MovePlans(ctx, repo, lifecycle.Deps{Now: o.f.Now, NewID: o.f.NewID}, o.layout)
	if err != nil {
		return err
	}
	if o.f.Global.JSON {
		return o.f.PrintJSON(movedReport{
			Layout: done.Layout, From: done.From, Branch: done.To, Commit: done.Commit, Plans: done.Plans, Resumed: done.Resumed,
			Checkout: done.Checkout, Left: done.Left,
		})
	}
	return o.f.Printf("%s", movedText(done))
}

// movedText says what a move came to.
func movedText(m lifecycle.PlansMoved) string {
	if m.From == m.To {
		return fmt.Sprintf("the plans are on %s already\n", m.To)
	}
	var b strings.Builder
	if m.Resumed {
		b.WriteString("finished what was begun\n")
	}
	fmt.Fprintf(&b, "%s: from %s to %s (%.10s)\n", plural(m.Plans, "plan"), m.From, m.To, m.Commit)
	if m.Checkout != "" {
		fmt.Fprintf(&b, "%s is checked out in %s\n", m.To, m.Checkout)
	}
	if m.Machine != "" {
		fmt.Fprintf(&b, "%s names the branch now\n", m.Machine)
	}
	for _, left := range m.Left {
		b.WriteString(term.Clean(left) + "\n")
	}
	return b.String()
}
