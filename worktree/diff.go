package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"tendril/internal/git"
)

// FileStat is one file of a diff.
type FileStat struct {
	// Path is the file's name with slashes, Old its name before a rename.
	Path, Old string
	// Added and Deleted are lines; 0 for a binary file.
	Added, Deleted int
	Binary         bool
	// Status is git's letter: A, M, D, R or T.
	Status string
	// OldMode and NewMode are as in a tree ("100644"), "000000" where there is no file; OldBlob and NewBlob are full ids,
	// all zeros where there is none.
	OldMode, NewMode, OldBlob, NewBlob string
}

const (
	// PatchLimit is the greatest size of a DiffResult's Patch, in bytes, without the line that points to the rest.
	PatchLimit = 256 << 10
	// patchLines is how many changed lines are asked of git at most, whole files: more than fits anyway.
	patchLines = 100_000
	// patchFiles bounds how many files are named on a command line.
	patchFiles = 2000
)

// DiffResult is the difference of two commits.
type DiffResult struct {
	// Patch is the unified diff, cut at PatchLimit with a line that says how to see the rest (then Cut is true).
	Patch []byte
	Cut   bool
	// Files are complete whatever the patch's size, by path.
	Files []FileStat
	// From and To are what was compared: From is where To's history left the base.
	From, To string
}

// Lines returns the sum of added and of deleted lines.
func (d *DiffResult) Lines() (added, deleted int) {
	for _, f := range d.Files {
		added, deleted = added+f.Added, deleted+f.Deleted
	}
	return added, deleted
}

// Diff returns base...head: what head changed since its history left base's, with renames found. Neither the person's
// settings nor the repository's own diff programs change it.
func Diff(ctx context.Context, repo *git.Repo, base, head string) (*DiffResult, error) {
	from, err := MergeBase(ctx, repo, base, head)
	if err != nil {
		return nil, err
	}
	d, err := compare(ctx, repo, from, head)
	if err != nil || len(d.Files) == 0 {
		return d, err
	}
	return d, d.addPatch(ctx, repo, base+"..."+head)
}

// MergeBase returns the commit at which head's history left base's.
func MergeBase(ctx context.Context, repo *git.Repo, base, head string) (string, error) {
	from, err := repo.Run(ctx, "merge-base", "--", base, head)
	if code, failed := git.ExitCode(err); failed && code == 1 {
		return "", fmt.Errorf("%s and %s have no history in common", short(base), short(head))
	}
	return from, err
}

// Files returns which files differ between two trees or commits, without a patch.
func Files(ctx context.Context, repo *git.Repo, from, to string) ([]FileStat, error) {
	d, err := compare(ctx, repo, from, to)
	if err != nil {
		return nil, err
	}
	return d.Files, nil
}

func compare(ctx context.Context, repo *git.Repo, from, to string) (*DiffResult, error) {
	out, err := repo.Do(ctx, git.Call{Args: append(diffArgs(), "--raw", "--numstat", "-z", "--no-abbrev", "--end-of-options", from, to, "--")})
	if err != nil {
		return nil, err
	}
	files, err := parseStat(string(out))
	return &DiffResult{Files: files, From: from, To: to}, err
}

// diffArgs are what makes a diff the same for everyone.
func diffArgs() []string {
	return []string{
		"-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "diff.suppressBlankEmpty=false", "diff", "--no-color",
		"--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--find-renames", "-l1000", "-O/dev/null", "--no-relative",
		"--ignore-submodules=none", "--submodule=short", "--diff-algorithm=default",
	}
}

// parseStat reads `git diff --raw --numstat -z`: all raw records first, each beginning with a colon.
func parseStat(out string) ([]FileStat, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if out == "" {
		return nil, nil
	}
	next := func() string {
		if len(fields) == 0 {
			return ""
		}
		f := fields[0]
		fields = fields[1:]
		return f
	}
	var files []FileStat
	at := map[string]int{}
	for len(fields) > 0 && strings.HasPrefix(fields[0], ":") {
		head := strings.Fields(next()[1:])
		if len(head) != 5 {
			return nil, fmt.Errorf("git diff answered %q", head)
		}
		f := FileStat{OldMode: head[0], NewMode: head[1], OldBlob: head[2], NewBlob: head[3], Status: head[4][:1], Path: next()}
		if f.Status == "R" || f.Status == "C" {
			f.Old, f.Path = f.Path, next()
		}
		at[f.Path] = len(files)
		files = append(files, f)
	}
	for len(fields) > 0 {
		counts := strings.SplitN(next(), "\t", 3)
		if len(counts) != 3 {
			return nil, fmt.Errorf("git diff answered %q", counts)
		}
		path := counts[2]
		if path == "" {
			next() // the old name
			path = next()
		}
		i, ok := at[path]
		if !ok {
			return nil, fmt.Errorf("git diff counted %q, which it did not name", path)
		}
		if counts[0] == "-" {
			files[i].Binary = true
			continue
		}
		var err, err2 error
		files[i].Added, err = strconv.Atoi(counts[0])
		files[i].Deleted, err2 = strconv.Atoi(counts[1])
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("git diff answered %q: %w", counts, err)
		}
	}
	return files, nil
}

// addPatch fills in the patch. Git writes it to a file, so that a huge one costs no memory; files far beyond the limit are
// not asked for at all.
func (d *DiffResult) addPatch(ctx context.Context, repo *git.Repo, name string) error {
	tmp, err := os.CreateTemp("", "tendril-diff-*")
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	defer func() {
		_ = tmp.Close() // read only
		_ = os.Remove(tmp.Name())
	}()
	args := append([]string{"--literal-pathspecs"}, diffArgs()...)
	args = append(args, "--unified=3", "--inter-hunk-context=0", "--full-index", "--output="+tmp.Name(), "--end-of-options", d.From, d.To, "--")
	lines, asked := 0, 0
	var paths []string
	for _, f := range d.Files {
		if asked > 0 && (lines > patchLines || asked >= patchFiles) {
			break
		}
		lines, asked = lines+f.Added+f.Deleted, asked+1
		paths = append(paths, f.Path)
		if f.Old != "" {
			paths = append(paths, f.Old)
		}
	}
	if asked < len(d.Files) {
		args = append(args, paths...)
	}
	if _, err := repo.Do(ctx, git.Call{Args: args}); err != nil {
		return err
	}
	// Git replaced nothing: it writes into the file that is there.
	patch, err := io.ReadAll(io.LimitReader(tmp, PatchLimit+1))
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	d.Patch = patch
	if len(patch) > PatchLimit || asked < len(d.Files) {
		d.Patch, d.Cut = cutPatch(patch[:min(len(patch), PatchLimit)], len(patch) > PatchLimit), true
		d.Patch = fmt.Appendf(d.Patch, "# cut at %d KB (%d files changed); the whole diff: git diff %s\n", PatchLimit>>10, len(d.Files), name)
	}
	return nil
}

// cutPatch shortens a patch that ends somewhere to one that ends with a whole file, hunk, line or, lest too
// little is left, character.
func cutPatch(patch []byte, torn bool) []byte {
	if !torn {
		return patch
	}
	for _, mark := range []string{"\ndiff --git ", "\n@@ ", "\n"} {
		if i := bytes.LastIndex(patch, []byte(mark)); i > len(patch)/2 {
			return patch[:i+1]
		}
	}
	for len(patch) > 0 {
		if r, n := utf8.DecodeLastRune(patch); r != utf8.RuneError || n != 1 {
			break
		}
		patch = patch[:len(patch)-1]
	}
	return append(patch, '\n')
}

func short(id string) string { return id[:min(len(id), 12)] }
