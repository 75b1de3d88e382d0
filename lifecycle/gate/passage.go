package gate

import (
	"context"
	"fmt"
	"time"

	"tendril/internal/git"
	"tendril/plans"
)

// Passage is a gate that was passed: by whom, when, in which commit, and for what.
type Passage struct {
	// Commit is the gate commit, AuthorName and AuthorEmail its author as the commit has them, At the author's date (UTC).
	Commit, AuthorName, AuthorEmail string
	At                              time.Time
	// Text is the text id of the plan in that commit.
	Text string
	// Head is the commit that was accepted; empty at gate 1.
	Head string
}

// By is the author as people write it.
func (p Passage) By() string { return git.Ident{Name: p.AuthorName, Email: p.AuthorEmail}.String() }

// door is one of the two gates in words.
type door struct {
	status plans.Status
	// done is what the person did, again how to do it again, where KEY stands for the plan's.
	done, again string
}

var (
	gateOne = door{plans.Approved, "approved", "look at the text as it is now and approve it again: tendril draft KEY, then tendril approve KEY"}
	gateTwo = door{plans.Accepted, "accepted", "look at the work as it is now and accept it again: tendril withdraw KEY, then tendril accept KEY"}
)

// Approval finds the commit that approved the plan p, which was read at tip (a full commit id) of the plans branch, and
// judges it. A gate that does not count is a *Refusal; any other error is git's.
func Approval(ctx context.Context, repo *git.Repo, tip string, p *plans.Plan, rules Rules) (Passage, error) {
	pass, _, err := pass(ctx, repo, tip, p, rules, gateOne)
	return pass, err
}

// Acceptance finds the commit that accepted the plan p, which was read at tip (a full commit id) of the plans branch, and
// judges it. The head is the one in the commit's trailer Tendril-Accepts, else in the record.yaml of that commit; it must
// be the head in the record.yaml of tip, else the error is a *Moved. A gate that does not count is a *Refusal.
func Acceptance(ctx context.Context, repo *git.Repo, tip string, p *plans.Plan, rules Rules) (Passage, error) {
	pass, leaf, err := pass(ctx, repo, tip, p, rules, gateTwo)
	if err != nil {
		return Passage{}, err
	}
	if pass.Head, err = acceptedHead(ctx, repo, leaf, p); err != nil {
		return Passage{}, err
	}
	current, err := recordedHead(ctx, repo, tip, p)
	if err != nil {
		return Passage{}, err
	}
	if current != pass.Head {
		return Passage{}, &Moved{Commit: leaf.id, Accepted: pass.Head, Current: current}
	}
	return pass, nil
}

// pass does what both gates have in common.
func pass(ctx context.Context, repo *git.Repo, tip string, p *plans.Plan, rules Rules, d door) (Passage, commit, error) {
	if !isID(tip, repo.Format) {
		return Passage{}, commit{}, fmt.Errorf("%q is not a full commit id", tip)
	}
	t, err := findTrail(ctx, repo, tip, p.Path)
	if err != nil {
		return Passage{}, commit{}, err
	}
	if len(t) == 0 {
		return Passage{}, commit{}, &Refusal{Why: "no commit of the plans branch holds " + p.Path}
	}
	leaf := t.leaf()
	text, err := judge(ctx, repo, t, p, rules, d)
	if err != nil {
		return Passage{}, leaf, err
	}
	if rules.Signed {
		if err := checkSignature(ctx, repo, leaf, d); err != nil {
			return Passage{}, leaf, err
		}
	}
	return Passage{
		Commit: leaf.id, AuthorName: leaf.author.Name, AuthorEmail: leaf.author.Email, At: leaf.author.When, Text: text,
	}, leaf, nil
}

// judge applies the rules that need no signature, and returns the text id that the gate commit has.
func judge(ctx context.Context, repo *git.Repo, t trail, p *plans.Plan, rules Rules, d door) (string, error) {
	leaf := t.leaf()
	cut, err := readShallow(repo)
	if err != nil {
		return "", err
	}
	for _, c := range t {
		if cut[c.id] {
			return "", cutOff(c.id)
		}
	}
	if r := refuseParty(t, rules, d); r != nil {
		return "", r
	}
	if !rules.mayApprove(leaf.author.Email) {
		return "", notApprover(leaf, rules, d)
	}
	if len(leaf.parents) > 1 {
		from, err := mergeOrigin(ctx, repo, leaf, p.Path)
		if err != nil {
			return "", err
		}
		if from == untold && len(cut) > 0 {
			return "", cutOff(leaf.id)
		}
		if from == byItself {
			return "", &Refusal{
				Commit: leaf.id, Hint: hint(d.again, p),
				Why: "git merged two versions of the plan by itself, and nobody " + d.done + " the result",
			}
		}
	}
	return checkContent(ctx, repo, leaf, p, d)
}

// checkContent compares what the gate commit has with the plan that is about to be acted on.
func checkContent(ctx context.Context, repo *git.Repo, leaf commit, p *plans.Plan, d door) (string, error) {
	status, text := p.Status, p.TextID
	if leaf.changes[0].new != p.Blob {
		data, ok, err := readFile(ctx, repo, leaf.id, p.Path)
		if err != nil {
			return "", err
		}
		if !ok {
			return "", &Refusal{Commit: leaf.id, Why: p.Path + " is no readable plan there"}
		}
		if status, err = plans.StatusOf(data); err != nil {
			return "", &Refusal{Commit: leaf.id, Why: p.Path + " is no readable plan there: " + firstLine(err)}
		}
		if text, err = plans.TextID(data, repo.Format); err != nil {
			return "", &Refusal{Commit: leaf.id, Why: p.Path + " is no readable plan there: " + firstLine(err)}
		}
	}
	if status != d.status {
		return "", &Refusal{
			Commit: leaf.id, Why: fmt.Sprintf("the newest commit of %s says %s, not %s", p.Path, status, d.status), Hint: hint(d.again, p),
		}
	}
	if d.status == plans.Approved && text != p.TextID {
		return "", &Refusal{
			Commit: leaf.id, Hint: fmt.Sprintf("see git diff %s %s; %s", short(leaf.changes[0].new), short(p.Blob), hint(d.again, p)),
			Why: "the text that was approved is not the text that would run",
		}
	}
	return text, nil
}

// isID tells whether s is a full object id of the repository's format.
func isID(s, format string) bool {
	want := 40
	if format == "sha256" {
		want = 64
	}
	if len(s) != want {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
