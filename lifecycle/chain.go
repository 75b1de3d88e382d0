package lifecycle

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
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
	versions, err := p.versions(ctx, snap.tip, file)
	if err != nil {
		return nil, fmt.Errorf("the history of %s: %w", one.entry.Key, err)
	}
	var records []*plans.Record
	for _, commit := range versions {
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

// versions are the commits that changed a file, oldest first, along first parents. Where a merge took the file as it was in
// another parent, they go on there: plans that came from another branch have their past with them.
func (p *Project) versions(ctx context.Context, tip, file string) ([]string, error) {
	var all []string
	for from := tip; from != "" && len(all) < mostRecords; {
		out, err := p.Repo.Run(ctx, "log", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--no-show-signature",
			"--format=%H %P", fmt.Sprintf("--max-count=%d", mostRecords-len(all)), from, "--", ":(top,literal)"+file)
		if err != nil {
			return nil, err
		}
		from = ""
		for line := range strings.Lines(out) {
			ids := strings.Fields(line)
			all = append(all, ids[0])
			if len(ids) < 3 {
				continue
			}
			if from, err = p.sameFileIn(ctx, ids[0], ids[2:], file); err != nil {
				return nil, err
			}
			if from != "" {
				break
			}
		}
	}
	slices.Reverse(all)
	return all, nil
}

// sameFileIn is the commit of a list that has a file as another one has it; empty for none, and where that has none.
func (p *Project) sameFileIn(ctx context.Context, as string, list []string, file string) (string, error) {
	here, err := p.fileAt(ctx, as, file)
	if err != nil || here == nil {
		return "", err
	}
	for _, id := range list {
		there, err := p.fileAt(ctx, id, file)
		if err != nil {
			return "", err
		}
		if there != nil && bytes.Equal(here, there) {
			return id, nil
		}
	}
	return "", nil
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
