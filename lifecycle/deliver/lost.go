package deliver

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/git"
)

// maxLost bounds how many commits are looked at that a base does not have any more.
const maxLost = 200

// Lost is what a base that was set back does not have any more, and what a delivery would bring back.
type Lost struct {
	// Commits are those that change work and are not in the base as another commit either, each as "ID SUBJECT", newest
	// first.
	Commits []string
	// Since is the newest commit that base and branch have in common now.
	Since string
}

// Words says in one line what would come back.
func (l Lost) Words() string {
	words := "the base was set back and has no more: " + l.Commits[0]
	if more := len(l.Commits) - 1; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// lostSince finds what was in the base at a commit that the work builds on, and is not there now. What was only rewritten
// (the same patches as other commits), and plan folders and the board, do not count.
func lostSince(ctx context.Context, repo *git.Repo, a Ask, known string) (Lost, error) {
	if known == "" || known == a.BaseTip {
		return Lost{}, nil
	}
	if ok, err := exists(ctx, repo, known); err != nil || !ok {
		return Lost{}, err
	}
	if in, err := InBase(ctx, repo, known, a.BaseTip); err != nil || in {
		return Lost{}, err
	}
	since, err := run(ctx, repo, "merge-base", known, a.BaseTip)
	if _, exited := git.ExitCode(err); exited {
		return Lost{}, nil // nothing in common: no merge of them is made
	}
	if err != nil {
		return Lost{}, fmt.Errorf("since when the base differs: %w", err)
	}
	out, err := run(ctx, repo, "log", "--cherry-pick", "--left-only", "--no-merges", "--no-show-signature", "--encoding=UTF-8",
		fmt.Sprintf("--max-count=%d", maxLost), "--format=%H %s", known+"..."+a.BaseTip)
	if err != nil {
		return Lost{}, fmt.Errorf("what the base has no more: %w", err)
	}
	lost := Lost{Since: since}
	for line := range strings.Lines(out) {
		id, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		parents, err := parentsOf(ctx, repo, id)
		if err != nil {
			return Lost{}, err
		}
		isWork := len(parents) == 0
		if !isWork {
			isWork, err = Moved(ctx, repo, parents[0], id, a.PlansDir)
		}
		if err != nil {
			return Lost{}, err
		}
		if isWork {
			lost.Commits = append(lost.Commits, fmt.Sprintf("%.10s %s", id, subject))
		}
	}
	return lost, nil
}
