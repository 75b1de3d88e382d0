package deliver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tendril/internal/git"
)

// ErrNotLinear says that the work's commits, taken one by one onto the base, do not give what their merge gives.
var ErrNotLinear = errors.New("the commits taken one by one do not give what was verified\n  deliver it as a merge or a squash")

// BuildRebase takes each commit of head that the base has not, merges left out, onto the base: authors, their dates and
// messages stay, the committer is the given one. lastTrailer, where not empty, is put into the last message. A commit that
// changes nothing any more is dropped. Where one does not apply by itself it is a *ConflictError; where the result differs
// from the merge of both it wraps ErrNotLinear.
func BuildRebase(ctx context.Context, repo *git.Repo, baseTip, head string, committer git.Ident, lastTrailer string) (Built, error) {
	want, err := mergeTree(ctx, repo, baseTip, head, baseTip)
	if err != nil {
		return Built{}, err
	}
	out, err := run(ctx, repo, "rev-list", "--reverse", "--topo-order", "--no-merges", "--end-of-options", head, "^"+baseTip)
	if err != nil {
		return Built{}, fmt.Errorf("list the commits to take over: %w", err)
	}
	at, err := treeOf(ctx, repo, baseTip)
	if err != nil {
		return Built{}, err
	}
	made := Built{Commit: baseTip, Tree: at}
	ids := strings.Fields(out)
	for i, id := range ids {
		trailer := ""
		if i == len(ids)-1 {
			trailer = lastTrailer
		}
		if made, err = pick(ctx, repo, made, id, committer, trailer); err != nil {
			return Built{}, err
		}
	}
	if made.Tree != want {
		return Built{}, fmt.Errorf("rebase of %.10s: %w", head, ErrNotLinear)
	}
	return made, nil
}

// pick makes one commit again on top of another. git 2.39 merges only two commits by their common history, so the top is
// given one: a commit with its tree and the parent of the commit to take over.
func pick(ctx context.Context, repo *git.Repo, on Built, id string, committer git.Ident, trailer string) (Built, error) {
	parents, err := parentsOf(ctx, repo, id)
	if err != nil {
		return Built{}, err
	}
	words, err := wordsOf(ctx, repo, id)
	if err != nil {
		return Built{}, err
	}
	words.Committer = committer
	stand, err := commitTree(ctx, repo, on.Tree, parents, words)
	if err != nil {
		return Built{}, err
	}
	tree, err := mergeTree(ctx, repo, stand, id, stand)
	if err != nil || (tree == on.Tree && trailer == "") {
		return on, err
	}
	if trailer != "" {
		words.Message = strings.TrimRight(words.Message, "\n") + "\n\n" + trailer + "\n"
	}
	commit, err := commitTree(ctx, repo, tree, []string{on.Commit}, words)
	return Built{Commit: commit, Tree: tree}, err
}

// wordsOf are the author, the author's date and the message of a commit.
func wordsOf(ctx context.Context, repo *git.Repo, id string) (Words, error) {
	out, err := repo.Do(ctx, plain("log", "-1", "--no-walk", "--no-show-signature", "--encoding=UTF-8", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", id))
	if err != nil {
		return Words{}, fmt.Errorf("read the commit %.10s: %w", id, err)
	}
	f := strings.SplitN(string(out), "\x00", 4)
	if len(f) != 4 {
		return Words{}, fmt.Errorf("git log answered %.80q about %.10s", out, id)
	}
	when, err := rawDate(f[2])
	if err != nil {
		return Words{}, fmt.Errorf("date of commit %.10s: %w", id, err)
	}
	return Words{Message: strings.TrimSuffix(f[3], "\n"), Author: git.Ident{Name: f[0], Email: f[1], When: when}}, nil
}

// rawDate reads git's "seconds +hhmm".
func rawDate(s string) (time.Time, error) {
	seconds, zone, _ := strings.Cut(s, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	z, err := strconv.Atoi(zone)
	if err != nil {
		return time.Time{}, err
	}
	offset := (z/100*60 + z%100) * 60
	return time.Unix(n, 0).In(time.FixedZone("", offset)), nil
}
