package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"tendril/internal/config"
	"tendril/lifecycle/gate"
	"tendril/plans"
	"tendril/runners"
)

// snapshot is one look at everything: what the plans branch says and what is there.
type snapshot struct {
	tip string
	syncing
	cfg *config.Config
	// files are the agents and promptware of the plans branch.
	files     *config.Files
	set       *plans.Set
	effective map[plans.Key]gate.Effective
	// heads are the local branches: short name to commit. With a remote, the bases are where the remote has them.
	heads map[string]string
	// runs are the runs of each plan, oldest first.
	runs map[plans.Key][]runInfo
	// said are the words of people that lie there for each plan, taken by a run or not, in their order.
	said map[plans.Key][]runners.Word
	// damaged are the plans with a run, or words, that cannot be read, and why.
	damaged map[plans.Key]error
	// trees are the plans that have a worktree here.
	trees map[plans.Key]bool
	// untrusted, when set, is why no command of the configuration may run.
	untrusted string
	// day is what is left of the day's budget, once it was decided on; nil where there is none.
	day *Purse
	// costs are what was read of costs.csv.
	costs costBook
	// all is what is next for each plan, where somebody only looks.
	all []decided
	// prices say what runs cost whose agents do not.
	prices pricer
}

// snapshotter takes snapshots; it remembers what need not be read twice.
type snapshotter struct {
	p       *Project
	history *gate.History
	book    *runBook
	// rules are what the history was folded with.
	rules gate.Rules
	cfg   *config.Config
	files *config.Files
	tip   atTip
	costs costBook
	// trust takes the commands of the configuration as they are.
	trust bool
}

func newSnapshotter(p *Project, trust bool) *snapshotter {
	return &snapshotter{p: p, trust: trust, book: newRunBook(p.runs()), costs: costBook{map[string][]plans.CostRow{}}}
}

// look reads the plans branch and what is there. A configuration that cannot be read is an error the first time; later
// the last good one counts, and nothing new starts.
func (s *snapshotter) look(ctx context.Context) (*snapshot, error) {
	tip, err := s.p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.lookAtTip(ctx, tip); err != nil {
		return nil, err
	}
	sync, err := s.p.lookSync(ctx)
	if err != nil {
		return nil, err
	}
	snap := &snapshot{tip: tip, cfg: s.cfg, files: s.files, set: s.tip.set, effective: s.tip.effective, untrusted: s.tip.untrusted, syncing: sync}
	snap.costs = s.costs
	if snap.heads, err = s.p.heads(ctx); err != nil {
		return nil, err
	}
	if snap.runs, snap.damaged, err = s.book.byPlan(); err != nil {
		return nil, err
	}
	if snap.prices, err = newPricer(s.cfg.Prices); err != nil {
		return nil, err
	}
	snap.prices.price(snap.runs)
	said, unreadable, err := s.p.saidWords()
	if err != nil {
		return nil, err
	}
	snap.said = said
	maps.Copy(snap.damaged, unreadable)
	if snap.trees, err = s.p.trees(ctx, s.cfg); err != nil {
		return nil, err
	}
	return snap, s.p.atRemote(ctx, snap)
}

// atTip is what follows from the commit that the plans branch stands at, and from this machine's configuration.
type atTip struct {
	commit string
	// machine is when this machine's configuration was written.
	machine   time.Time
	set       *plans.Set
	effective map[plans.Key]gate.Effective
	untrusted string
}

// lookAtTip reads what follows from the tip, unless that was done for this very tip.
func (s *snapshotter) lookAtTip(ctx context.Context, tip string) error {
	machine := modTime(config.MachineFile(s.p.Repo))
	if s.tip.commit == tip && s.tip.machine.Equal(machine) && s.tip.untrusted == "" {
		return nil
	}
	cfg, files, cfgErr := config.LoadFiles(ctx, s.p.Repo, tip)
	if cfgErr != nil && s.cfg == nil {
		return cfgErr
	}
	if cfgErr == nil {
		if err := s.use(ctx, cfg, files); err != nil {
			return err
		}
	}
	at := atTip{commit: tip, machine: machine}
	var err error
	if at.set, at.effective, err = s.p.readAt(ctx, s.cfg, s.history, tip); err != nil {
		return err
	}
	if cfgErr != nil {
		at.untrusted = "the configuration cannot be read: " + firstLine(cfgErr.Error())
	} else if at.untrusted, err = s.untrusted(ctx, tip); err != nil {
		return err
	}
	s.tip = at
	s.costs.keep(at.set)
	return nil
}

// modTime is when a file was written; the zero time where it cannot be told.
func modTime(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// use takes a configuration; other rules for identities make a history anew.
func (s *snapshotter) use(ctx context.Context, cfg *config.Config, files *config.Files) error {
	if err := withBase(ctx, s.p, cfg); err != nil {
		return err
	}
	rules := gateRules(cfg)
	if s.history == nil || !sameRules(rules, s.rules) {
		s.history, s.rules = s.p.historyOf(cfg), rules
	}
	s.cfg, s.files = cfg, files
	return nil
}

// withBase fills in the default branch where the configuration names no base.
func withBase(ctx context.Context, p *Project, cfg *config.Config) error {
	if cfg.Base != "" {
		return nil
	}
	base, err := config.DefaultBranch(ctx, p.Repo)
	if err != nil {
		return err
	}
	cfg.Base = branchName(base)
	return nil
}

// untrusted says why no command of the configuration may run here, or nothing.
func (s *snapshotter) untrusted(ctx context.Context, tip string) (string, error) {
	if unbuilt := unbuilt(s.cfg); unbuilt != "" {
		return unbuilt, nil
	}
	commands := s.cfg.Commands(s.files.Extra())
	store := s.p.trustStore()
	if s.trust {
		return "", store.Trust(tip, commands)
	}
	ok, err := store.Trusted(ctx, s.p.Ref, tip, commands)
	if err != nil || ok {
		return "", err
	}
	return "your word that the repository's commands may run here: tendril trust", nil
}

func sameRules(a, b gate.Rules) bool {
	return a.PlansDir == b.PlansDir && a.Tendril.Email == b.Tendril.Email && a.Signed == b.Signed &&
		slices.Equal(a.Approvers, b.Approvers)
}

// gateRules are the configuration's rules for gates.
func gateRules(cfg *config.Config) gate.Rules {
	return gate.Rules{
		Approvers: cfg.Approvals.Approvers, Signed: cfg.Approvals.Signed,
		Tendril: identOf(cfg), PlansDir: cfg.Plans,
	}
}

// heads are the local branches, by short name.
func (p *Project) heads(ctx context.Context) (map[string]string, error) {
	out, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	heads := map[string]string{}
	for line := range strings.Lines(out) {
		id, ref, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok {
			heads[branchName(ref)] = id
		}
	}
	return heads, nil
}

// trees says which plans have a worktree here, lost ones included.
func (p *Project) trees(ctx context.Context, cfg *config.Config) (map[plans.Key]bool, error) {
	m, err := p.manager(ctx, cfg)
	if err != nil {
		return nil, err
	}
	listed, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	trees := map[plans.Key]bool{}
	for _, l := range listed {
		trees[l.Key] = true
	}
	return trees, nil
}

// entry returns the plan's folder in a set, or nil.
func entryOf(set *plans.Set, key plans.Key) *plans.Entry {
	for _, e := range set.Entries {
		if e.Key == key {
			return e
		}
	}
	return nil
}
