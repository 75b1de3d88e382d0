package lifecycle

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2/maybe"

	"tendril/internal/config"
	"tendril/plans"
	"tendril/runners"
)

// Glance is a plan as its file has it on the plans branch: nobody was asked whether the status counts.
type Glance struct {
	Key plans.Key `json:"key"`
	// Title and Status are empty where the file cannot be read.
	Title  string       `json:"title,omitempty"`
	Status plans.Status `json:"status,omitempty"`
}

// glanceBook is <runtime>/cache/glances.json: what the last call saw, for as long as nothing it follows from has changed.
type glanceBook struct {
	Tip     string    `json:"tip"`
	Machine time.Time `json:"machine"`
	Plans   []Glance  `json:"plans"`
}

// Glances reads the plans and nothing else, fast: for completion.
func (p *Project) Glances(ctx context.Context) ([]Glance, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.Runtime, "cache", "glances.json")
	machine := modTime(config.MachineFile(p.Repo)).UTC()
	var book glanceBook
	if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &book) == nil && book.Tip == tip && book.Machine.Equal(machine) {
		return book.Plans, nil
	}
	seen, err := p.glancesAt(ctx, tip)
	if err != nil {
		return nil, err
	}
	// A cache that cannot be written costs time and nothing else. Its folder is made by commands that do more than look.
	if data, err := json.Marshal(glanceBook{Tip: tip, Machine: machine, Plans: seen}); err == nil {
		_ = maybe.WriteFile(file, data, 0o600)
	}
	return seen, nil
}

// glancesAt reads the plans of a commit.
func (p *Project) glancesAt(ctx context.Context, tip string) ([]Glance, error) {
	cfg, err := config.Load(ctx, p.Repo, tip)
	if err != nil {
		return nil, err
	}
	set, err := p.reader.Read(ctx, tip, cfg.Plans)
	if err != nil {
		return nil, err
	}
	out := make([]Glance, 0, len(set.Entries))
	for _, e := range set.Entries {
		g := Glance{Key: e.Key}
		if e.Plan != nil {
			g.Title, g.Status = e.Plan.Title, e.Plan.Status
		}
		out = append(out, g)
	}
	return out, nil
}

// CheckNames are the names of the configured checks.
func (p *Project) CheckNames(ctx context.Context) ([]string, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(ctx, p.Repo, tip)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(cfg.Checks))
	for _, c := range cfg.Checks {
		names = append(names, c.Name)
	}
	return names, nil
}

// AgentNames are the agents that a plan here may name, sorted.
func (p *Project) AgentNames(ctx context.Context) ([]string, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
	_, files, err := config.LoadFiles(ctx, p.Repo, tip)
	if err != nil {
		return nil, err
	}
	names := BuiltinAgents()
	for name := range files.Agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// BuiltinAgents are the agents that need no file, sorted.
func BuiltinAgents() []string { return runners.Names() }
