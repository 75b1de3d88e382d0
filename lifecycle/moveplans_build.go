package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/plans"
)

// moveTrailer marks both commits of a move.
const moveTrailer = "Tendril-Plans: "

// plainMode is an ordinary file's, as git lists it.
const plainMode = "100644"

// treeFile is a file of a tree, as git lists it.
type treeFile struct{ mode, id, path string }

// buildMove makes the commits of a move. No ref names them yet.
//
// To an own branch: its first commit is a child of the default branch's tip, with nothing in it but what is Tendril's, so that
// the history of every plan, and with it each gate, goes on along first parents. The default branch gets a commit that takes
// the plans out and says where they are. That one has the other for its second parent: whoever merges the own branch by mistake
// brings no deletion of the code with it.
//
// Back: one merge of both lines on the default branch, with the own branch's files. Gates are found through it as through any
// merge, in the parent that has the identical plan.md.
func (p *Project) buildMove(ctx context.Context, actor Actor, m *planMove) error {
	there, err := p.listTree(ctx, m.Plans)
	if err != nil {
		return err
	}
	files, err := p.tendrilsFiles(ctx, *m, there)
	if err != nil {
		return err
	}
	ready, err := p.configFor(ctx, m, files)
	if err != nil {
		return err
	}
	subject := fmt.Sprintf("Move the plans from %s to %s\n\n%s%s\n", branchName(m.Source), branchName(m.Target), moveTrailer, branchName(m.Target))
	if m.Layout == LayoutDefault {
		if err := p.refuseTaken(ctx, *m, ready); err != nil {
			return err
		}
		m.Code, err = p.treeCommit(ctx, actor, m.Base, ready, subject, m.Base, m.Plans)
		return err
	}
	if m.Plans, err = p.treeCommit(ctx, actor, "", ready, subject, m.Base); err != nil {
		return err
	}
	gone := make([]treeFile, 0, len(files)+1)
	for _, f := range files {
		if f.path != config.File {
			gone = append(gone, treeFile{"0", git.ZeroID(p.Repo.Format), f.path})
		}
	}
	pointer, err := p.blob(ctx, pointerText(branchName(m.Target)))
	if err != nil {
		return err
	}
	m.Code, err = p.treeCommit(ctx, actor, m.Base, append(gone, treeFile{plainMode, pointer, config.File}), subject, m.Base, m.Plans)
	return err
}

// pointerText is the configuration that is left on a default branch without plans.
func pointerText(branch string) []byte {
	return []byte("# The plans, and how Tendril works here, are on another branch.\nbranch: " + yamlWord(branch) + "\n")
}

// tendrilsFiles are those files of a tree that go where the plans go. On a branch of their own that is all beside and below
// the plans, since nothing else has a place there.
func (p *Project) tendrilsFiles(ctx context.Context, m planMove, all []treeFile) ([]treeFile, error) {
	has := map[string]bool{}
	for _, f := range all {
		has[f.path] = true
	}
	board, err := p.fileAt(ctx, m.Plans, path.Join(m.Dir, plans.BoardFile))
	if err != nil {
		return nil, err
	}
	var out []treeFile
	for _, f := range all {
		inside, below := strings.CutPrefix(f.path, m.Dir+"/")
		folder, _, deep := strings.Cut(inside, "/")
		_, err := plans.ParseKey(folder)
		switch {
		case strings.HasPrefix(f.path, config.Dir+"/"):
		case !below:
			continue
		case m.Layout == LayoutDefault:
		case deep && err == nil && has[path.Join(m.Dir, folder, plans.PlanFile)]:
		case inside == ".gitattributes", inside == ".ignore":
		case inside == plans.BoardFile && bytes.Contains(board, []byte(plans.BoardBegin)):
		default:
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// configFor is the list of files with the configuration's key branch as the new place needs it.
func (p *Project) configFor(ctx context.Context, m *planMove, files []treeFile) ([]treeFile, error) {
	src, err := p.fileAt(ctx, m.Plans, config.File)
	if err != nil {
		return nil, err
	}
	text, err := withBranch(src, branchName(m.Target), m.Layout == LayoutDefault)
	if err != nil {
		return nil, err
	}
	id, err := p.blob(ctx, text)
	if err != nil {
		return nil, err
	}
	out := make([]treeFile, 0, len(files)+1)
	mode := plainMode
	for _, f := range files {
		if f.path == config.File {
			mode = f.mode
			continue
		}
		out = append(out, f)
	}
	if len(text) == 0 {
		return out, nil
	}
	return append(out, treeFile{mode, id, config.File}), nil
}

var branchLine = regexp.MustCompile(`(?m)^branch[ \t]*:[^\r\n]*`)

// withBranch is a configuration whose key branch names the branch: the line that is there is replaced, and where it must be
// there one is added.
func withBranch(src []byte, branch string, must bool) ([]byte, error) {
	line := []byte("branch: " + yamlWord(branch))
	out := src
	switch {
	case branchLine.Match(src):
		out = branchLine.ReplaceAllLiteral(src, line)
	case must:
		out = bytes.Clone(src)
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		out = append(append(out, line...), '\n')
	}
	if len(out) == 0 {
		return nil, nil
	}
	cfg, err := config.Parse(config.File, out)
	if err == nil && must && cfg.Branch != branch {
		err = errors.New("it holds more than plain keys")
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot get the line %q: %w\n  write and commit it yourself first", config.File, line, err)
	}
	return out, nil
}

// refuseTaken refuses to write over what the default branch has at the same place.
func (p *Project) refuseTaken(ctx context.Context, m planMove, files []treeFile) error {
	all, err := p.listTree(ctx, m.Base)
	if err != nil {
		return err
	}
	there := map[string]string{}
	for _, f := range all {
		there[f.path] = f.id
	}
	var taken []string
	for _, f := range files {
		if id, ok := there[f.path]; ok && id != f.id && f.path != config.File {
			taken = append(taken, f.path)
		}
	}
	old, err := p.fileAt(ctx, m.Base, config.File)
	if err != nil {
		return err
	}
	if old != nil && !bytes.Equal(old, pointerText(branchName(m.Source))) {
		taken = append(taken, config.File)
	}
	if len(taken) > 0 {
		return fmt.Errorf("%s has other files where the plans would go: %s\n  move them away there first", branchName(m.Default), strings.Join(taken, ", "))
	}
	return nil
}

// listTree lists all files of a commit.
func (p *Project) listTree(ctx context.Context, commit string) ([]treeFile, error) {
	out, err := p.Repo.Run(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of %.10s: %w", commit, err)
	}
	var all []treeFile
	for line := range strings.SplitSeq(out, "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		if f := strings.Fields(head); ok && len(f) == 3 {
			all = append(all, treeFile{f[0], f[2], name})
		}
	}
	return all, nil
}

// blob stores a file's content.
func (p *Project) blob(ctx context.Context, data []byte) (string, error) {
	out, err := p.Repo.Do(ctx, git.Call{Args: []string{"hash-object", "-w", "--stdin", "--no-filters"}, Stdin: data})
	return strings.TrimSpace(string(out)), err
}

// treeCommit makes a commit: the tree of base (empty: nothing) with files put in, or taken out where their mode is 0.
func (p *Project) treeCommit(ctx context.Context, actor Actor, base string, files []treeFile, message string, parents ...string) (id string, err error) {
	dir, err := os.MkdirTemp("", "tendril-move-*")
	if err != nil {
		return "", fmt.Errorf("prepare a commit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	read := []string{"read-tree", "--empty"}
	if base != "" {
		read = []string{"read-tree", base}
	}
	var lines bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&lines, "%s %s\t%s\x00", f.mode, f.id, f.path)
	}
	for _, call := range []git.Call{
		{Args: read, Env: env}, {Args: []string{"update-index", "-z", "--index-info"}, Env: env, Stdin: lines.Bytes()},
	} {
		if _, err := p.Repo.Do(ctx, call); err != nil {
			return "", err
		}
	}
	tree, err := p.Repo.Do(ctx, git.Call{Args: []string{"write-tree"}, Env: env})
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", strings.TrimSpace(string(tree)), "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	if actor.Sign {
		args = append(args, "-S")
	}
	who := actor.ident()
	out, err := p.Repo.Do(ctx, git.Call{Args: args, Stdin: []byte(message), Env: append(who.AuthorEnv(), who.CommitterEnv()...)})
	return strings.TrimSpace(string(out)), err
}
