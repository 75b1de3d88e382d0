package deliver

import (
	"context"
	"errors"
	"strings"

	"tendril/internal/git"
)

var errTodo = errors.New("not built yet")

// ConflictError says that two commits do not merge by themselves.
type ConflictError struct {
	// Paths are the files in conflict.
	Paths []string
}

// Error names the files.
func (e *ConflictError) Error() string {
	return "the work conflicts with its base in " + strings.Join(e.Paths, ", ")
}

// Built is a commit made from objects; no ref names it yet.
type Built struct{ Commit, Tree string }

// Words are the message and the identities of a commit to build.
type Words struct {
	Message           string
	Author, Committer git.Ident
}

// BuildMerge makes the merge of head into the base: parents are baseTip and head. Where they do not merge by themselves
// it is a *ConflictError.
func BuildMerge(ctx context.Context, repo *git.Repo, baseTip, head string, w Words) (Built, error) {
	return Built{}, errTodo
}

// BuildIntegration makes the merge of the base into the plan's branch: its first parent is branchHead (the accepted head,
// or an earlier integration of it), its second baseTip.
func BuildIntegration(ctx context.Context, repo *git.Repo, branchHead, baseTip string, w Words) (Built, error) {
	return Built{}, errTodo
}

// ProvedAutomatic tells whether commit is acceptedHead merged with base, and before that perhaps with older commits of
// base, each time exactly as git merges by itself. The accepted head alone counts when it contains base.
func ProvedAutomatic(ctx context.Context, repo *git.Repo, commit, acceptedHead, base string) (bool, error) {
	return false, errTodo
}

// InBase tells whether head is contained in baseTip.
func InBase(ctx context.Context, repo *git.Repo, head, baseTip string) (bool, error) {
	return false, errTodo
}

// Moved tells whether the base moved from one commit to another in a way that matters: its tree differs outside plan
// folders, board and memory.
func Moved(ctx context.Context, repo *git.Repo, from, to, plansDir string) (bool, error) {
	return false, errTodo
}
