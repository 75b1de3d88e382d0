package lifecycle

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"tendril/internal/config"
	"tendril/plans"
	"tendril/runners"
)

// agentChoice is an agent with the model and effort that a plan asks for.
type agentChoice struct {
	Name          string
	Agent         runners.Agent
	Model, Effort string
}

// agentFor finds the agent of a plan: what the plan names, else what the configuration names. There is no default.
func (p *Project) agentFor(snap *snapshot, plan *plans.Plan) (agentChoice, error) {
	if len(plan.Agents) > 0 {
		return agentChoice{}, fmt.Errorf("agents (a race) is not built yet\n  name one: agent: %s", plan.Agents[0])
	}
	name, model := "", ""
	if plan.Agent != nil {
		name, model = plan.Agent.Name, plan.Agent.Model
	} else {
		name, model, _ = strings.Cut(snap.cfg.Agent, ":")
	}
	if name == "" {
		if snap.files == nil || snap.files.Config == nil {
			return agentChoice{}, fmt.Errorf("no agent: the plan names none, and there is no %s on %s\n  tendril init writes one", config.File, p.branchName())
		}
		return agentChoice{}, fmt.Errorf("no agent: neither the plan nor %s names one\n  set agent: in either", config.File)
	}
	agent, err := loadAgent(snap.files, name)
	if err != nil {
		return agentChoice{}, err
	}
	settings := snap.cfg.Agents[name]
	profile := runners.Profile{}
	if asked := cmp.Or(plan.Profile, settings.Profile); asked != "" {
		profile = agent.Profiles[asked]
	}
	return agentChoice{
		Name: name, Agent: *agent,
		Model: cmp.Or(model, settings.Model, profile.Model), Effort: cmp.Or(settings.Effort, profile.Effort),
	}, nil
}

// loadAgent reads an agent's file: the plans branch's own, else the built-in one.
func loadAgent(files *config.Files, name string) (*runners.Agent, error) {
	if files != nil {
		if own, ok := files.Agents[name]; ok {
			return runners.ParseAgent(name, own.Data)
		}
	}
	agent, ok := runners.Builtin(name)
	if !ok {
		known := runners.Names()
		if files != nil {
			for n := range files.Agents {
				known = append(known, n)
			}
		}
		slices.Sort(known)
		return nil, fmt.Errorf("no agent %q here; there are %s\n  write %s/agents/%s.yaml to add it",
			name, strings.Join(slices.Compact(known), ", "), config.Dir, name)
	}
	return agent, nil
}

// installing says how an agent's program comes here.
func installing(a runners.Agent) string {
	if a.Install == "" {
		return "install it"
	}
	return "install it (" + a.Install + ")"
}

// runsFor is the store of runs, with what the configuration says about the agents' environment.
func (p *Project) runsFor(cfg *config.Config) runners.Runs {
	runs := p.runs()
	runs.Environ, runs.PassEnv = os.Environ(), cfg.PassEnv
	return runs
}
