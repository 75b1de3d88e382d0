package lifecycle

import (
	"context"
	"errors"
	"strings"
	"time"

	"tendril/plans"
)

// Keys finds plans by key or number.
func (p *Project) Keys(ctx context.Context, names []string) ([]plans.Key, error) {
	if len(names) == 0 {
		return nil, nil
	}
	cfg, _, err := p.atTip(ctx)
	if err != nil {
		return nil, err
	}
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	set, err := p.reader.Read(ctx, tip, cfg.Plans)
	if err != nil {
		return nil, err
	}
	var keys []plans.Key
	for _, name := range names {
		entry, err := set.Find(name)
		if err != nil {
			return nil, err
		}
		keys = append(keys, entry.Key)
	}
	return keys, nil
}

// LiveRuns are the ids of the runs whose agents are at work now.
func (p *Project) LiveRuns() ([]string, error) {
	ids, err := p.runs().Unfinished()
	if err != nil {
		return nil, err
	}
	var alive []string
	for _, id := range ids {
		state, err := p.runs().State(id)
		if err != nil {
			return nil, err
		}
		spec, err := p.runs().Spec(id)
		if err != nil {
			return nil, err
		}
		// A person at the agent's program is no agent at work.
		if (state.Alive || state.Orphaned) && !spec.Attached() {
			alive = append(alive, id)
		}
	}
	return alive, nil
}

// endPatience is how long all agents together may take to end: each has its grace, is killed then, and what it used is
// written down.
const endPatience = time.Minute

// EndRuns ends every agent at work; their plans stay executing and are resumed by the next engine. It says how many there
// were. Those that do not end in a minute are an error.
func (p *Project) EndRuns(ctx context.Context) (int, error) {
	return p.endRuns(ctx, endPatience)
}

// endRuns is EndRuns with that much time.
func (p *Project) endRuns(ctx context.Context, patience time.Duration) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errStillEnding)
	defer cancel()
	alive, err := p.LiveRuns()
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, id := range alive {
		errs = append(errs, p.runs().Stop(ctx, id, stopEngine))
	}
	for _, id := range alive {
		_, err := p.runs().Wait(ctx, id)
		errs = append(errs, err)
	}
	if cause := context.Cause(ctx); errors.Is(cause, errStillEnding) && errors.Join(errs...) != nil {
		return len(alive), cause
	}
	return len(alive), errors.Join(errs...)
}

var errStillEnding = errors.New("not all agents have ended, though they were told to\n  tendril status shows who is at work")

// ConfiguredPager is core.pager of the person's git configuration, which may be empty; false where it is not set.
func (p *Project) ConfiguredPager(ctx context.Context) (string, bool) {
	out, err := p.Repo.Run(ctx, "config", "-z", "--get-all", "core.pager")
	if err != nil {
		return "", false
	}
	// The last value is our own, which keeps git itself from paging.
	values := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(values) < 2 {
		return "", false
	}
	return values[len(values)-2], true
}

// ConfiguredEditor is core.editor of the person's git configuration, or empty.
func (p *Project) ConfiguredEditor(ctx context.Context) string {
	editor, err := p.Repo.Run(ctx, "config", "core.editor")
	if err != nil {
		return ""
	}
	return editor
}
