package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"tendril/internal/git"
)

// Foresee merges pairs of commits in memory, all by one git, and returns for each the files in conflict, none where they
// merge by themselves. like is a commit whose .gitattributes govern the merges. Conflicts in plan folders and the board are
// left out: they are settled by themselves.
func Foresee(ctx context.Context, repo *git.Repo, like string, pairs [][2]string) (clashes [][]string, err error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "tendril-foresee-*")
	if err != nil {
		return nil, fmt.Errorf("prepare merges: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := layAttributes(ctx, repo, like, dir); err != nil {
		return nil, err
	}
	var in strings.Builder
	for _, p := range pairs {
		in.WriteString(p[0] + " " + p[1] + "\n")
	}
	call := plain("-C", dir, "merge-tree", "--write-tree", "--stdin", "-z", "--name-only", "--no-messages")
	call.Stdin = []byte(in.String())
	out, err := repo.Pinned(repo.CommonDir, dir).Do(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("foresee conflicts: %w", err)
	}
	clashes, err = parseMerges(string(out))
	if err == nil && len(clashes) != len(pairs) {
		err = fmt.Errorf("git answered %d merges of %d", len(clashes), len(pairs))
	}
	if err != nil {
		return nil, err
	}
	for i, names := range clashes {
		work := names[:0]
		for _, name := range names {
			kept, err := isBookkeeping(ctx, repo, name, pairs[i][0], pairs[i][1])
			if err != nil {
				return nil, err
			}
			if !kept {
				work = append(work, name)
			}
		}
		clashes[i] = work
	}
	return clashes, nil
}

// parseMerges reads what merge-tree --stdin -z says: for each merge whether it is clean (1), the tree, the files in
// conflict, and nothing.
func parseMerges(out string) ([][]string, error) {
	var all [][]string
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i++ {
		clean := fields[i]
		if clean != "0" && clean != "1" {
			return nil, fmt.Errorf("git merge-tree answered %.80q", clean)
		}
		var names []string
		for i += 2; i < len(fields) && fields[i] != ""; i++ {
			names = append(names, fields[i])
		}
		if clean == "0" && len(names) == 0 {
			names = []string{"(git names no file)"}
		}
		all = append(all, names)
	}
	return all, nil
}

// MergeOrder is an order for accepting n plans in which the most go in before one has to be mended: clash says which of them
// conflict. The first free of them conflict with none before them; equal ones stay as they are.
func MergeOrder(n int, clash func(a, b int) bool) (order []int, free int) {
	degree := func(i int, left []int) int {
		d := 0
		for _, j := range left {
			if i != j && clash(i, j) {
				d++
			}
		}
		return d
	}
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	var held []int
	for len(left) > 0 {
		best := left[0]
		for _, i := range left[1:] {
			if degree(i, left) < degree(best, left) {
				best = i
			}
		}
		order = append(order, best)
		var rest []int
		for _, i := range left {
			switch {
			case i == best:
			case clash(i, best):
				held = append(held, i)
			default:
				rest = append(rest, i)
			}
		}
		left = rest
	}
	return append(order, held...), len(order)
}
