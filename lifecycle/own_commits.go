package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/lifecycle/record"
)

// ownCommits names the branch (or tag, or stash) of a person's whose unpublished commits a head would bring to the remote;
// empty where it brings none. Work starts from what the remote has; somebody merged a branch of their own into it, the
// agent did, or it began before the setting sync.
func (p *Project) ownCommits(ctx context.Context, cfg *config.Config, remote *record.Remote, head string) (string, error) {
	own, err := p.ownBeyond(ctx, cfg, remote, head, nil)
	if err != nil || own == "" {
		return "", err
	}
	// What this clone keeps track of is the plans branch and the bases alone: the branch may be there for all that.
	there, err := p.Repo.LsRemote(ctx, remote.Name, "refs/heads/*", "refs/tags/*")
	if err != nil {
		return "", err
	}
	return p.ownBeyond(ctx, cfg, remote, head, there)
}

// ownBeyond is ownCommits where the remote is known to have these refs besides, full name to commit.
func (p *Project) ownBeyond(ctx context.Context, cfg *config.Config, remote *record.Remote, head string, there record.Heads) (string, error) {
	var besides strings.Builder
	for _, commit := range there {
		besides.WriteString("^" + commit + "\n")
	}
	out, err := p.Repo.Do(ctx, git.Call{Args: []string{
		"rev-list", "--ignore-missing", "--topo-order", "--reverse", "--no-commit-header", "--format=%H%x09%ce%x09%P", "--stdin",
		head, "--not", "--glob=" + record.KnownRef(remote.Name, "*"),
	}, Stdin: []byte(besides.String())})
	if err != nil {
		return "", fmt.Errorf("look for unpublished commits: %w", err)
	}
	oldest := personsOldest(string(out), cfg.Identity.Email)
	if len(oldest) == 0 {
		return "", nil
	}
	args := []string{"for-each-ref", "--format=%(refname)"}
	for _, commit := range oldest {
		args = append(args, "--contains="+commit)
	}
	refs, err := p.Repo.Run(ctx, append(args, "refs/heads", "refs/tags", "refs/stash")...)
	if err != nil {
		return "", fmt.Errorf("look for branches with unpublished commits: %w", err)
	}
	return p.personsRef(strings.Fields(refs), remote.Bases), nil
}

// personsOldest reads commits, parents first, each "COMMIT<TAB>COMMITTER'S ADDRESS<TAB>PARENTS", and returns those that
// are a person's and have none of a person's before them: whatever has any of a person's has one of these. An agent's
// commits have its address; Tendril's on a plan's branch are merges.
func personsOldest(list, tendril string) []string {
	var oldest []string
	above := map[string]bool{} // commits that are a person's, or have one of a person's before them
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			continue
		}
		commit, by, parents := f[0], f[1], strings.Fields(f[2])
		switch {
		case slices.ContainsFunc(parents, func(p string) bool { return above[p] }):
			above[commit] = true
		case config.AgentAddress(by), by == tendril && len(parents) > 1:
		default:
			above[commit] = true
			oldest = append(oldest, commit)
		}
	}
	return oldest
}

// personsRef is the first of the refs that is a person's, in short: not a plan's branch, on which a person's commits are
// for the plan. Empty for none.
func (p *Project) personsRef(refs, bases []string) string {
	for _, ref := range refs {
		name := strings.TrimPrefix(ref, "refs/heads/")
		if ref == p.Ref || slices.Contains(bases, name) || !strings.HasPrefix(name, "tendril/") {
			return strings.TrimPrefix(name, "refs/")
		}
	}
	return ""
}
