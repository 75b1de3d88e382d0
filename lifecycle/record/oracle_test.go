//go:build linux

package record_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tendril/internal/testkit"
)

// seen is all that the oracle knows of a repository: what git and the file system say. It imports nothing of Tendril's.
type seen struct {
	main string
	// line are the commits of main, newest first; refs are all others, with the stash; head is what is checked out.
	line []string
	refs string
	head string
	// files are the working tree's, index the entries of the index, by path.
	files, index map[string]string
	// dirty are the paths of git status, unmerged those in conflict.
	dirty    map[string]bool
	unmerged []string
	round    int
}

// ours tells what only Tendril writes.
func ours(path string) bool { return strings.HasPrefix(path, "plans/") && path != plan }

func (b *bench) ask(args ...string) string {
	b.t.Helper()
	out, err := testkit.TryGit(b.t, b.dir, nil, append([]string{"--no-optional-locks"}, args...)...)
	if err != nil {
		b.bad("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (b *bench) bad(format string, args ...any) {
	b.rt.Helper()
	b.rt.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(b.said, "\n"))
}

var roundLine = regexp.MustCompile(`round: (\d+)`)

// look takes everything in.
func (b *bench) look() seen {
	s := seen{files: map[string]string{}, index: map[string]string{}, dirty: map[string]bool{}}
	s.line = strings.Fields(b.ask("rev-list", "refs/heads/main"))
	s.main = s.line[0]
	for line := range strings.Lines(b.ask("for-each-ref", "--format=%(refname) %(objectname)")) {
		if !strings.HasPrefix(line, "refs/heads/main ") {
			s.refs += line
		}
	}
	s.refs += b.ask("stash", "list", "--format=%H")
	head, err := os.ReadFile(b.dir + "/.git/HEAD")
	if err != nil {
		b.bad("HEAD: %v", err)
	}
	s.head = string(head)
	for entry := range strings.SplitSeq(b.ask("ls-files", "-s", "-z"), "\x00") {
		if words, path, ok := strings.Cut(entry, "\t"); ok {
			s.index[path] += words
			if !strings.HasSuffix(words, " 0") {
				s.unmerged = append(s.unmerged, path)
			}
		}
	}
	for entry := range strings.SplitSeq(b.ask("status", "--porcelain", "-z", "-uall", "--no-renames"), "\x00") {
		if len(entry) > 3 {
			s.dirty[entry[3:]] = true
		}
	}
	if err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			s.files[strings.TrimPrefix(path, b.dir+"/")] = string(data)
			return err
		}
		return nil
	}); err != nil {
		b.bad("files: %v", err)
	}
	if m := roundLine.FindStringSubmatch(b.ask("cat-file", "blob", s.main+":"+record)); m != nil {
		if _, err := fmt.Sscan(m[1], &s.round); err != nil {
			b.bad("round: %v", err)
		}
	}
	return s
}

// judgePerson: nothing that they do takes back what Tendril wrote, but for going back themselves: an abort of a rebase is
// theirs, and main is not moved under one.
func (b *bench) judgePerson(before, after seen) {
	if after.round < before.round {
		b.bad("a person's git took round %d back to %d", before.round, after.round)
	}
	for _, id := range after.line {
		if slices.Contains(before.line, id) {
			break
		}
		if strings.Contains(b.ask("log", "-1", "--format=%an %P", id), "Tendril ") {
			continue // a rebase of theirs carried one of ours along
		}
		for path := range strings.FieldsSeq(b.ask("diff-tree", "--no-commit-id", "--name-only", "-r", id)) {
			if ours(path) {
				b.bad("the person's commit %s has %s in it", id, path)
			}
		}
	}
}

var statusLine = regexp.MustCompile(`(?m)^status: .*$`)

// withoutStatus is a plan's text without the one line that Tendril may change.
func withoutStatus(text string) string { return statusLine.ReplaceAllString(text, "status:") }

// judgeStep: what must hold after any step, the one that died too.
func (b *bench) judgeStep(before, after seen) {
	if before.refs != after.refs || before.head != after.head {
		b.bad("refs or HEAD changed:\n%s%s\n%s%s", before.refs, before.head, after.refs, after.head)
	}
	if !slices.Contains(after.line, before.main) {
		b.bad("main lost commits: it was at %s", before.main)
	}
	for _, id := range after.line[:max(0, len(after.line)-len(before.line))] {
		if got := b.ask("log", "-1", "--format=%an", id); got != "Tendril" {
			b.bad("%s is by %s", id, got)
		}
		for path := range strings.FieldsSeq(b.ask("diff-tree", "--no-commit-id", "--name-only", "-r", id)) {
			if !strings.HasPrefix(path, "plans/") {
				b.bad("our commit touches %s", path)
			}
		}
		was, is := b.ask("cat-file", "blob", id+"^:"+plan), b.ask("cat-file", "blob", id+":"+plan)
		if withoutStatus(was) != withoutStatus(is) {
			b.bad("our commit changes the plan:\n%s\n%s", was, is)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before.files)) {
		was, is := before.files[path], after.files[path]
		if path == plan {
			was, is = withoutStatus(was), withoutStatus(is)
		}
		if was != is && !ours(path) {
			b.bad("the person's %s changed:\n%q\n%q", path, was, is)
		}
	}
	for path := range after.files {
		if _, there := before.files[path]; !there && !ours(path) {
			b.bad("%s appeared", path)
		}
	}
	for _, path := range slices.Compact(append(slices.Sorted(maps.Keys(before.index)), slices.Sorted(maps.Keys(after.index))...)) {
		if !strings.HasPrefix(path, "plans/") && before.index[path] != after.index[path] {
			b.bad("the index entry of %s changed: %q, %q", path, before.index[path], after.index[path])
		}
	}
}

// judgeWhole: after a step that was made, the person's next commit would undo nothing of it: no path is dirty that was not.
func (b *bench) judgeWhole(before, after seen) {
	if after.round <= before.round {
		b.bad("the round is %d after the step, was %d", after.round, before.round)
	}
	if after.head != "ref: refs/heads/main\n" {
		return
	}
	for path := range after.dirty {
		if !before.dirty[path] {
			b.bad("%s is dirty after the step", path)
		}
	}
}

// judgeTidy: no lock, no journal, no missing object is left.
func (b *bench) judgeTidy() {
	for _, pattern := range []string{"*.lock", "refs/heads/*.lock", "tendril/step.json", "tendril-*"} {
		if left, err := filepath.Glob(b.dir + "/.git/" + pattern); err != nil || len(left) > 0 {
			b.bad("left: %v %v", left, err)
		}
	}
	b.ask("fsck", "--connectivity-only", "--no-dangling")
}
