package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tendril/internal/config"
	"tendril/lifecycle/deliver"
	"tendril/plans"
)

// deliveredElsewhere is how work reached its base that somebody else squashed or rebased into it.
const deliveredElsewhere = "elsewhere"

// howDelivered is how this configuration brings work into its base, as the record says it.
func howDelivered(cfg *config.Config) string {
	if cfg.Deliver == config.DeliverMerge {
		return cfg.Merge
	}
	return cfg.Deliver
}

// buildDelivery makes the commit that brings the work into the base, by the configured way.
func (w *work) buildDelivery(ctx context.Context, base string) (deliver.Built, error) {
	id := identOf(w.snap.cfg)
	id.When = w.now
	title := strings.Join(strings.Fields(w.one.entry.Plan.Title), " ")
	trailers := fmt.Sprintf("Tendril-Plan: %s\nTendril-Accepted-By: %s\n", w.key(), w.rec.Accepted.By)
	delivers := deliver.Delivers(w.key(), w.rec.Accepted.Head)
	head := w.one.delivery.Head
	squash := func() (deliver.Built, error) {
		return deliver.BuildSquash(ctx, w.Repo, base, head, deliver.Words{
			Message: fmt.Sprintf("%s\n\n%s%s\n", title, trailers, delivers), Author: agentIdent(w.key(), w.now), Committer: id,
		})
	}
	switch w.snap.cfg.Merge {
	case config.MergeSquash:
		return squash()
	case config.MergeRebase:
		built, err := deliver.BuildRebase(ctx, w.Repo, base, head, id, trailers+delivers)
		if conflict := (*deliver.ConflictError)(nil); errors.Is(err, deliver.ErrNotLinear) || errors.As(err, &conflict) {
			// What a merge brought together is not in any one commit; the history stays a line all the same.
			w.say(EventProblem, "its commits one by one do not give what was accepted: it goes in as one commit")
			return squash()
		}
		return built, err
	default:
		message := fmt.Sprintf("Merge %s: %s\n\n%s", w.rec.Branch, title, trailers)
		return deliver.BuildMerge(ctx, w.Repo, base, head, deliver.Words{Message: message, Author: id, Committer: id})
	}
}

// deliveryCommit finds the commit of the base that brought an accepted head in, when the note of it was lost or somebody
// else did it, and how that was.
func (w *work) deliveryCommit(ctx context.Context) (commit, how string, err error) {
	tip, head := w.snap.heads[w.rec.Base.Ref], w.rec.Accepted.Head
	if commit, err = deliver.FindDelivered(ctx, w.Repo, w.key(), head, tip); err != nil || commit != "" {
		return commit, howDelivered(w.snap.cfg), err
	}
	in, err := deliver.InBase(ctx, w.Repo, head, tip)
	if err != nil {
		return "", "", err
	}
	if !in {
		if commit, err = deliver.FindContent(ctx, w.Repo, head, tip); err == nil && commit == "" {
			commit = tip
		}
		return commit, deliveredElsewhere, err
	}
	out, err := w.Repo.Run(ctx, "rev-list", "--first-parent", "--ancestry-path", head+".."+tip)
	if err != nil {
		return "", "", fmt.Errorf("find what delivered %s: %w", w.key(), err)
	}
	commits := strings.Fields(out)
	if len(commits) == 0 {
		return head, plans.DeliveryMerge, nil
	}
	return commits[len(commits)-1], plans.DeliveryMerge, nil
}
