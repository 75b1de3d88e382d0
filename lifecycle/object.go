package lifecycle

import (
	"context"
	"fmt"
)

// fileAt returns a file of a commit; nil where it has none of that name.
func (p *Project) fileAt(ctx context.Context, commit, path string) ([]byte, error) {
	data, err := p.Repo.File(ctx, commit, path)
	if err != nil {
		return nil, fmt.Errorf("read %s at %s: %w", path, short(commit), err)
	}
	return data, nil
}

// short is a commit's id as messages show it.
func short(id string) string { return id[:min(len(id), 10)] }
