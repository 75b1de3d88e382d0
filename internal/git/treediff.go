package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Side is one side of a change: mode and object. The zero value is "not there".
type Side struct {
	Mode uint32
	OID  string
}

// There reports whether there is anything.
func (s Side) There() bool { return s.Mode != 0 }

// TreeChange is one file that differs between two trees.
type TreeChange struct {
	Path     string
	Old, New Side
}

// TreeDiff lists the files that differ between two trees or commits, without looking for renames.
func (r *Repo) TreeDiff(ctx context.Context, from, to string) ([]TreeChange, error) {
	out, err := r.Do(ctx, Call{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--end-of-options", from, to}})
	if err != nil {
		return nil, err
	}
	var changes []TreeChange
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for len(fields) >= 2 {
		c, err := parseRawChange(fields[0], fields[1])
		if err != nil {
			return nil, err
		}
		changes, fields = append(changes, c), fields[2:]
	}
	return changes, nil
}

// parseRawChange reads ":OLDMODE NEWMODE OLDID NEWID STATUS" and the path.
func parseRawChange(head, path string) (TreeChange, error) {
	words := strings.Fields(strings.TrimPrefix(head, ":"))
	if len(words) != 5 {
		return TreeChange{}, fmt.Errorf("git diff-tree answered %q", head)
	}
	side := func(mode, oid string) (Side, error) {
		bits, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || bits == 0 {
			return Side{}, err
		}
		return Side{Mode: uint32(bits), OID: oid}, nil
	}
	c := TreeChange{Path: path}
	var err error
	if c.Old, err = side(words[0], words[2]); err == nil {
		c.New, err = side(words[1], words[3])
	}
	if err != nil {
		return TreeChange{}, fmt.Errorf("git diff-tree answered %q: %w", head, err)
	}
	return c, nil
}
