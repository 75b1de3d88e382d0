package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tendril/plans"
)

// StopPlans ends the work on plans: agents and checks are ended, the plans fail with the reason stopped. Where an engine
// runs it does so; else this call does. It returns when the plans branch says so, or when ctx ends.
func (p *Project) StopPlans(ctx context.Context, names []string, all bool, events func(Event)) ([]plans.Key, error) {
	keys, err := p.atWorkOf(ctx, names, all)
	if err != nil || len(keys) == 0 {
		return keys, err
	}
	if err := p.unheldAll(keys); err != nil {
		return nil, err
	}
	for _, key := range keys {
		if err := p.askToStop(key); err != nil {
			return nil, err
		}
	}
	for {
		still, err := p.stillAtWork(ctx, keys)
		if err != nil || len(still) == 0 {
			return keys, err
		}
		// Who sat down at one meanwhile would be waited for.
		if err := p.unheldAll(still); err != nil {
			for _, key := range still {
				err = errors.Join(err, p.stopAnswered(key))
			}
			return nil, err
		}
		err = p.stopOurselves(ctx, still, events)
		if locked := (*LockedError)(nil); err != nil && !errors.As(err, &locked) {
			return nil, err
		}
		timer := time.NewTimer(100 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-timer.C:
		}
	}
}

// unheldAll refuses plans of which somebody holds one.
func (p *Project) unheldAll(keys []plans.Key) error {
	for _, key := range keys {
		if holder, held := p.heldBy(key); held {
			return &HeldError{Key: key, Holder: holder}
		}
	}
	return nil
}

// stopOurselves runs an engine for these plans alone, when no other runs.
func (p *Project) stopOurselves(ctx context.Context, keys []plans.Key, events func(Event)) error {
	_, err := p.NewEngine(Options{Only: keys, Once: true, Events: events}).Run(ctx)
	return err
}

// atWorkOf finds the plans that are named, or all, among those at work.
func (p *Project) atWorkOf(ctx context.Context, names []string, all bool) ([]plans.Key, error) {
	cfg, history, err := p.atTip(ctx)
	if err != nil {
		return nil, err
	}
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	set, effective, err := p.readAt(ctx, cfg, history, tip)
	if err != nil {
		return nil, err
	}
	sync, err := p.lookSync(ctx)
	if err != nil {
		return nil, err
	}
	var keys []plans.Key
	if all {
		for _, e := range set.Entries {
			if atWork(effective[e.Key].Status) && sync.runnerOf(cfg, e) == "" {
				keys = append(keys, e.Key)
			}
		}
		return keys, nil
	}
	for _, name := range names {
		entry, err := set.Find(name)
		if err != nil {
			return nil, err
		}
		if s := effective[entry.Key].Status; !atWork(s) {
			return nil, fmt.Errorf("%s is %s: there is nothing to stop\n  tendril status shows what is at work", entry.Key, s)
		}
		if other := sync.runnerOf(cfg, entry); other != "" {
			return nil, fmt.Errorf("%s is at work in the clone of %s\n  stop it there, or take it back for all: tendril draft %s", entry.Key, other, entry.Key)
		}
		keys = append(keys, entry.Key)
	}
	return keys, nil
}

// stillAtWork are those of the plans that the branch shows at work.
func (p *Project) stillAtWork(ctx context.Context, keys []plans.Key) ([]plans.Key, error) {
	now, err := p.atWorkOf(ctx, nil, true)
	if err != nil {
		return nil, err
	}
	var still []plans.Key
	for _, k := range keys {
		for _, n := range now {
			if k == n {
				still = append(still, k)
			}
		}
	}
	return still, nil
}
