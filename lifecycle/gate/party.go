package gate

import (
	"fmt"
	"strings"

	"tendril/plans"
)

// refuseParty refuses what Tendril or an agent had a hand in: the author of any commit of the trail, the committer of the
// leaf. The committers of merges are not looked at: a forge commits them for the person who pressed the button.
func refuseParty(t trail, rules Rules, d door) *Refusal {
	leaf := t.leaf()
	for _, c := range t {
		who := c.author.String()
		switch {
		case rules.isAgent(c.author.Email):
			return &Refusal{
				Commit: c.id, Why: fmt.Sprintf("%s is an agent, and agents pass no gate", who),
				Hint: fmt.Sprintf("a person has to set the status to %s in a commit of their own", d.status),
			}
		case rules.isTendril(c.author.Email) && c.id == leaf.id && !rules.isTendril(c.committer.Email):
			return &Refusal{
				Commit: c.id, Why: fmt.Sprintf("this is a commit of Tendril's that %s amended: its author is still %s", c.committer.Name, who),
				Hint: fmt.Sprintf("set the status to %s in a new commit of your own; git commit --amend after Tendril changes Tendril's commit", d.status),
			}
		case rules.isTendril(c.author.Email):
			return &Refusal{
				Commit: c.id, Why: fmt.Sprintf("%s is Tendril itself, and Tendril passes no gate", who),
				Hint: fmt.Sprintf("a person has to set the status to %s in a commit of their own; if this address is yours, give "+
					"Tendril another one (identity in .tendril/config.yaml)", d.status),
			}
		}
	}
	if rules.isAgent(leaf.committer.Email) || rules.isTendril(leaf.committer.Email) {
		return &Refusal{
			Commit: leaf.id, Why: fmt.Sprintf("%s committed this in the name of %s", leaf.committer.String(), leaf.author.String()),
			Hint: fmt.Sprintf("a person has to set the status to %s in a commit of their own", d.status),
		}
	}
	return nil
}

// notApprover refuses an author who is not among the approvers.
func notApprover(leaf commit, rules Rules, d door) *Refusal {
	return &Refusal{
		Commit: leaf.id, Why: fmt.Sprintf("%s is not among the approvers", leaf.author.String()),
		Hint: fmt.Sprintf("one of them has to set the status to %s in a commit of their own: %s", d.status, strings.Join(rules.Approvers, ", ")),
	}
}

// cutOff refuses a commit at which a shallow clone ends: it looks like the author of everything before it.
func cutOff(id string) *Refusal {
	return &Refusal{
		Commit: id, Why: "the history of this clone is cut off here, so that nobody can tell who set the status",
		Hint: "git fetch --unshallow",
	}
}

// hint puts the plan's key into a hint.
func hint(words string, p *plans.Plan) string { return strings.ReplaceAll(words, "KEY", string(p.Key)) }

// firstLine is an error's first line, for a refusal that has its own hint.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
