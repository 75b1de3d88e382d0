package gate

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"tendril/internal/git"
)

// commit is one commit as the log of some paths has it.
type commit struct {
	id        string
	parents   []string
	author    git.Ident
	committer git.Ident
	// changes are against the first parent, of the asked paths only.
	changes []change
}

// change is one path that a commit changed. An absent side has an empty blob.
type change struct {
	path     string
	old, new string
	// regular is true when the new side is an ordinary file.
	regular bool
}

// logFormat has one field per %x00; the mark in front tells a commit from the changes of the one before.
const logFormat = "--format=" + logMark + "%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce"

const (
	logMark   = "\x01"
	logFields = 7
	// logTimeout leaves room for the first look at a long history of very many plans: git unpacks the folder of plans once
	// per commit.
	logTimeout = 15 * time.Minute
)

// plain makes git deaf to what would change the history it walks: grafts, commit-graph files that anybody could have
// written, and settings of log and diff.
func plain(args ...string) git.Call {
	flags := []string{
		"-c", "core.commitGraph=false", "-c", "log.follow=false", "-c", "advice.graftFileDeprecated=false",
		"-c", "trailer.separators=:",
	}
	return git.Call{Args: append(flags, args...), Env: []string{"GIT_GRAFT_FILE=" + os.DevNull}}
}

// readLog walks first parents, newest first. The arguments are revisions, "--" and pathspecs; stdin holds more
// revisions where they say --stdin.
func readLog(ctx context.Context, repo *git.Repo, stdin []byte, args ...string) ([]commit, error) {
	call := plain(append([]string{
		"log", "--first-parent", "--diff-merges=first-parent", "--root", "--raw", "-z", "--no-renames", "--no-abbrev",
		"--no-show-signature", "--no-relative", "--ignore-submodules=none", "--encoding=UTF-8", "-O/dev/null", logFormat,
	}, args...)...)
	call.Stdin, call.Timeout = stdin, logTimeout
	out, err := repo.Do(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("read the history of the plans: %w", err)
	}
	return parseLog(string(out))
}

// parseLog reads the fields of readLog's format. Names cannot hold a NUL, so counting the fields is safe whatever they
// hold.
func parseLog(out string) ([]commit, error) {
	var all []commit
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); {
		field := strings.TrimPrefix(fields[i], "\n")
		switch {
		case field == "":
			i++
		case strings.HasPrefix(field, logMark) && i+logFields <= len(fields):
			all = append(all, parseCommit(fields[i:i+logFields]))
			i += logFields
		case strings.HasPrefix(field, ":") && i+1 < len(fields) && len(all) > 0:
			ch, err := parseChange(field, fields[i+1])
			if err != nil {
				return nil, err
			}
			last := &all[len(all)-1]
			last.changes = append(last.changes, ch)
			i += 2
		default:
			return nil, fmt.Errorf("git log answered %.60q where a commit was expected", fields[i])
		}
	}
	return all, nil
}

func parseCommit(f []string) commit {
	// A date that git cannot tell comes out empty; then it is the epoch, and nothing depends on it.
	seconds, _ := strconv.ParseInt(f[4], 10, 64)
	return commit{
		id: strings.TrimPrefix(strings.TrimPrefix(f[0], "\n"), logMark), parents: strings.Fields(f[1]),
		author:    git.Ident{Name: f[2], Email: f[3], When: time.Unix(seconds, 0).UTC()},
		committer: git.Ident{Name: f[5], Email: f[6]},
	}
}

// parseChange reads ":oldmode newmode old new letter".
func parseChange(raw, path string) (change, error) {
	f := strings.Fields(strings.TrimPrefix(raw, ":"))
	if len(f) != 5 {
		return change{}, fmt.Errorf("git log answered %.80q where a change was expected", raw)
	}
	return change{path: path, old: present(f[2]), new: present(f[3]), regular: strings.HasPrefix(f[1], "100")}, nil
}

// present is a blob's id, empty for the id of nothing.
func present(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// plansSpec is the pathspec of every plan.md under dir.
func plansSpec(dir string) string {
	dir = strings.Trim(dir, "/")
	if dir == "" || dir == "." {
		return ":(top,glob)[0-9]*/plan.md"
	}
	return ":(top,glob)" + strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir) + "/[0-9]*/plan.md"
}

// fileSpec is the pathspec of one file.
func fileSpec(path string) string { return ":(top,literal)" + path }
