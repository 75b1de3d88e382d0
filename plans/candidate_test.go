package plans

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCandidates(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "---\ntitle: x\nstatus: draft\nagents: [claude:opus, claude:sonnet, codex, 'claude:opus', 'opencode:anthropic/opus-4.5', 'a:b-2', 'a:b', 'a:b', 'a:x..lock', 'a:ü']\n---\n")
	want := "claude-opus claude-sonnet codex claude-opus-2 opencode-anthropic-opus-4.5 a-b-2 a-b a-b-3 a-x-lock a"
	var ids []string
	for i, c := range p.Candidates() {
		ids = append(ids, c.ID)
		if c.Agent != p.Agents[i] {
			t.Errorf("candidate %d is %v", i, c)
		}
	}
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := mustParse(t, "---\ntitle: x\nstatus: draft\nagent: a\n---\n").Candidates(); got != nil {
		t.Errorf("a plan without a race has %v", got)
	}
}

// TestEveryCandidateCanBeChosen: an id is a name that choose takes, and no two are the same.
func TestEveryCandidateCanBeChosen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		model := rapid.StringOf(rapid.SampledFrom([]rune("ab./-_:lock@{}~^*ü ")))
		p := &Plan{}
		for range rapid.IntRange(1, 5).Draw(t, "n") {
			p.Agents = append(p.Agents, AgentRef{Name: rapid.SampledFrom([]string{"a", "a-2", "claude"}).Draw(t, "name"), Model: model.Draw(t, "model")})
		}
		seen := map[string]bool{}
		for _, c := range p.Candidates() {
			if !isName(c.ID) || seen[c.ID] || !isBranch("tendril/0001-x."+c.ID) {
				t.Fatalf("%q of %q", c.ID, c.Agent)
			}
			seen[c.ID] = true
		}
	})
}
