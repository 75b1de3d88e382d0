package lifecycle

import (
	"context"
	"strings"

	"tendril/lifecycle/verify"
	"tendril/plans"
	"tendril/worktree"
)

// review hands the verified head to a person.
func (w *work) review(ctx context.Context) (func(*progress), error) {
	files, err := w.resultFiles(ctx)
	if err != nil {
		return nil, err
	}
	rec := w.rec
	if !strings.HasPrefix(rec.Detail, setBackWord) {
		rec.Detail = ""
	}
	rec.Head, rec.Reason, rec.Accepted, rec.Delivering = w.prior.head, "", nil, nil
	if w.prior.verdict == VerdictUnverified {
		rec.Detail = unverifiedWord + ": " + w.unvouched()
	}
	return func(pr *progress) {
		pr.record, pr.due = rec, true
		for name, data := range files {
			pr.put(name, data)
		}
		pr.step(plans.InReview, w.now)
	}, nil
}

// fail gives up, for the reason decided; what there is to see is written down.
func (w *work) fail(ctx context.Context) (func(*progress), error) {
	files, err := w.resultFiles(ctx)
	if err != nil {
		return nil, err
	}
	rec, reason := w.rec, w.one.action.Reason
	rec.Reason = reason
	if rec.Detail == "" || w.prior.verification != nil || reason == plans.Budget {
		rec.Detail = w.failWords(reason) + w.refusals(reason)
	}
	return func(pr *progress) {
		pr.record, pr.due = rec, true
		for name, data := range files {
			pr.put(name, data)
		}
		pr.step(plans.Failed, w.now)
		w.say(EventFailed, "failed (%s)%s", reason, prefixed(": ", rec.Detail))
	}, nil
}

// failWords says in one line, for people, what lies behind a reason.
func (w *work) failWords(reason plans.Reason) string {
	switch reason {
	case plans.Checks:
		if v := w.prior.verification; v != nil {
			return failedChecks(*v) + " failed" + w.lastWords()
		}
		return "the checks still failed"
	case plans.NoChanges:
		return "the agent ended well and changed nothing"
	case plans.Attempts:
		return "no run ended well"
	case plans.Budget:
		words := "its budget is spent"
		if b := w.one.facts.Budget; b != nil {
			words = b.spentWords() + " are spent"
		}
		if v := w.prior.verification; v != nil && w.prior.verdict == VerdictFailed {
			words += "; " + failedChecks(*v) + " failed"
		}
		return words
	case plans.Stopped:
		return "a person stopped it"
	default:
		return ""
	}
}

// lastWords says what the last attempt did about a failure that it was told of; empty where nothing is to be said.
func (w *work) lastWords() string {
	switch {
	case w.one.facts.Run.Idle:
		return "; the last attempt changed nothing"
	case verify.Repeated(w.prior.feedback):
		return ", the same way after each of the last attempts"
	}
	return ""
}

// resultFiles are the files that show a round's result: the diff against the base, and what the checks said.
func (w *work) resultFiles(ctx context.Context) (map[string][]byte, error) {
	files := map[string][]byte{}
	if v := w.prior.verification; v != nil {
		data, err := v.Marshal()
		if err != nil {
			return nil, err
		}
		files[plans.VerificationFile] = data
	}
	head := w.rec.Head
	if head == "" {
		head = w.snap.heads[w.rec.Branch]
	}
	if head == "" || w.rec.Base.Commit == "" {
		return files, nil
	}
	diff, err := worktree.Diff(ctx, w.Repo, w.rec.Base.Commit, head)
	if err != nil {
		return nil, err
	}
	if len(diff.Files) > 0 {
		files[plans.ChangesFile] = diff.Patch
	}
	return files, nil
}

// prefixed is s behind prefix, or nothing.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
