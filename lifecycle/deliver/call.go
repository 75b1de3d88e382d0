package deliver

import (
	"context"
	"os"

	"tendril/internal/git"
)

// plain makes git deaf to what would change history or the result of a merge: grafts and commit-graph files that anybody
// could have written, and settings of merge, log and diff.
func plain(args ...string) git.Call {
	flags := []string{
		"-c", "core.commitGraph=false", "-c", "advice.graftFileDeprecated=false", "-c", "trailer.separators=:",
		"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict", "-c", "merge.conflictStyle=merge",
		"-c", "i18n.commitEncoding=UTF-8", "-c", "log.follow=false",
	}
	return git.Call{Args: append(flags, args...), Env: []string{"GIT_GRAFT_FILE=" + os.DevNull}}
}

// run runs a plain call and returns its output less one last newline.
func run(ctx context.Context, repo *git.Repo, args ...string) (string, error) {
	out, err := repo.Do(ctx, plain(args...))
	if n := len(out); n > 0 && out[n-1] == '\n' {
		out = out[:n-1]
	}
	return string(out), err
}
