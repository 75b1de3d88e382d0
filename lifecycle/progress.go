package lifecycle

import (
	"time"

	"tendril/plans"
)

// progress is what the engine did for a plan and has not written to the plans branch yet. It can be lost at any moment:
// after a crash the same steps follow from the status on the branch and the runs that are there.
type progress struct {
	// base is the status on the branch that the steps follow.
	base plans.Status
	// steps are the states passed since.
	steps []plans.Status
	// since is when the first of the steps was taken.
	since time.Time
	// due is true when the branch must hold this before the plan goes on.
	due bool
	// record is the record as it will be written; nil: as it is on the branch.
	record *plans.Record
	// files are written into the plan's folder; a nil value deletes.
	files map[string][]byte

	// run is the run that was collected last, fatal why no other attempt would help.
	run   string
	fatal plans.Reason
	// verdict is what verification said of head, feedback what the agent is told of it.
	verdict      Verdict
	head         string
	feedback     []byte
	verification *plans.Verification
	// tries counts errors in a row of the same action; not before retryAt is it tried again.
	tries   int
	retryAt time.Time
	trouble string
	// stuck is true where it is not tried again in this run of the engine.
	stuck bool
	// said is the last thing told to the person about this plan, so that it is told once.
	said string
	// kept says why the worktree of the ended plan stays.
	kept string
}

// writeAfter is how long a passing state may stay unwritten (design section 4).
const writeAfter = 30 * time.Second

// status is where the plan stands, unwritten steps included.
func (p *progress) status() plans.Status {
	if n := len(p.steps); n > 0 {
		return p.steps[n-1]
	}
	return p.base
}

// step takes the plan to the next state.
func (p *progress) step(to plans.Status, now time.Time) {
	if len(p.steps) == 0 {
		p.since = now
	}
	p.steps = append(p.steps, to)
	if p.record != nil {
		p.record.StateSince = now
	}
}

// unwritten says whether the branch lacks something of this plan.
func (p *progress) unwritten() bool { return len(p.steps) > 0 || p.due }

// ripe says whether it is time to write.
func (p *progress) ripe(now time.Time) bool {
	return p.due || (len(p.steps) > 0 && now.Sub(p.since) >= writeAfter)
}

// written marks everything as being on the branch.
func (p *progress) written() {
	p.base, p.steps, p.due, p.files, p.record = p.status(), nil, false, nil, nil
}

// put adds a file to what is written into the plan's folder.
func (p *progress) put(name string, data []byte) {
	if p.files == nil {
		p.files = map[string][]byte{}
	}
	p.files[name] = data
}
