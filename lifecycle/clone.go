package lifecycle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"

	"tendril/internal/config"
	"tendril/lifecycle/gate"
	"tendril/plans"
)

// cloneMark is <runtime>/clone.json: who this clone is among those that share a queue. The runner's name is for people, and
// two clones on one machine have the same; so each clone has an id besides.
type cloneMark struct {
	ID string `json:"id"`
	// Dir and Host say where the id was given out: a copy of the folder elsewhere is another clone.
	Dir  string `json:"dir"`
	Host string `json:"host"`
}

// cloneMarkLimit bounds the wait for another process that gives out the clone's id.
const cloneMarkLimit = 10 * time.Second

// cloneID is this clone's id, given out when it is asked for the first time. A copy of a clone (its runtime folder included)
// gets one of its own, a clone that was moved within its file system keeps it.
func (p *Project) cloneID(ctx context.Context) (string, error) {
	return p.roots.get("clone", func() (string, error) {
		if id, err := p.readCloneID(); err != nil || id != "" {
			return id, err
		}
		if err := p.ensureRuntime(); err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(ctx, cloneMarkLimit)
		defer cancel()
		lock := flock.New(filepath.Join(p.Runtime, "clone.lock"))
		if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
			return "", fmt.Errorf("say who this clone is: %w", err)
		}
		defer func() { _ = lock.Unlock() }() // closing the file gives it back in any case
		// Of two that ask at once the second finds what the first gave out.
		if id, err := p.readCloneID(); err != nil || id != "" {
			return id, err
		}
		mark := cloneMark{ID: strings.ToLower(p.NewID()), Dir: p.Repo.CommonDir, Host: machineName()}
		data, err := json.Marshal(mark)
		if err == nil {
			err = maybe.WriteFile(p.cloneFile(), append(data, '\n'), 0o600)
		}
		if err != nil {
			return "", fmt.Errorf("say who this clone is: %w", err)
		}
		return mark.ID, nil
	})
}

func (p *Project) cloneFile() string { return filepath.Join(p.Runtime, "clone.json") }

// readCloneID is the id that was given out for this very clone; empty where none was.
func (p *Project) readCloneID() (string, error) {
	var mark cloneMark
	data, err := os.ReadFile(p.cloneFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("who this clone is: %w", err)
	case json.Unmarshal(data, &mark) != nil || mark.ID == "" || mark.Host != machineName():
		return "", nil
	case mark.Dir == p.Repo.CommonDir:
		return mark.ID, nil
	}
	if _, err := os.Stat(mark.Dir); errors.Is(err, fs.ErrNotExist) {
		return mark.ID, nil // it was moved
	}
	return "", nil
}

// machineName tells machines apart, by what stays when a laptop changes its network: the system's own id, else the host's name.
func machineName() string {
	if id, err := os.ReadFile("/etc/machine-id"); err == nil && len(bytes.TrimSpace(id)) > 0 {
		sum := sha256.Sum256(bytes.TrimSpace(id))
		return hex.EncodeToString(sum[:8])
	}
	// A host without a name is told apart by its folders alone.
	name, _ := os.Hostname()
	return name
}

// heldElsewhere names the runner of another clone that has the plan's claim; empty where this clone has it, or nobody. A
// claim from before clones were told apart is this clone's where the plan's work lies here.
func (s *snapshot) heldElsewhere(entry *plans.Entry, status plans.Status) string {
	if s.remote == nil || entry.Record == nil {
		return ""
	}
	switch status {
	case plans.Draft, plans.Icebox, plans.Approved:
		// Nobody's word stands behind the claim any more: what is left of it here is this clone's to clear away.
		return ""
	}
	return elsewhere(s.cfg, s.clone, entry.Record, s.hasWork(entry.Key))
}

// runnerOf names the runner of another clone that a plan's record has, as far as the record alone can tell; empty where it
// is this clone, or nobody.
func (s syncing) runnerOf(cfg *config.Config, entry *plans.Entry) string {
	if s.remote == nil || entry.Record == nil {
		return ""
	}
	return elsewhere(cfg, s.clone, entry.Record, true)
}

// notElsewhere refuses what only the clone that has a plan can do.
func notElsewhere(one decided) error {
	if one.facts.Elsewhere == "" {
		return nil
	}
	key := one.entry.Key
	return fmt.Errorf("%s is %s in the clone of %s: its worktree and its agent are there\n"+
		"  call this there, or tendril take %s brings the plan here; tendril diff %s shows what that clone pushed", key, one.facts.Status, one.facts.Elsewhere, key, key)
}

// elsewhere is heldElsewhere of a record.
func elsewhere(cfg *config.Config, clone string, rec *plans.Record, here bool) string {
	switch {
	case rec.Runner == "", rec.Clone == clone, rec.Clone == "" && rec.Runner == cfg.Runner && here:
		return ""
	default:
		return rec.Runner
	}
}

// hasWork says whether runs, a worktree or the branch of a plan are in this clone.
func (s *snapshot) hasWork(key plans.Key) bool {
	_, branch := s.heads[key.Branch()]
	return branch || s.trees[key] || len(s.runs[key]) > 0
}

// claimLost says why a change of this clone's does not apply at a tip: another clone has the plan by now, or the approval
// that it begins with is another one. Nothing where it applies, and where this clone has the truth.
func (p *Project) claimLost(ctx context.Context, cfg *config.Config, s syncing, tip string, entry *plans.Entry, status plans.Status, c Change) (string, error) {
	if s.remote == nil || entry == nil || entry.Plan == nil {
		return "", nil
	}
	if status != c.From {
		if rec := entry.Record; rec != nil && atWork(status) {
			if other := elsewhere(cfg, s.clone, rec, true); other != "" {
				return other + " was quicker", nil
			}
		}
		return "", nil
	}
	if c.From == plans.Approved {
		if c.Record == nil || c.Record.Approved == nil || len(c.Steps) == 0 || c.Steps[0] != plans.Executing {
			return "", nil
		}
		now, err := gate.Approval(ctx, p.Repo, tip, entry.Plan, gateRules(cfg))
		if refusal := refused(err); refusal != "" {
			return refusal, nil
		}
		if err == nil && now.Commit != c.Record.Approved.Commit {
			return "it was approved anew", nil
		}
		return "", err
	}
	switch c.From {
	case plans.Draft, plans.Icebox:
		return "", nil
	}
	if rec := entry.Record; rec != nil {
		if other := elsewhere(cfg, s.clone, rec, true); other != "" {
			return other + " has the plan now", nil
		}
	}
	return "", nil
}
