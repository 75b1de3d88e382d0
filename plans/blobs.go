package plans

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

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

const (
	// batchBytes and batchFiles bound what is asked of git at once: enough that its start does not count, and so little
	// that parsing begins while the rest is read.
	batchBytes = 8 << 20
	batchFiles = 1000
)

// loadBlobs fills in the results of the jobs. Sizes are asked for first, so that nobody's fifty megabytes are read into memory;
// then one goroutine reads while the others parse.
func loadBlobs(ctx context.Context, repo *git.Repo, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	if err := askSizes(ctx, repo, jobs); err != nil {
		return fmt.Errorf("read plans: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	work := make(chan *job, batchFiles)
	group.Go(func() error {
		defer close(work)
		return feed(ctx, repo, jobs, work)
	})
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for j := range work {
				j.parse(repo.Format)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("read plans: %w", err)
	}
	return nil
}

// feed reads the blobs, some at a time, and passes each job on.
func feed(ctx context.Context, repo *git.Repo, jobs []*job, work chan<- *job) error {
	var batch []*job
	total := int64(0)
	flush := func() error {
		if err := readBatch(ctx, repo, batch); err != nil {
			return err
		}
		for _, j := range batch {
			// The readers end only with the channel, so this never waits for good.
			work <- j
		}
		batch, total = nil, 0
		return nil
	}
	for _, j := range jobs {
		if j.refuse() {
			continue
		}
		batch, total = append(batch, j), total+j.size
		if total > batchBytes || len(batch) >= batchFiles {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
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

var errAnswer = errors.New("git cat-file answered something else than was asked")

// askSizes asks git for the size of every job's blob; one that the repository has lost gets -1.
func askSizes(ctx context.Context, repo *git.Repo, jobs []*job) error {
	out, err := repo.Do(ctx, git.Call{Args: []string{"cat-file", "--buffer", "--batch-check=%(objecttype) %(objectsize)"}, Stdin: names(jobs)})
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(jobs) {
		return fmt.Errorf("%w: %d sizes of %d", errAnswer, len(lines), len(jobs))
	}
	for i, line := range lines {
		if strings.HasSuffix(line, " missing") {
			jobs[i].size = -1
			continue
		}
		kind, size, _ := strings.Cut(line, " ")
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || kind != "blob" {
			return fmt.Errorf("%w: %q", errAnswer, line)
		}
		jobs[i].size = n
	}
	return nil
}

// readBatch reads the jobs' blobs through one git process.
func readBatch(ctx context.Context, repo *git.Repo, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	out, err := repo.Do(ctx, git.Call{Args: []string{"cat-file", "--buffer", "--batch=%(objectsize)"}, Stdin: names(jobs)})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		head, rest, ok := bytes.Cut(out, []byte{'\n'})
		size, err := strconv.Atoi(string(head))
		if !ok || err != nil || size < 0 || len(rest) < size+1 || rest[size] != '\n' {
			return fmt.Errorf("%w: %q", errAnswer, clip(string(head)))
		}
		// Cut off from the rest, so that a kept plan does not keep its neighbours' bytes alive.
		j.data = bytes.Clone(rest[:size])
		out = rest[size+1:]
	}
	return nil
}

func names(jobs []*job) []byte {
	var b bytes.Buffer
	for _, j := range jobs {
		b.WriteString(j.blob)
		b.WriteByte('\n')
	}
	return b.Bytes()
}
