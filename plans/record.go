package plans

import "time"

// RecordVersion is the version of record.yaml that this build writes.
const RecordVersion = 1

// Record is record.yaml: what Tendril knows about a plan.
type Record struct {
	Version int `yaml:"version"`
	Key     Key `yaml:"key"`
	// Runner is the clone that claimed the plan.
	Runner string `yaml:"runner,omitempty"`
	// Clone is that clone's id, where several share one queue: two on one machine have one name.
	Clone string `yaml:"clone,omitempty"`
	// Branch is the plan's own branch, Base where it started, Head its tip as last seen.
	Branch     string            `yaml:"branch,omitempty"`
	Base       RecordBase        `yaml:"base,omitempty"`
	Head       string            `yaml:"head,omitempty"`
	Candidates []CandidateRecord `yaml:"candidates,omitempty"`
	// Delivering is set while an accepted plan is checked on a moved base.
	Delivering *Delivering `yaml:"delivering,omitempty"`
	// StateSince is when the present status began, Round the round it belongs to (from 1; 0 before the first).
	StateSince time.Time `yaml:"state_since,omitempty"`
	Round      int       `yaml:"round,omitempty"`
	Attempts   []Attempt `yaml:"attempts,omitempty"`
	Reason     Reason    `yaml:"reason,omitempty"`
	// Detail is one line for people beside the reason.
	Detail    string      `yaml:"detail,omitempty"`
	Approved  *Approval   `yaml:"approved,omitempty"`
	Accepted  *Acceptance `yaml:"accepted,omitempty"`
	Delivered *Delivery   `yaml:"delivered,omitempty"`
}

// RecordBase is the ref that the work starts from and the commit it stood at.
type RecordBase struct {
	Ref    string `yaml:"ref,omitempty"`
	Commit string `yaml:"commit,omitempty"`
}

// CandidateRecord is one candidate of a race.
type CandidateRecord struct {
	Candidate string `yaml:"candidate"`
	Branch    string `yaml:"branch,omitempty"`
	Head      string `yaml:"head,omitempty"`
	Result    string `yaml:"result,omitempty"`
}

// Delivering is the head and the base of a delivery under way.
type Delivering struct {
	Head string `yaml:"head"`
	Base string `yaml:"base"`
}

// Attempt is one agent run of a round.
type Attempt struct {
	Round     int       `yaml:"round"`
	Attempt   int       `yaml:"attempt"`
	Candidate string    `yaml:"candidate,omitempty"`
	Run       string    `yaml:"run"`
	Host      string    `yaml:"host,omitempty"`
	Agent     string    `yaml:"agent,omitempty"`
	Model     string    `yaml:"model,omitempty"`
	Session   string    `yaml:"session,omitempty"`
	Started   time.Time `yaml:"started,omitempty"`
	Seconds   float64   `yaml:"seconds,omitempty"`
	Outcome   string    `yaml:"outcome,omitempty"`
	Head      string    `yaml:"head,omitempty"`
	// Turn is empty for an attempt; a turn that is none says what it was: TurnSay or TurnAttach.
	Turn string `yaml:"turn,omitempty"`
}

// The turns beside the attempts: they spend none.
const (
	// TurnSay: a person's words to an agent that had ended.
	TurnSay = "say"
	// TurnAttach: a person sat at the agent's interactive program.
	TurnAttach = "attach"
)

// Approval is gate 1 as it was passed: who, when, by which commit, for which text id.
type Approval struct {
	By     string    `yaml:"by"`
	At     time.Time `yaml:"at"`
	Commit string    `yaml:"commit"`
	Text   string    `yaml:"text"`
}

// Acceptance is gate 2 as it was passed: who, when, by which commit, for which head.
type Acceptance struct {
	By     string    `yaml:"by"`
	At     time.Time `yaml:"at"`
	Commit string    `yaml:"commit"`
	Head   string    `yaml:"head"`
}

// DeliveryMerge is the How of work that a merge, or a fast-forward, brought into its base.
const DeliveryMerge = "merge"

// Delivery is how the work reached its base: merge, squash, rebase, pr, push, or elsewhere (somebody else squashed or rebased
// it), by which commit or pull request.
type Delivery struct {
	How    string `yaml:"how"`
	Commit string `yaml:"commit,omitempty"`
	PR     string `yaml:"pr,omitempty"`
}
