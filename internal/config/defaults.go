package config

import (
	"maps"
	"slices"
	"time"
)

// Default is the configuration of a repository that says nothing.
func Default() *Config {
	return &Config{
		Plans:        "plans",
		Worktrees:    "../{{.Repo}}.worktrees",
		Autonomy:     AutonomyEdit,
		Parallel:     3,
		ReviewLimit:  10,
		MaxAttempts:  3,
		TimeLimit:    Duration(2 * time.Hour),
		Stall:        Duration(30 * time.Minute),
		Deliver:      DeliverMerge,
		Merge:        MergeCommit,
		Take:         TakeMine,
		Sandbox:      Sandbox{Mode: SandboxAuto},
		SetupLimit:   Duration(15 * time.Minute),
		CheckTimeout: Duration(30 * time.Minute),
		MemoryLimit:  8000,
		Identity:     Identity{Name: "Tendril", Email: "tendril@localhost"},
	}
}

// clone copies what Decode would change in place: maps; lists are replaced, never written into.
func (c *Config) clone() *Config {
	d := *c
	d.Env, d.Agents, d.Prices = maps.Clone(c.Env), maps.Clone(c.Agents), maps.Clone(c.Prices)
	d.commands = slices.Clone(c.commands)
	return &d
}
