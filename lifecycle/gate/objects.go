package gate

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"tendril/internal/git"
)

// maxPlan is the greatest size of a plan.md that is read, in bytes; a larger one cannot be a plan.
const maxPlan = 1 << 20

// object is what git says of a name: its id and size, or nothing.
type object struct {
	id   string
	size int64
}

// lookUp asks for many blobs by name ("commit:path", or an id) in one process. A name that is no blob here has an empty
// id.
func lookUp(ctx context.Context, repo *git.Repo, names []string) ([]object, error) {
	if len(names) == 0 {
		return nil, nil
	}
	call := plain("cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)")
	call.Stdin = lines(names)
	out, err := repo.Do(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("look up plans: %w", err)
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(names) {
		return nil, fmt.Errorf("git cat-file gave %d answers to %d questions", len(answers), len(names))
	}
	found := make([]object, len(names))
	for i, a := range answers {
		f := strings.Fields(a)
		if len(f) != 3 || f[0] != "blob" {
			continue
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			continue // "commit:a path missing" has three words too
		}
		found[i] = object{id: f[1], size: size}
	}
	return found, nil
}

// readChunk bounds how many blobs are read at once, and so the memory that takes.
const readChunk = 512

// readBlobs hands each blob to visit. The ids must exist.
func readBlobs(ctx context.Context, repo *git.Repo, ids []string, visit func(id string, data []byte)) error {
	for len(ids) > 0 {
		n := min(len(ids), readChunk)
		call := plain("cat-file", "--batch")
		call.Stdin = lines(ids[:n])
		out, err := repo.Do(ctx, call)
		if err != nil {
			return fmt.Errorf("read plans: %w", err)
		}
		if err := eachObject(out, visit); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// eachObject splits the answer of cat-file --batch.
func eachObject(out []byte, visit func(id string, data []byte)) error {
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		f := strings.Fields(string(head))
		if len(f) != 3 {
			return fmt.Errorf("git cat-file answered %.80q", head)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size < 0 || size+1 > len(rest) {
			return fmt.Errorf("git cat-file answered %.80q with %d bytes", head, len(rest))
		}
		visit(f[0], rest[:size])
		out = rest[size+1:]
	}
	return nil
}

// readFile reads one file of a commit. It returns false when there is none, or when it is larger than maxPlan.
func readFile(ctx context.Context, repo *git.Repo, commit, path string) (data []byte, ok bool, err error) {
	found, err := lookUp(ctx, repo, []string{commit + ":" + path})
	if err != nil || found[0].id == "" || found[0].size > maxPlan {
		return nil, false, err
	}
	err = readBlobs(ctx, repo, []string{found[0].id}, func(_ string, d []byte) { data, ok = d, true })
	return data, ok, err
}

func lines(names []string) []byte { return []byte(strings.Join(names, "\n") + "\n") }
