package plans

import "time"

// CostRow is one agent run in costs.csv. A nil number is unknown, which is never 0.
type CostRow struct {
	// Run is the row's identity.
	Run, Unit, Candidate string
	Round, Attempt       int
	Agent, Model         string
	Started              time.Time
	Seconds              *float64
	// Input is without what came from or went into the cache.
	Input, CacheRead, CacheWrite, Output, Reasoning *int64
	USD                                             *float64
	// Source says where the figures come from, Outcome how the run ended.
	Source, Outcome string
}
