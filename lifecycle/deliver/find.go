package deliver

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/git"
	"tendril/plans"
)

// DeliversTrailer names, in a squashed or the last rebased commit, the plan and the head that it delivers.
const DeliversTrailer = "Tendril-Delivers"

// Delivers is that trailer's line.
func Delivers(key plans.Key, head string) string {
	return fmt.Sprintf("%s: %s %s", DeliversTrailer, key, head)
}

// FindDelivered finds the commit on the base's first-parent line that says it delivers head for the plan, and does:
// merging head into it changes nothing. It is empty where there is none. Only commits that head does not contain are
// looked at, so that a commit without a parent in common is never found.
func FindDelivered(ctx context.Context, repo *git.Repo, key plans.Key, head, baseTip string) (string, error) {
	out, err := run(ctx, repo, "log", "--first-parent", "--no-show-signature", "--encoding=UTF-8",
		"--format=%H %(trailers:key="+DeliversTrailer+",valueonly=true,unfold=true,separator=%x00)", baseTip, "^"+head)
	if err != nil {
		return "", fmt.Errorf("look for the delivery of %s: %w", key, err)
	}
	want := string(key) + " " + head
	for line := range strings.Lines(out) {
		id, values, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		for v := range strings.SplitSeq(values, "\x00") {
			if strings.Join(strings.Fields(v), " ") != want {
				continue
			}
			if ok, err := holds(ctx, repo, id, head); err != nil || ok {
				return id, err
			}
		}
	}
	return "", nil
}
