package plans

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"tendril/internal/git"
)

// job is one file that is not parsed yet.
type job struct {
	cacheKey
	key    Key
	isPlan bool
	size   int64
	data   []byte
	result *cached
}

// loadBlobs fills in the results of the jobs. Sizes are asked for first, so that nobody's fifty megabytes are read into memory;
// then one goroutine reads while the others parse.
func loadBlobs(ctx context.Context, repo *git.Repo, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	batch, err := repo.Batch(ctx)
	if err != nil {
		return fmt.Errorf("read plans: %w", err)
	}
	err = readAndParse(ctx, batch, jobs, repo.Format)
	if err = errors.Join(err, batch.Close()); err != nil {
		return fmt.Errorf("read plans: %w", err)
	}
	return nil
}

// waiting is how many files may be read and not parsed yet.
const waiting = 256

func readAndParse(ctx context.Context, batch *git.Batch, jobs []*job, format string) error {
	if err := askSizes(batch, jobs); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	work := make(chan *job, waiting)
	group.Go(func() error {
		defer close(work)
		return feed(ctx, batch, jobs, work)
	})
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for j := range work {
				j.parse(format)
			}
			return nil
		})
	}
	return group.Wait()
}

// feed reads the blobs and passes each job on.
func feed(ctx context.Context, batch *git.Batch, jobs []*job, work chan<- *job) error {
	jobs = slices.DeleteFunc(slices.Clone(jobs), (*job).refuse)
	return batch.Each(names(jobs), func(i int, o git.Object) error {
		if o.ID == "" {
			return fmt.Errorf("%s: %w", jobs[i].blob, git.ErrNoObject)
		}
		jobs[i].data = o.Data
		select {
		case work <- jobs[i]:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// refuse settles what is not to be read at all.
func (j *job) refuse() bool {
	switch {
	case j.size < 0:
		j.result = &cached{err: &SyntaxError{
			Path: j.path, Msg: "the repository lacks its object " + j.blob, Hint: "git fsck tells more; fetch it from another clone",
		}}
	case j.size > MaxPlanSize:
		j.result = &cached{err: tooBig(j.size).at(j.path)}
	}
	return j.result != nil
}

func (j *job) parse(format string) {
	c := &cached{}
	if j.isPlan {
		c.plan, c.err = Parse(j.key, j.path, j.data, format)
	} else {
		c.record, c.err = ParseRecord(j.path, j.data)
	}
	j.result = c
}

// askSizes asks git for the size of every job's blob; one that the repository has lost gets -1.
func askSizes(batch *git.Batch, jobs []*job) error {
	infos, err := batch.Infos(names(jobs))
	if err != nil {
		return err
	}
	for i, info := range infos {
		jobs[i].size = info.Size
		if info.ID == "" {
			jobs[i].size = -1
		}
	}
	return nil
}

func names(jobs []*job) []string {
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.blob
	}
	return ids
}
