package lifecycle

import (
	"context"
	"slices"

	"tendril/internal/config"
	"tendril/plans"
	"tendril/runners"
)

// Glance is a plan as its file has it on the plans branch: nobody was asked whether the status counts.
type Glance struct {
	Key plans.Key
	// Title and Status are empty where the file cannot be read.
	Title  string
	Status plans.Status
}

// Glances reads the plans and nothing else, fast: for completion.
func (p *Project) Glances(ctx context.Context) ([]Glance, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, err
	}
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
