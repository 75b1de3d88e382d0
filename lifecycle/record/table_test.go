package record

import (
	"fmt"
	"testing"
)

// every is all that the table can be asked.
func every(visit func(seen)) {
	for _, sides := range [][2]bool{{true, true}, {false, true}, {true, false}} {
		for _, plan := range []bool{false, true} {
			for index := indexAbsent; index <= indexUnmerged; index++ {
				for work := workAbsent; work <= workBlocked; work++ {
					for _, skip := range []bool{false, true} {
						visit(seen{had: sides[0], has: sides[1], plan: plan, index: index, work: work, skip: skip})
					}
				}
			}
		}
	}
}

// TestTableLosesNothing: whatever is there, a person's content is replaced neither in the index nor in the working tree;
// in a plan.md a splice keeps all but the status.
func TestTableLosesNothing(t *testing.T) {
	t.Parallel()
	every(func(s seen) {
		v := decide(s)
		name := fmt.Sprintf("%+v → %+v", s, v)
		if s.index == indexOther && v.index == take {
			t.Errorf("%s: what a person staged is replaced", name)
		}
		if v.work == take && s.work != workOld && (s.work != workAbsent || s.had) {
			t.Errorf("%s: a person's file is replaced, or brought back", name)
		}
		if (v.index == splice || v.work == splice) && !(s.plan && s.had && s.has) {
			t.Errorf("%s: spliced, and no plan.md that changes", name)
		}
		if v.work == splice && s.work != workOther && s.work != workOld {
			t.Errorf("%s: spliced where no file is", name)
		}
		if s.skip && (s.work != workOld || !s.had) && v.work != keep {
			t.Errorf("%s: a path that is left out of the checkout is written", name)
		}
		if s.had && s.has && s.index == indexAbsent && v.index != keep {
			t.Errorf("%s: an entry that a person removed comes back", name)
		}
	})
}

// TestTableLeavesNoRevert: an index entry that is still the old side's, or missing for a new path, never stays so: the
// next commit of the person would undo the step.
func TestTableLeavesNoRevert(t *testing.T) {
	t.Parallel()
	every(func(s seen) {
		stale := s.had && s.index == indexOld || !s.had && (s.index == indexAbsent || s.index == indexIntent)
		if stale && decide(s).index != take {
			t.Errorf("%+v: the index keeps what reverts the step", s)
		}
	})
}

// TestTableTwice: a step made again over its own result does nothing.
func TestTableTwice(t *testing.T) {
	t.Parallel()
	every(func(s seen) {
		first := decide(s)
		if first.index == splice || first.work == splice || s.index == indexUnmerged {
			return
		}
		after := s
		if first.index == take {
			after.index = indexNew
			if !s.has {
				after.index = indexAbsent
			}
		}
		if first.work == take {
			after.work = workNew
			if !s.has {
				after.work = workAbsent
			}
		}
		if again := decide(after); again.index != keep || again.work != keep {
			t.Errorf("%+v: %+v, and again %+v", s, first, again)
		}
	})
}

// TestBarred: strict moves pass over what is exactly as the old side has it, and nothing else.
func TestBarred(t *testing.T) {
	t.Parallel()
	every(func(s seen) {
		clean := s.had && s.index == indexOld && (s.work == workOld || s.skip && s.work == workAbsent) ||
			!s.had && s.index == indexAbsent && s.work == workAbsent
		if got := barred(s, false); got == clean {
			t.Errorf("%+v: barred = %v", s, got)
		}
	})
}

// TestLookAgainOnlyMendsTheIndex: the look after a step never writes a file, and leaves what a person put back.
func TestLookAgainOnlyMendsTheIndex(t *testing.T) {
	t.Parallel()
	every(func(s seen) {
		v := decideAgain(s)
		if v.work != keep || v.index == splice {
			t.Errorf("%+v: %+v", s, v)
		}
		if v.index == take && (s.index == indexOther || s.index == indexUnmerged || s.had && s.has && s.work == workOld) {
			t.Errorf("%+v: a person's entry is replaced", s)
		}
	})
}
