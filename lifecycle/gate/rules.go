package gate

import (
	"strings"

	"tendril/internal/git"
)

// AgentSuffix is how the addresses of agents end: KEY@agent.tendril.localhost.
const AgentSuffix = "@agent.tendril.localhost"

// Rules are what the configuration says about gates.
type Rules struct {
	// Approvers may pass gates, as "me@example.com" or "Me <me@example.com>"; none: every person may.
	Approvers []string
	// Signed asks that the gate commit carries the approver's own signature.
	Signed bool
	// Tendril is the identity that the engine commits with.
	Tendril git.Ident
	// AgentSuffix is how agents' addresses end; empty is the package's AgentSuffix.
	AgentSuffix string
	// PlansDir is the folder of the plans, relative to the repository, with slashes.
	PlansDir string
}

// isTendril tells whether an address is the engine's own.
func (r Rules) isTendril(email string) bool {
	return r.Tendril.Email != "" && fold(email) == fold(r.Tendril.Email)
}

// isAgent tells whether an address is an agent's.
func (r Rules) isAgent(email string) bool {
	suffix := r.AgentSuffix
	if suffix == "" {
		suffix = AgentSuffix
	}
	return strings.HasSuffix(strings.TrimRight(fold(email), "."), fold(suffix))
}

// mayApprove tells whether an address is among the approvers, where there are any.
func (r Rules) mayApprove(email string) bool {
	if len(r.Approvers) == 0 {
		return true
	}
	for _, a := range r.Approvers {
		if address(a) == fold(email) && address(a) != "" {
			return true
		}
	}
	return false
}

// address is the address of "me@example.com" or "Me <me@example.com>", folded for comparison.
func address(s string) string {
	if open := strings.LastIndexByte(s, '<'); open >= 0 {
		s = strings.TrimSuffix(strings.TrimSpace(s[open+1:]), ">")
	}
	return fold(s)
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
