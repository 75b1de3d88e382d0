package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
	"tendril/plans"
)

type listOptions struct {
	f      *Factory
	status string
}

func newListCommand(f *Factory) *cli.Command {
	o := listOptions{f: f}
	return &cli.Command{
		Name:      "list",
		Aliases:   []string{"ls"},
		Usage:     "list the plans",
		ArgsUsage: " ",
		Category:  categoryPlans,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "status", Usage: "only plans in these `STATES`, separated by commas", Destination: &o.status},
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return listRun(c.Context, o)
		},
	}
}

func listRun(ctx context.Context, o listOptions) error {
	wanted, err := statuses(o.status)
	if err != nil {
		return err
	}
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		view, err := p.View(ctx)
		if err != nil {
			return err
		}
		rows := make([]lifecycle.Row, 0, len(view.Plans))
		for _, r := range view.Plans {
			if len(wanted) == 0 || wanted[r.Status] {
				rows = append(rows, r)
			}
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(rows)
		}
		if len(rows) == 0 {
			o.f.Infof("no plan; write one: tendril new \"TITLE\"")
			return nil
		}
		return printRows(o.f, rows)
	})
}

// printRows is the table of plans.
func printRows(f *Factory, rows []lifecycle.Row) error {
	// A key holds the words of the title, and is what is copied from here.
	table := f.Table("KEY", "STATUS", "PRIO", "TITLE", "NOTE", "USD").Whole(0, 1, 5).Drop(2, 5, 3, 4)
	for _, r := range rows {
		priority := ""
		if r.Priority != 0 {
			priority = strconv.Itoa(r.Priority)
		}
		status := string(r.Status)
		if status == "" {
			status = "?"
		}
		table.Row(string(r.Key), status, priority, r.Title, noteOf(r), costCell(r.Cost))
	}
	return table.Render()
}

// costCell is what a plan cost until now; nothing where no agent has run.
func costCell(c *lifecycle.PlanCost) string {
	if c == nil {
		return ""
	}
	return usdCell(*c)
}

// noteOf is what a person should know about a plan, in a few words.
func noteOf(r lifecycle.Row) string {
	var notes []string
	add := func(prefix, s string) {
		if s != "" {
			notes = append(notes, prefix+s)
		}
	}
	add("", r.Problem)
	add("refused: ", r.Refusal)
	add("waits for ", r.Waits)
	if r.Status == plans.Failed || r.Reason == plans.DeliveryFailed {
		add(string(r.Reason)+": ", r.Detail)
	} else if r.Status == plans.InReview {
		add("", r.Detail)
	}
	add("not counted: ", r.Ignored)
	if r.Uncommitted != "" {
		add("not committed: ", r.Uncommitted)
	}
	return strings.Join(notes, "; ")
}

// statuses reads a list of states.
func statuses(list string) (map[plans.Status]bool, error) {
	out := map[plans.Status]bool{}
	for _, word := range strings.Split(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		s, ok := plans.ParseStatus(word)
		if !ok {
			return nil, usagef("one of: "+joinStatuses(plans.Statuses()), "no state %q", word)
		}
		out[s] = true
	}
	return out, nil
}

func joinStatuses(all []plans.Status) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
