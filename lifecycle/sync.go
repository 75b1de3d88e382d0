package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tendril/internal/config"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// truth is where the plans branch is read, and where it is written.
type truth struct {
	// tip is the commit that counts; empty where there is none yet.
	tip string
	// local is where this clone's own branch stands; empty where it has none.
	local string
	// remote has the truth, with the setting sync; nil: this clone has it.
	remote *record.Remote
	// fetched is true once this clone has seen the remote's branch.
	fetched bool
}

// bases are the branches of the remote that work starts from and goes back to, as the last look found them.
type bases struct {
	mu    sync.Mutex
	names []string
}

func (b *bases) set(names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names = names
}

func (b *bases) get() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.names
}

// syncing is what a look knows of the remote that has the truth.
type syncing struct {
	// remote is nil where this clone has the truth.
	remote *record.Remote
	// clone is this clone's id, local where its own plans branch stands.
	clone, local string
	// here are the plans of the local branch, which with a remote may be ahead of it; else those that count.
	here *plans.Set
	// missing are the bases that the remote does not have, or that were not fetched yet.
	missing []string
}

// where is the place that has the bases, in words.
func (s syncing) where() string {
	if s.remote == nil {
		return "here"
	}
	return "at " + s.remote.Name
}

// lookSync finds the remote that has the truth.
func (p *Project) lookSync(ctx context.Context) (syncing, error) {
	t, err := p.truth(ctx)
	if err != nil || t.remote == nil {
		return syncing{local: t.local}, err
	}
	id, err := p.cloneID(ctx)
	return syncing{remote: t.remote, clone: id, local: t.local}, err
}

// truth finds out who has the truth, and where it stands. Nothing is fetched.
func (p *Project) truth(ctx context.Context) (truth, error) {
	at, err := p.standings(ctx)
	if err != nil {
		return truth{}, fmt.Errorf("look for the plans branch: %w", err)
	}
	t := truth{local: at[p.Ref]}
	var elsewhere []string
	for _, ref := range slices.Sorted(maps.Keys(at)) {
		if ref != p.Ref {
			elsewhere = append(elsewhere, at[ref])
		}
	}
	t.tip = t.local
	name, err := p.syncRemote(ctx, t.local, elsewhere)
	if err != nil || name == "" {
		return t, err
	}
	t.remote = p.remote(name)
	known, err := t.remote.KnownIn(ctx, at)
	if err != nil {
		return t, err
	}
	if known != "" {
		t.tip, t.fetched = known, true
	}
	return t, nil
}

// standings are the commits at which the plans branch stands here and, as far as this clone knows, at each remote, by ref.
func (p *Project) standings(ctx context.Context) (map[string]string, error) {
	remotes, err := p.Repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	refs := []string{p.Ref}
	for _, name := range remotes {
		refs = append(refs, record.KnownRef(name, p.branchName()), "refs/remotes/"+name+"/"+p.branchName())
	}
	batch, err := p.Repo.Batch(ctx)
	if err != nil {
		return nil, err
	}
	infos, err := batch.Infos(refs)
	if err = errors.Join(err, batch.Close()); err != nil {
		return nil, err
	}
	at := map[string]string{}
	for i, info := range infos {
		if info.ID != "" {
			at[refs[i]] = info.ID
		}
	}
	return at, nil
}

// remote is a remote of this clone that has the truth.
func (p *Project) remote(name string) *record.Remote {
	return &record.Remote{Repo: p.Repo, Runtime: p.Runtime, Name: name, Branch: p.branchName(), Bases: p.bases.get(), Now: p.Now}
}

// syncRemote is the remote that has the truth; empty where this clone has it. This machine's file says so, or the branch as
// it stands here or at the remote: a clone that is behind must not take itself for alone.
func (p *Project) syncRemote(ctx context.Context, local string, elsewhere []string) (string, error) {
	name, err := config.SyncHere(p.Repo)
	if err != nil || name != "" {
		return name, err
	}
	if local != "" {
		if name, err = p.syncAt(ctx, local); err != nil || name != "" {
			return name, err
		}
	}
	for _, commit := range elsewhere {
		if name, err = p.syncAt(ctx, commit); err != nil {
			return "", err
		}
		// A fork's other remote may name one that is none of this clone's.
		if name != "" && p.hasRemote(ctx, name) {
			return name, nil
		}
	}
	return "", nil
}

func (p *Project) syncAt(ctx context.Context, commit string) (string, error) {
	return p.roots.get("sync "+commit, func() (string, error) { return config.SyncAt(ctx, p.Repo, commit) })
}

func (p *Project) hasRemote(ctx context.Context, name string) bool {
	_, err := p.Repo.Run(ctx, "remote", "get-url", name)
	return err == nil
}

// freshen fetches what is new at the remote, where one has the truth: a person's command is decided on what is there now.
func (p *Project) freshen(ctx context.Context) error {
	t, err := p.truth(ctx)
	if err != nil || t.remote == nil {
		return err
	}
	if err := p.checkRemote(ctx, t.remote.Name); err != nil {
		return err
	}
	if err := p.ensureRuntime(); err != nil {
		return err
	}
	if _, err = t.remote.Refresh(ctx); err != nil || t.fetched {
		return err
	}
	// The first time the branch itself has to say which others matter.
	snap, _, err := p.survey(ctx)
	if err == nil && len(snap.missing) > 0 {
		_, err = p.remote(t.remote.Name).Refresh(ctx)
	}
	return err
}

// checkRemote refuses a remote that is none, or whose fetches would move this clone's own branches.
func (p *Project) checkRemote(ctx context.Context, name string) error {
	out, err := p.Repo.Run(ctx, "config", "--get-all", "remote."+name+".fetch")
	if err != nil && !p.hasRemote(ctx, name) {
		return fmt.Errorf("sync: this clone has no remote %s\n  git remote add %s URL, or name another under sync", name, name)
	}
	for spec := range strings.FieldsSeq(out) {
		if _, here, _ := strings.Cut(spec, ":"); strings.HasPrefix(here, "refs/heads/") || here == "refs/*" {
			return fmt.Errorf("sync: fetching from %s moves this clone's own branches (remote.%s.fetch is %s)\n  use a plain clone, or git config remote.%s.fetch '+refs/heads/*:refs/remotes/%s/*'",
				name, name, spec, name, name)
		}
	}
	return nil
}

// follow brings the local plans branch along with what is known of the remote's. It says why where it stays behind.
func (p *Project) follow(ctx context.Context, t truth, cfg *config.Config) (record.Followed, error) {
	if t.remote == nil || !t.fetched || t.local == t.tip {
		return record.Followed{}, nil
	}
	return record.Follow(ctx, p.Repo, p.Runtime, record.Follower{Ref: p.Ref, To: t.tip, PlansDir: cfg.Plans, By: identOf(cfg)})
}

// bringBase brings the local base branch along with the remote's, after a delivery.
func (p *Project) bringBase(ctx context.Context, remote *record.Remote, cfg *config.Config, base string) (record.Followed, error) {
	known, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", record.KnownRef(remote.Name, base))
	if err != nil || known == "" {
		return record.Followed{}, err
	}
	f := record.Follower{Ref: "refs/heads/" + base, To: known, By: identOf(cfg)}
	if f.Ref == p.Ref {
		f.PlansDir = cfg.Plans
	}
	return record.Follow(ctx, p.Repo, p.Runtime, f)
}

// atRemote replaces the bases among the local branches by what the remote has of them: work starts from and goes back to
// what everybody has. A base that is not at the remote is none.
func (p *Project) atRemote(ctx context.Context, snap *snapshot) error {
	var err error
	if snap.here, err = p.localPlans(ctx, snap); err != nil || snap.remote == nil {
		return err
	}
	out, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(refname) %(objectname)", record.KnownRef(snap.remote.Name, ""))
	if err != nil {
		return fmt.Errorf("list the branches of %s: %w", snap.remote.Name, err)
	}
	known := map[string]string{}
	for line := range strings.Lines(out) {
		ref, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[strings.TrimPrefix(ref, record.KnownRef(snap.remote.Name, ""))] = id
	}
	known[p.branchName()] = snap.tip
	names := basesOf(snap)
	for _, name := range names {
		delete(snap.heads, name)
		if id := known[name]; id != "" {
			snap.heads[name] = id
		} else {
			snap.missing = append(snap.missing, name)
		}
	}
	p.bases.set(names)
	return nil
}

// basesOf are the branches that plans start from or go back to.
func basesOf(snap *snapshot) []string {
	seen := map[string]bool{snap.cfg.Base: true}
	names := []string{snap.cfg.Base}
	see := func(name string) {
		if name != "" && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, e := range snap.set.Entries {
		see(baseBranch(snap.cfg, e))
		if e.Record != nil && snap.effective[e.Key].Status != plans.Merged {
			see(e.Record.Base.Ref)
		}
	}
	return names
}

// watchDirs are the folders in which git moves what this clone knows of a remote.
func (p *Project) watchDirs() []string {
	found, err := filepath.Glob(filepath.Join(p.Repo.CommonDir, "refs", "tendril", "sync", "*", filepath.Dir(filepath.FromSlash(p.branchName()))))
	if err != nil {
		return nil
	}
	return found
}

// syncConfig is the configuration where the truth stands, and who has it.
func (p *Project) syncConfig(ctx context.Context) (*config.Config, truth, error) {
	t, err := p.truth(ctx)
	if err != nil {
		return nil, t, err
	}
	if t.tip == "" {
		return nil, t, fmt.Errorf("the plans branch %s has no commit", p.branchName())
	}
	cfg, err := config.Load(ctx, p.Repo, t.tip)
	return cfg, t, err
}

// copyIsOld says whether the working copies of a plan are of another text than the truth has: the local branch is behind, or
// has commits of its own. What is edited there would take back what others wrote.
func (p *Project) copyIsOld(ctx context.Context, path string, now []byte) (bool, error) {
	t, err := p.truth(ctx)
	if err != nil || t.remote == nil || t.local == "" || t.local == t.tip {
		return false, err
	}
	local, err := p.fileAt(ctx, t.local, path)
	if err != nil || local == nil {
		return local == nil, err
	}
	a, errA := plans.TextID(local, p.Repo.Format)
	b, errB := plans.TextID(now, p.Repo.Format)
	return errA != nil || errB != nil || a != b, nil
}
