package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tendril/lifecycle/deliver"
	"tendril/plans"
)

// nextCase is a row of the table.
type nextCase struct {
	name  string
	facts Facts
	want  Action
}

func TestNext(t *testing.T) {
	t.Parallel()
	alive := RunFact{ID: "r", Alive: true}
	ended := RunFact{ID: "r"}
	taken := RunFact{ID: "r", Collected: true}
	wait := &Wait{For: "a free place"}
	tests := []nextCase{
		{"draft rests", Facts{Status: plans.Draft}, Action{Kind: Rest}},
		{"a plan in error is refused whatever its state", Facts{Status: plans.Approved, Problem: "bad yaml"}, Action{Kind: Refuse, Why: "bad yaml"}},
		{"approved without its gate is refused", Facts{Status: plans.Approved, Refusal: "by an agent"}, Action{Kind: Refuse, Why: "by an agent"}},
		{"a refusal counts before a wait", Facts{Status: plans.Approved, Refusal: "by an agent", Wait: wait}, Action{Kind: Refuse, Why: "by an agent"}},
		{"approved waits", Facts{Status: plans.Approved, Wait: wait}, Action{Kind: Hold, Why: "a free place"}},
		{"approved is claimed", Facts{Status: plans.Approved}, Action{Kind: Claim}},
		{"a request for changes begins a round", Facts{Status: plans.ChangesRequested}, Action{Kind: Claim}},
		{"executing without a run starts one", Facts{Status: plans.Executing, Max: 3}, Action{Kind: Start}},
		{"a live run is watched", Facts{Status: plans.Executing, Run: alive, Max: 3}, Action{Kind: Watch}},
		{"a live run of a round that the branch forgot is stopped", Facts{Status: plans.Executing, Run: RunFact{ID: "r", Alive: true, Stray: true}, Max: 3}, Action{Kind: Halt, Why: "the plans branch was set back, and its round is not there any more"}},
		{"and so before its gate is looked at", Facts{Status: plans.Approved, Refusal: "claimed", Run: RunFact{ID: "r", Alive: true, Stray: true}, Max: 3}, Action{Kind: Halt, Why: "the plans branch was set back, and its round is not there any more"}},
		{"a live run is stopped when asked", Facts{Status: plans.Executing, Run: alive, Max: 3, StopAsked: true}, Action{Kind: Halt, Reason: plans.Stopped, Why: "stopped by a person"}},
		{"an ended run is collected first", Facts{Status: plans.Executing, Run: ended, Max: 3, StopAsked: true}, Action{Kind: Collect}},
		{"a stopped plan fails once its run is collected", Facts{Status: plans.Executing, Run: taken, Max: 3, StopAsked: true}, Action{Kind: Fail, Reason: plans.Stopped}},
		{"what another attempt would not help fails", Facts{Status: plans.Executing, Run: RunFact{ID: "r", Collected: true, Fatal: plans.Time}, Spent: 1, Max: 3}, Action{Kind: Fail, Reason: plans.Time}},
		{"an attempt that is left is used", Facts{Status: plans.Executing, Run: taken, Spent: 1, Max: 3}, Action{Kind: Start}},
		{"no attempt left, none ended well", Facts{Status: plans.Executing, Run: taken, Spent: 3, Max: 3}, Action{Kind: Fail, Reason: plans.Attempts}},
		{"no attempt left, the checks failed", Facts{Status: plans.Executing, Run: taken, Spent: 3, Max: 3, Verdict: VerdictFailed}, Action{Kind: Fail, Reason: plans.Checks}},
		{"executing is parked by a limit", Facts{Status: plans.Executing, Run: taken, Max: 3, Wait: wait}, Action{Kind: Hold, Why: "a free place"}},
		{"verifying verifies", Facts{Status: plans.Verifying, Max: 3}, Action{Kind: Verify}},
		{"passed goes to review", Facts{Status: plans.Verifying, Verdict: VerdictPassed, Spent: 1, Max: 3}, Action{Kind: Review}},
		{"unverified goes to review", Facts{Status: plans.Verifying, Verdict: VerdictUnverified, Spent: 1, Max: 3}, Action{Kind: Review}},
		{"failed checks go back to the agent", Facts{Status: plans.Verifying, Verdict: VerdictFailed, Spent: 1, Max: 3}, Action{Kind: Retry}},
		{"failed checks without an attempt left", Facts{Status: plans.Verifying, Verdict: VerdictFailed, Spent: 3, Max: 3}, Action{Kind: Fail, Reason: plans.Checks}},
		{"an attempt that changed nothing ends the round", Facts{Status: plans.Verifying, Verdict: VerdictFailed, Run: RunFact{ID: "r", Collected: true, Idle: true}, Spent: 2, Max: 3}, Action{Kind: Fail, Reason: plans.Checks}},
		{"nothing changed", Facts{Status: plans.Verifying, Verdict: VerdictNoChanges, Spent: 1, Max: 3}, Action{Kind: Fail, Reason: plans.NoChanges}},
		{"verifying is stopped", Facts{Status: plans.Verifying, StopAsked: true, Max: 3}, Action{Kind: Fail, Reason: plans.Stopped}},
		{"in review waits for a person", Facts{Status: plans.InReview}, Action{Kind: Rest}},
		{"in review, mended by hand", Facts{Status: plans.InReview, BranchMoved: true}, Action{Kind: Reverify}},
		{"failed rests", Facts{Status: plans.Failed}, Action{Kind: Rest}},
		{"failed, mended by hand", Facts{Status: plans.Failed, BranchMoved: true}, Action{Kind: Reverify}},
		{"accepted without its gate is refused", Facts{Status: plans.Accepted, Refusal: "by tendril", Delivery: deliver.Merge}, Action{Kind: Refuse, Why: "by tendril"}},
		{"accepted waits for its turn", Facts{Status: plans.Accepted, Wait: wait, Delivery: deliver.Merge}, Action{Kind: Hold, Why: "a free place"}},
		{"accepted is delivered", Facts{Status: plans.Accepted, Delivery: deliver.Merge}, Action{Kind: Deliver}},
		{"accepted, nothing due", Facts{Status: plans.Accepted}, Action{Kind: Rest}},
		{"merged clears its worktree away", Facts{Status: plans.Merged, Workspace: true}, Action{Kind: Retire}},
		{"merged keeps what is not committed", Facts{Status: plans.Merged, Workspace: true, Kept: "a.txt"}, Action{Kind: Rest}},
		{"merged is the end", Facts{Status: plans.Merged}, Action{Kind: Rest}},
		{"rejected stops its agent", Facts{Status: plans.Rejected, Run: alive, Workspace: true}, Action{Kind: Halt, Why: "the plan is rejected"}},
		{"rejected writes down what its run cost", Facts{Status: plans.Rejected, Run: ended, Workspace: true}, Action{Kind: Collect}},
		{"rejected clears its worktree away", Facts{Status: plans.Rejected, Run: taken, Workspace: true}, Action{Kind: Retire}},
		{"taken back to draft stops its agent", Facts{Status: plans.Draft, Run: alive, Workspace: true}, Action{Kind: Halt, Why: "the plan is draft"}},
		{"taken back to draft keeps its worktree", Facts{Status: plans.Draft, Run: taken, Workspace: true}, Action{Kind: Rest}},
	}
	tests = append(tests, nextTalk()...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Next(tt.facts)); diff != "" {
				t.Errorf("Next (-want +got):\n%s", diff)
			}
		})
	}
}

// leadsTo is the state that an action takes a plan to, where it does by itself.
var leadsTo = map[Kind]plans.Status{
	Claim: plans.Executing, Retry: plans.Executing, Reverify: plans.Verifying, Review: plans.InReview, Check: plans.Verifying, Fail: plans.Failed,
}

func genFacts(t *rapid.T) Facts {
	f := Facts{
		Status:  rapid.SampledFrom(plans.Statuses()).Draw(t, "status"),
		Verdict: rapid.SampledFrom([]Verdict{VerdictNone, VerdictPassed, VerdictUnverified, VerdictFailed, VerdictNoChanges}).Draw(t, "verdict"),
		Spent:   rapid.IntRange(0, 4).Draw(t, "spent"), Max: rapid.IntRange(1, 3).Draw(t, "max"),
		BranchMoved: rapid.Bool().Draw(t, "moved"), StopAsked: rapid.Bool().Draw(t, "stop"), Workspace: rapid.Bool().Draw(t, "workspace"),
		Delivery: rapid.SampledFrom([]deliver.Step{deliver.Nothing, deliver.Merge, deliver.Verify, deliver.Mend, deliver.Done}).Draw(t, "delivery"),
		Refusal:  rapid.SampledFrom([]string{"", "refused"}).Draw(t, "refusal"),
	}
	if rapid.Bool().Draw(t, "has run") {
		f.Run = RunFact{ID: "r", Alive: rapid.Bool().Draw(t, "alive")}
		f.Run.Collected = !f.Run.Alive && rapid.Bool().Draw(t, "collected")
		f.Run.Fatal = rapid.SampledFrom([]plans.Reason{"", plans.Time}).Draw(t, "fatal")
	}
	if rapid.Bool().Draw(t, "waits") {
		f.Wait = &Wait{For: "something"}
	}
	return f
}

func TestNextStaysInTheMatrix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		a := Next(f)
		if to, ok := leadsTo[a.Kind]; ok && !plans.CanMove(plans.Tendril, f.Status, to) {
			t.Fatalf("%s leads from %s to %s, which the matrix does not have (%+v)", a.Kind, f.Status, to, f)
		}
	})
}

func TestNextNeverStartsWithoutAGateOrBesideALiveRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		a := Next(f)
		if a.Kind == Start && (f.Run.Alive || f.Status != plans.Executing || f.Spent >= f.Max) {
			t.Fatalf("starts a run on %+v", f)
		}
		if (a.Kind == Claim || a.Kind == Deliver) && (f.Refusal != "" || f.Wait != nil) {
			t.Fatalf("%s although refused or waiting: %+v", a.Kind, f)
		}
		if a.Kind == Deliver && f.Status != plans.Accepted {
			t.Fatalf("delivers a plan that is %s", f.Status)
		}
		if f.Run.Alive && a.Kind != Watch && a.Kind != Halt {
			t.Fatalf("%s while a run is alive: %+v", a.Kind, f)
		}
	})
}

func TestAFailGivesItsReason(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		if a := Next(genFacts(t)); a.Kind == Fail && a.Reason == "" {
			t.Fatalf("fails without a reason: %+v", a)
		}
	})
}
