package lifecycle

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/lifecycle/gate"
	"tendril/lifecycle/record"
	"tendril/plans"
	"tendril/runners"
)

// Deps is what a Project takes from outside, so that tests can say what time it is and which ids are given out.
type Deps struct {
	// Now is the clock.
	Now func() time.Time
	// NewID returns an id that was never given out before, safe as a file name.
	NewID func() string
	// Self is the argv prefix that starts this program again, for supervisors.
	Self []string
}

// Project is one repository with its plans branch, as every front (commands, interfaces) uses it.
type Project struct {
	Deps
	// Repo is the repository as seen from where the caller stands.
	Repo *git.Repo
	// Ref is the full name of the plans branch, "refs/heads/…".
	Ref string
	// Runtime is the folder of the runtime state, <git-common-dir>/tendril.
	Runtime string

	reader *plans.Reader
	roots  remembered
	bases  bases
	people people
}

// remembered keeps answers that do not change while a process runs. It begins anew at mostRemembered of them: an engine asks
// about each commit of the plans branch, and lives long.
type remembered struct {
	mu      sync.Mutex
	answers map[string]string
}

const mostRemembered = 100

// get returns the answer to a question, asked once for as long as it is kept.
func (r *remembered) get(question string, ask func() (string, error)) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer, ok := r.answers[question]; ok {
		return answer, nil
	}
	answer, err := ask()
	if err != nil {
		return "", err
	}
	if r.answers == nil || len(r.answers) >= mostRemembered {
		r.answers = map[string]string{}
	}
	r.answers[question] = answer
	return answer, nil
}

// Open finds the plans branch of a repository.
func Open(ctx context.Context, repo *git.Repo, deps Deps) (*Project, error) {
	ref, err := config.PlansBranch(ctx, repo)
	if err != nil {
		return nil, err
	}
	return &Project{Deps: deps, Repo: repo, Ref: ref, Runtime: config.Runtime(repo), reader: plans.NewReader(repo)}, nil
}

// fromMain is the project as seen from the main checkout: an engine that was started in a plan's worktree removes that
// worktree one day. Close it.
func (p *Project) fromMain(ctx context.Context) (*Project, error) {
	dir, err := p.mainCheckout(ctx)
	if err != nil {
		return nil, err
	}
	repo := p.Repo.Main(dir)
	return &Project{Deps: p.Deps, Repo: repo, Ref: p.Ref, Runtime: p.Runtime, reader: plans.NewReader(repo)}, nil
}

// Close ends the helper processes of the project.
func (p *Project) Close() error {
	p.Repo.Close()
	return p.reader.Close()
}

// Tip returns the commit at which the plans branch stands: in this clone, or with the setting sync at the remote, as far as
// this clone has seen it.
func (p *Project) Tip(ctx context.Context) (string, error) {
	t, err := p.truth(ctx)
	if err != nil {
		return "", err
	}
	if t.tip == "" && t.remote != nil {
		return "", fmt.Errorf("the plans branch %s was never fetched from %s\n  tendril sync", p.branchName(), t.remote.Name)
	}
	if t.tip == "" {
		return "", p.noTip(ctx)
	}
	return t.tip, nil
}

// branchName is the plans branch as people write it.
func (p *Project) branchName() string { return branchName(p.Ref) }

// runs is the store of agent runs.
func (p *Project) runs() runners.Runs {
	return runners.Runs{Dir: filepath.Join(p.Runtime, "runs"), Self: p.Self, Now: p.Now}
}

// ledger is the book of approvals that started an execution.
func (p *Project) ledger() gate.Ledger { return gate.Ledger{Dir: filepath.Join(p.Runtime, "ledger")} }

// recorder writes to the plans branch, where the truth is.
func (p *Project) recorder(ctx context.Context, cfg *config.Config) (*record.Recorder, error) {
	t, err := p.truth(ctx)
	if err != nil {
		return nil, err
	}
	return &record.Recorder{Repo: p.Repo, Runtime: p.Runtime, Ref: p.Ref, PlansDir: cfg.Plans, Now: p.Now, Remote: t.remote}, nil
}
