package promptware

import (
	"text/template"
	"time"
)

// ExecutePlan is the unit that carries out a plan.
const ExecutePlan = "ExecutePlan"

// Unit is one unit of promptware, ready to render.
type Unit struct {
	// Name is the unit's folder ("ExecutePlan").
	Name string
	// Version is the front matter's version of the unit's format.
	Version int
	// Profile is the profile that the unit asks for where the plan names none; empty is the agent's default.
	Profile string
	// Tools are the names of the scripts in Tools/ that go on the agent's PATH.
	Tools []string
	// Limits bound the unit's runs.
	Limits Limits
	// Program is the body: a strict template over PromptInput's view.
	Program *template.Template
	// Override is true when the plans branch's own text was used.
	Override bool
}

// Limits bound the runs of a unit; zero is the configuration's.
type Limits struct {
	TimeLimit time.Duration
	Stall     time.Duration
}
