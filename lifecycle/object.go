package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/git"
)

// fileAt returns a file of a commit; nil where it has none of that name.
func (p *Project) fileAt(ctx context.Context, commit, path string) ([]byte, error) {
	out, err := p.Repo.Run(ctx, "ls-tree", "-z", "--full-tree", commit, "--", path)
	if err != nil {
		return nil, fmt.Errorf("read %s at %s: %w", path, short(commit), err)
	}
	head, _, _ := strings.Cut(out, "\t")
	fields := strings.Fields(head)
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, nil
	}
	data, err := p.Repo.Do(ctx, git.Call{Args: []string{"cat-file", "blob", fields[2]}})
	if err != nil {
		return nil, fmt.Errorf("read %s at %s: %w", path, short(commit), err)
	}
	return data, nil
}

// short is a commit's id as messages show it.
func short(id string) string { return id[:min(len(id), 10)] }
