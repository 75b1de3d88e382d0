package gate

import "tendril/plans"

// Ledger remembers which approvals started an execution, so that none does twice: not after a crash, not after the plans
// branch was rewound. Its files are never deleted.
type Ledger struct {
	// Dir holds one file per plan and approval.
	Dir string
}

// Claimed returns the run that the approval started, and whether it started one.
func (l Ledger) Claimed(key plans.Key, approval string) (run string, ok bool, err error) {
	return "", false, errTodo
}

// Claim writes down, durably, that the approval starts run. To claim it again for the same run is fine; for another one
// is a *ClaimedError.
func (l Ledger) Claim(key plans.Key, approval, run string) error { return errTodo }

// ClaimedError says that an approval already started another run.
type ClaimedError struct {
	Key           plans.Key
	Approval, Run string
}

// Error names the run.
func (e *ClaimedError) Error() string {
	return "the approval " + short(e.Approval) + " of " + string(e.Key) + " already started run " + e.Run +
		"\n  approve the plan again to run it again"
}
