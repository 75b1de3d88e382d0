package deliver

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/git"
)

// Built is a commit made from objects; no ref names it yet.
type Built struct{ Commit, Tree string }

// Words are the message and the identities of a commit to build. A zero time is now.
type Words struct {
	Message           string
	Author, Committer git.Ident
}

// BuildMerge makes the merge of head into the base: parents are baseTip and head, also where head only follows the base.
// Where they do not merge by themselves it is a *ConflictError.
func BuildMerge(ctx context.Context, repo *git.Repo, baseTip, head string, w Words) (Built, error) {
	return buildOf(ctx, repo, baseTip, head, baseTip, []string{baseTip, head}, w)
}

// BuildIntegration makes the merge of the base into the plan's branch: its first parent is branchHead (the accepted head,
// or an earlier integration of it), its second baseTip. Where they do not merge by themselves it is a *ConflictError.
func BuildIntegration(ctx context.Context, repo *git.Repo, branchHead, baseTip string, w Words) (Built, error) {
	return buildOf(ctx, repo, branchHead, baseTip, baseTip, []string{branchHead, baseTip}, w)
}

// BuildSquash makes one commit on the base of all that head has and the base has not. Where they do not merge by
// themselves it is a *ConflictError.
func BuildSquash(ctx context.Context, repo *git.Repo, baseTip, head string, w Words) (Built, error) {
	return buildOf(ctx, repo, baseTip, head, baseTip, []string{baseTip}, w)
}

// BuildConflicted makes the merge of the base into the plan's branch as far as git can, with parents branchHead and
// baseTip, for an agent to mend: the named files hold conflict markers. No name means that nothing conflicts.
func BuildConflicted(ctx context.Context, repo *git.Repo, branchHead, baseTip string, w Words) (Built, []string, error) {
	tree, conflicts, err := mergeFar(ctx, repo, branchHead, baseTip, baseTip)
	if err != nil {
		return Built{}, nil, err
	}
	id, err := commitTree(ctx, repo, tree, []string{branchHead, baseTip}, w)
	return Built{Commit: id, Tree: tree}, conflicts, err
}

func buildOf(ctx context.Context, repo *git.Repo, ours, theirs, base string, parents []string, w Words) (Built, error) {
	tree, err := mergeTree(ctx, repo, ours, theirs, base)
	if err != nil {
		return Built{}, err
	}
	id, err := commitTree(ctx, repo, tree, parents, w)
	return Built{Commit: id, Tree: tree}, err
}

// commitTree makes a commit. It is never signed: Tendril has no key.
func commitTree(ctx context.Context, repo *git.Repo, tree string, parents []string, w Words) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	call := plain(args...)
	call.Stdin = []byte(w.Message)
	call.Env = append(call.Env, w.Author.AuthorEnv()...)
	call.Env = append(call.Env, w.Committer.CommitterEnv()...)
	out, err := repo.Do(ctx, call)
	if err != nil {
		return "", fmt.Errorf("make the commit: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// treeOf is the tree of a commit.
func treeOf(ctx context.Context, repo *git.Repo, commit string) (string, error) {
	tree, err := repo.Object(ctx, commit+"^{tree}")
	return tree.ID, err
}

// parentsOf are the parents of a commit.
func parentsOf(ctx context.Context, repo *git.Repo, commit string) ([]string, error) {
	out, err := run(ctx, repo, "rev-list", "--no-walk", "--parents", "--end-of-options", commit)
	if err != nil {
		return nil, err
	}
	f := strings.Fields(out)
	if len(f) == 0 {
		return nil, fmt.Errorf("git knows no parents of %s", commit)
	}
	return f[1:], nil
}
