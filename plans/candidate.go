package plans

import (
	"strconv"
	"strings"
)

// Candidate is one agent's part in a race.
type Candidate struct {
	// ID names its branch and its files: the agent's entry with what is not fit for a name as a hyphen ("claude-opus"), and
	// -2, -3 behind it where it repeats.
	ID    string
	Agent AgentRef
}

// Candidates returns the candidates of the plan's agents, in the order of the front matter, each with an id of its own; none
// for a plan that is no race.
func (p *Plan) Candidates() []Candidate {
	var out []Candidate
	taken := map[string]bool{}
	for _, a := range p.Agents {
		base := candidateID(a)
		id := base
		for n := 2; taken[id]; n++ {
			id = base + "-" + strconv.Itoa(n)
		}
		taken[id] = true
		out = append(out, Candidate{ID: id, Agent: a})
	}
	return out
}

// candidateID makes a word of an agent that a branch and a file name can hold.
func candidateID(a AgentRef) string {
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, a.String())
	// Room for a number behind it; longer names are told apart by that.
	id = id[:min(len(id), 90)]
	for strings.Contains(id, "..") {
		id = strings.ReplaceAll(id, "..", "-")
	}
	return strings.TrimRight(strings.ReplaceAll(id, ".lock", "-lock"), ".-")
}
