package lifecycle

import (
	"time"

	"tendril/plans"
)

// Scene is what a person who watches an engine sees: everything under way, what waits for what, what waits for them. It is a
// value: nothing in it changes after it was handed out.
type Scene struct {
	// At is when it was seen.
	At time.Time
	// Notes concern no single plan: why nothing new starts.
	Notes []string
	// Working are the plans under way, Waiting those that would start and wait for something, Asking those that wait for a
	// person; each in the order in which plans are admitted.
	Working []Working
	Waiting []Waiting
	Asking  []Asking
	// Drafts are plans that nobody has approved yet.
	Drafts int
	// Shared are the numbers that more than one plan carries: those are named by their key alone.
	Shared []int
}

// Step is what is done for a plan.
type Step string

// The steps.
const (
	StepSetup   Step = "setup"
	StepAgent   Step = "agent"
	StepTaking  Step = "collecting"
	StepChecks  Step = "checks"
	StepDeliver Step = "delivering"
	StepEnding  Step = "ending"
	// StepParked: an agent's limit, or a person who holds it, has to pass; Working.Detail says which.
	StepParked Step = "parked"
	// StepTrouble: something did not work and is tried again; Working.Detail says what.
	StepTrouble Step = "trouble"
)

// Working is one plan under way.
type Working struct {
	Key   plans.Key
	Title string
	Step  Step
	// Since is when the step began.
	Since time.Time
	// Detail says more of the step: the check that runs, what is waited for, what did not work.
	Detail string
	// Check counts the checks that were begun, of Checks; 0 of 0 before the first.
	Check, Checks int
	// Attempt counts from 1, of Max.
	Attempt, Max int
	// Agent is the agent, with its model where one is named: "claude:opus".
	Agent string
	// Said is the last thing that the agent said or did, in one line; empty before the first.
	Said  string
	Spent Spent
	// Budget is what is left for the plan; nil where it has no budget.
	Budget *Purse
}

// Spent is what the runs of a plan in this clone used until now. Nil is unknown, never zero.
type Spent struct {
	Tokens *int64
	USD    *float64
	// MoreTokens and MoreUSD are true where a run did not tell (yet): the figure is then the least it can be.
	MoreTokens, MoreUSD bool
	// Free is true where every run was by an agent without a model.
	Free bool
}

// Waiting is one plan that would start, and what for it waits.
type Waiting struct {
	Key   plans.Key
	Title string
	For   string
}

// Asking is one plan that waits for a person.
type Asking struct {
	Key    plans.Key
	Title  string
	Status plans.Status
	// Why says in a few words what is wanted or wrong: "in review", "failed: checks".
	Why string
	// Commands are what a person can type, the likely one first. They name the plan by its number where that is its own.
	Commands []string
}

// Name is how a plan is named on a screen: its number, or its key where another plan carries that number too.
func (s Scene) Name(key plans.Key) string { return nameOf(key, s.Shared) }
