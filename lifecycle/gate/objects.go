package gate

import (
	"context"
	"errors"
	"fmt"

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
	batch, err := repo.Batch(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up plans: %w", err)
	}
	infos, err := batch.Infos(names)
	if err = errors.Join(err, batch.Close()); err != nil {
		return nil, fmt.Errorf("look up plans: %w", err)
	}
	found := make([]object, len(names))
	for i, info := range infos {
		if info.Type == "blob" {
			found[i] = object{id: info.ID, size: info.Size}
		}
	}
	return found, nil
}

// readBlobs hands each blob to visit. The ids must exist.
func readBlobs(ctx context.Context, repo *git.Repo, ids []string, visit func(id string, data []byte)) error {
	batch, err := repo.Batch(ctx)
	if err != nil {
		return fmt.Errorf("read plans: %w", err)
	}
	err = batch.Each(ids, func(i int, o git.Object) error {
		if o.ID == "" {
			return fmt.Errorf("%s: %w", ids[i], git.ErrNoObject)
		}
		visit(o.ID, o.Data)
		return nil
	})
	if err = errors.Join(err, batch.Close()); err != nil {
		return fmt.Errorf("read plans: %w", err)
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
