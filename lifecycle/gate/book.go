package gate

import (
	"context"

	"tendril/internal/git"
	"tendril/plans"
)

// book knows the status in each version of the plans.
type book struct {
	// statuses are by blob id; an unreadable version has an empty status.
	statuses map[string]plans.Status
	// blobs are by commit and path; only what was asked for.
	blobs map[question]string
}

// newBook returns a book that knows nothing.
func newBook() *book {
	return &book{statuses: map[string]plans.Status{}, blobs: map[question]string{}}
}

// status is the status in a version, and whether there is a readable one.
func (b *book) status(blob string) (plans.Status, bool) {
	s := b.statuses[blob]
	return s, s != ""
}

// after is the status that a change leaves, and whether there is a readable one.
func (b *book) after(ch change) (plans.Status, bool) {
	if !ch.regular {
		return "", false
	}
	return b.status(ch.new)
}

// read reads the versions that the commits made or replaced, as far as they are not known.
func (b *book) read(ctx context.Context, repo *git.Repo, commits []commit) error {
	var ids []string
	for _, c := range commits {
		for _, ch := range c.changes {
			ids = append(ids, ch.old)
			if ch.regular {
				ids = append(ids, ch.new)
			}
		}
	}
	return b.readBlobs(ctx, repo, ids)
}

// ask finds out which version each parent has.
func (b *book) ask(ctx context.Context, repo *git.Repo, all []question) error {
	names := make([]string, len(all))
	for i, q := range all {
		names[i] = q.parent + ":" + q.path
	}
	found, err := lookUp(ctx, repo, names)
	if err != nil {
		return err
	}
	ids := make([]string, len(all))
	for i, o := range found {
		b.blobs[all[i]], ids[i] = o.id, o.id
	}
	return b.readBlobs(ctx, repo, ids)
}

func (b *book) readBlobs(ctx context.Context, repo *git.Repo, ids []string) error {
	var fresh []string
	for _, id := range ids {
		if _, known := b.statuses[id]; id != "" && !known {
			b.statuses[id] = ""
			fresh = append(fresh, id)
		}
	}
	found, err := lookUp(ctx, repo, fresh)
	if err != nil {
		return b.forget(fresh, err)
	}
	var small []string
	for _, o := range found {
		if o.id != "" && o.size <= maxPlan {
			small = append(small, o.id)
		}
	}
	err = readBlobs(ctx, repo, small, func(id string, data []byte) {
		if s, err := plans.StatusOf(data); err == nil {
			b.statuses[id] = s
		}
	})
	if err != nil {
		return b.forget(fresh, err)
	}
	return nil
}

// forget makes the next call read again what an error kept from being read.
func (b *book) forget(ids []string, err error) error {
	for _, id := range ids {
		delete(b.statuses, id)
	}
	return err
}
