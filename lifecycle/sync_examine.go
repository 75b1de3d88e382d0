package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tendril/lifecycle/record"
)

// examineSync asks the remote that has the truth, and compares what is there with what is here. It changes nothing.
func examineSync(ctx context.Context, p *Project, snap *snapshot) []Finding {
	if snap.remote == nil {
		return nil
	}
	const name = "sync"
	if err := p.checkRemote(ctx, snap.remote.Name); err != nil {
		return []Finding{bad(name, err)}
	}
	begun := time.Now()
	heads, err := p.Repo.LsRemote(ctx, snap.remote.Name, "refs/heads/"+snap.remote.Branch)
	if err != nil {
		return []Finding{bad(name, err)}
	}
	there := heads["refs/heads/"+snap.remote.Branch]
	known, err := snap.remote.Known(ctx)
	if err != nil {
		return []Finding{bad(name, err)}
	}
	if there == "" {
		return []Finding{bad(name, &record.GoneError{Remote: snap.remote.Name, Branch: snap.remote.Branch, Known: known})}
	}
	f := Finding{Name: name, State: Good, Found: fmt.Sprintf("%s of %s is at %.10s, asked in %s; take: %s", snap.remote.Branch, snap.remote.Name, there, time.Since(begun).Round(10*time.Millisecond), snap.cfg.Take)}
	out := []Finding{f}
	if there != known {
		out = append(out, Finding{Name: name, State: Note, Found: fmt.Sprintf("this clone knows it at %.10s", known), Mend: "tendril sync"})
	}
	view, err := p.syncView(ctx, snap)
	if err != nil {
		return append(out, bad(name, err))
	}
	for _, note := range view.Notes() {
		found, mend, _ := strings.Cut(note, ": ")
		out = append(out, Finding{Name: name, State: Note, Found: found, Mend: mend})
	}
	return append(out, examineElsewhere(snap)...)
}

// examineElsewhere counts the plans that other clones have.
func examineElsewhere(snap *snapshot) []Finding {
	counts := map[string]int{}
	var names []string
	for _, e := range snap.set.Entries {
		status := snap.effective[e.Key].Status
		if runner := snap.heldElsewhere(e, status); runner != "" && atWork(status) {
			if counts[runner]++; counts[runner] == 1 {
				names = append(names, runner)
			}
		}
	}
	var out []Finding
	for _, runner := range sorted(names) {
		out = append(out, Finding{
			Name: "other clones", State: Good, Found: fmt.Sprintf("%s works on %d plans", runner, counts[runner]),
			Mend: "where that clone is gone: tendril take KEY",
		})
	}
	return out
}
