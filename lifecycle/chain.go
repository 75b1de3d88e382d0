package lifecycle

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"tendril/lifecycle/gate"
	"tendril/plans"
)

// Link is one step of the chain from a plan's approval to what was delivered: a gate that somebody passed, a run, a claim
// taken over, a delivery. What does not apply is empty.
type Link struct {
	// What is approved, taken-over, ran, accepted or delivered.
	What string    `json:"what"`
	At   time.Time `json:"at"`
	// By is the person of a gate ("Name <address>"); of a run it is the agent.
	By string `json:"by,omitempty"`
	// Where is the runner of a claim or a run.
	Where string `json:"where,omitempty"`
	// Commit is the gate's, or the one that delivered. Text is the text id that was approved, Head the commit that was
	// accepted or that a run left.
	Commit string `json:"commit,omitempty"`
	Text   string `json:"text,omitempty"`
	Head   string `json:"head,omitempty"`
	// Round and Attempt are a run's, Seconds how long it took, Outcome how it ended.
	Round   int     `json:"round,omitempty"`
	Attempt int     `json:"attempt,omitempty"`
	Turn    string  `json:"turn,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Outcome string  `json:"outcome,omitempty"`
	// Pending is true for a gate that was passed and that no engine has acted on.
	Pending bool `json:"pending,omitempty"`
}

// The steps of a chain.
const (
	LinkApproved  = "approved"
	LinkTakenOver = "taken-over"
	LinkRan       = "ran"
	LinkAccepted  = "accepted"
	LinkDelivered = "delivered"
)

// mostRecords bounds how many versions of a record are read for a chain; the oldest are left out.
const mostRecords = 500

// chain follows a plan from its approvals to what was delivered, through every version of its record on the branch, and the
// gates that were passed since.
func (p *Project) chain(ctx context.Context, snap *snapshot, one decided) ([]Link, error) {
	file := path.Join(snap.cfg.Plans, string(one.entry.Key), plans.RecordFile)
	out, err := p.Repo.Run(ctx, "log", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--no-show-signature", "--reverse",
		"--format=%H", fmt.Sprintf("--max-count=%d", mostRecords), snap.tip, "--", ":(top,literal)"+file)
	if err != nil {
		return nil, fmt.Errorf("the history of %s: %w", one.entry.Key, err)
	}
	var records []*plans.Record
	for commit := range strings.FieldsSeq(out) {
		data, err := p.fileAt(ctx, commit, file)
		if err != nil {
			return nil, err
		}
		// A version that cannot be read says nothing; the one that counts is reported by itself.
		if rec, err := plans.ParseRecord(file, data); err == nil && data != nil {
			records = append(records, rec)
		}
	}
	return linkRecords(records, one.approval, one.acceptance), nil
}

// linkRecords makes the chain of versions of a record, oldest first. It is pure.
func linkRecords(records []*plans.Record, approval, acceptance *gate.Passage) []Link {
	var links []Link
	seen := map[string]bool{}
	add := func(id string, l Link) {
		if !seen[l.What+id] {
			seen[l.What+id] = true
			links = append(links, l)
		}
	}
	var before *plans.Record
	for _, r := range records {
		if a := r.Approved; a != nil {
			add(a.Commit, Link{What: LinkApproved, At: a.At, By: a.By, Commit: a.Commit, Text: a.Text})
		}
		if before != nil && before.Round == r.Round && before.Clone != r.Clone && before.Clone != "" {
			links = append(links, Link{What: LinkTakenOver, At: r.StateSince, By: before.Runner, Where: r.Runner})
		}
		for _, a := range r.Attempts {
			add(a.Run, Link{
				What: LinkRan, At: a.Started, By: a.Agent, Where: a.Host, Head: a.Head, Round: a.Round, Attempt: a.Attempt, Turn: a.Turn,
				Seconds: a.Seconds, Outcome: a.Outcome,
			})
		}
		if a := r.Accepted; a != nil {
			add(a.Commit, Link{What: LinkAccepted, At: a.At, By: a.By, Commit: a.Commit, Head: a.Head})
		}
		if d := r.Delivered; d != nil {
			add(d.Commit, Link{What: LinkDelivered, At: r.StateSince, Outcome: d.How, Commit: d.Commit})
		}
		before = r
	}
	if a := approval; a != nil {
		add(a.Commit, Link{What: LinkApproved, At: a.At, By: person(*a), Commit: a.Commit, Text: a.Text, Pending: true})
	}
	if a := acceptance; a != nil {
		add(a.Commit, Link{What: LinkAccepted, At: a.At, By: person(*a), Commit: a.Commit, Head: a.Head, Pending: true})
	}
	return links
}
