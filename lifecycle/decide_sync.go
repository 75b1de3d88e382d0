package lifecycle

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/lifecycle/gate"
	"tendril/plans"
)

// gatherElsewhere is what matters of a plan that another clone has: whether something of it still works here.
func (d *decider) gatherElsewhere(one *decided, status plans.Status) {
	f := &one.facts
	f.Written, f.Status, f.Max = status, status, d.maxAttempts(one.entry.Plan)
	pr := &progress{base: status}
	d.gatherRuns(f, one.entry, pr)
	f.Wait = nil
}

// spentElsewhere counts the attempts of a round that other clones made, as the record has them: who takes a plan over does
// not begin to count anew.
func spentElsewhere(rec *plans.Record, here []runInfo) int {
	if rec == nil {
		return 0
	}
	n := 0
	for _, a := range rec.Attempts {
		known := a.Round != rec.Round || a.Turn != "" || a.Outcome == "lost"
		for _, r := range here {
			known = known || r.spec.Run == a.Run
		}
		if !known {
			n++
		}
	}
	return n
}

// take says what an approved plan waits for where the clones share their work: with take: mine, for a clone of the person
// who approved it.
func (d *decider) take(ctx context.Context, one *decided, passage gate.Passage) error {
	if d.snap.remote == nil || d.snap.cfg.Take == config.TakeAll || one.facts.Wait != nil {
		return nil
	}
	me, err := d.p.roots.get("me", func() (string, error) {
		actor, err := d.p.GitActor(ctx)
		return actor.ident().String(), err
	})
	if err != nil {
		one.facts.Wait = &Wait{For: "you to say who you are: " + oneLine(err.Error())}
		return nil
	}
	mine, err := d.p.people.same(ctx, d.p.Repo, d.snap.tip, me, passage.By())
	if err != nil {
		return fmt.Errorf("%s: whose approval it is: %w", one.entry.Key, err)
	}
	if !mine {
		one.facts.Wait = &Wait{For: fmt.Sprintf("a clone of %s, who approved it (take: all lets others start it)", passage.AuthorName)}
	}
	return nil
}

// people tells whether two identities ("Name <address>") are one person, by the mailmap of a commit. It remembers the
// answers for one commit.
type people struct {
	mu      sync.Mutex
	tip     string
	answers map[string]string
}

func (p *people) same(ctx context.Context, repo *git.Repo, tip, a, b string) (bool, error) {
	if addressOf(a) == addressOf(b) {
		return true, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tip != tip {
		p.tip, p.answers = tip, map[string]string{}
	}
	one, err := p.canonical(ctx, repo, a)
	if err != nil {
		return false, err
	}
	other, err := p.canonical(ctx, repo, b)
	return one == other, err
}

// canonical is the address under which the mailmap knows a person. A clone's own mailmap.file counts besides the tip's.
func (p *people) canonical(ctx context.Context, repo *git.Repo, who string) (string, error) {
	if known, ok := p.answers[who]; ok {
		return known, nil
	}
	// Seen from the common directory there is no working tree, whose own .mailmap may be anything.
	out, err := repo.Pinned(repo.CommonDir, repo.CommonDir).Do(ctx, git.Call{
		Args: []string{"-c", "mailmap.blob=" + p.tip + ":.mailmap", "check-mailmap", "--stdin"}, Stdin: []byte(who + "\n"),
	})
	if err != nil {
		return "", err
	}
	p.answers[who] = addressOf(string(bytes.TrimSpace(out)))
	return p.answers[who], nil
}

// addressOf is the address of "Name <address>", in lower case.
func addressOf(who string) string {
	return strings.ToLower(strings.TrimSpace(strings.TrimSuffix(who[strings.LastIndexByte(who, '<')+1:], ">")))
}
