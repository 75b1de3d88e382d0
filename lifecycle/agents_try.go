package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/runners"
)

const (
	// tryPrompt has the agent use a tool and say something, at little cost; tryScript does the same where no model is asked.
	tryPrompt = "Create the file hello.txt with the word hello in it. Then answer with the one word: done."
	tryScript = "echo hello > hello.txt\necho done\n"
	// tryLimit ends a trial; a limit that it waits for is longer than anybody looks on.
	tryLimit = 5 * time.Minute
	// tryEnd bounds what is done after a trial, or with one that nobody waits for.
	tryEnd = time.Minute
)

// TryAgent runs an agent once, with a small task in a repository that is thrown away, and says what its file makes of the
// run. It costs what such a run costs. name may hold a model ("claude:opus"). An agent of the repository's own files runs
// only where its commands are trusted. A ctx that ends stops it.
func (p *Project) TryAgent(ctx context.Context, name string) (Rehearsal, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return Rehearsal{}, err
	}
	cfg, files, err := config.LoadFiles(ctx, p.Repo, tip)
	if err != nil {
		return Rehearsal{}, err
	}
	name, model, _ := strings.Cut(name, ":")
	agent, err := loadAgent(files, name)
	if err != nil {
		return Rehearsal{}, err
	}
	trusted, err := p.trustStore().Trusted(ctx, p.Ref, tip, cfg.Commands(files.Extra()))
	if err != nil {
		return Rehearsal{}, err
	}
	if _, own := files.Agents[name]; own && !trusted {
		return Rehearsal{}, fmt.Errorf("agent %s: the repository's commands are not trusted here\n  look at them, then: tendril trust", name)
	}
	if _, err := exec.LookPath(agent.Command[0]); err != nil {
		return Rehearsal{}, fmt.Errorf("agent %s: %s is not installed\n  %s", name, agent.Command[0], installing(*agent))
	}
	choice := runners.Spec{Agent: *agent, Model: model, Autonomy: cfg.Autonomy, Args: cfg.Agents[name].Args}
	if choice.Model == "" {
		choice.Model = cfg.Agents[name].Model
	}
	tried, err := p.tryRun(ctx, cfg, choice)
	if err != nil {
		return Rehearsal{}, err
	}
	prices, err := newPricer(cfg.Prices)
	if err != nil {
		return Rehearsal{}, err
	}
	tried.Outcome.Usage = prices.priced(name, tried.Outcome.Started, tried.Outcome)
	return rehearsal(tried), nil
}

// tryRun makes the repository, runs the agent there and takes both away again.
func (p *Project) tryRun(ctx context.Context, cfg *config.Config, spec runners.Spec) (tried runners.Rehearsal, err error) {
	// Not in the runtime folder: agents are careful, or refuse, inside a git directory.
	top, err := os.MkdirTemp("", "tendril-try-")
	if err != nil {
		return tried, fmt.Errorf("try %s: %w", spec.Agent.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	spec.Dir = filepath.Join(top, "repo")
	if err := os.Mkdir(spec.Dir, 0o700); err != nil {
		return tried, fmt.Errorf("try %s: %w", spec.Agent.Name, err)
	}
	if _, err := git.Init(ctx, spec.Dir); err != nil {
		return tried, fmt.Errorf("try %s: %w", spec.Agent.Name, err)
	}
	runs := p.runsFor(cfg)
	runs.Dir = filepath.Join(top, "runs")
	spec.Run, spec.Key, spec.Round, spec.Attempt = "try-"+p.NewID(), "try", 1, 1
	spec.Prompt, spec.Script = []byte(tryPrompt), []byte(tryScript)
	spec.TimeLimit, spec.Stall = min(tryLimit, time.Duration(cfg.TimeLimit)), time.Duration(cfg.Stall)
	if err := runs.Start(ctx, spec); err != nil {
		return tried, err
	}
	_, err = runs.Wait(ctx, spec.Run)
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryEnd)
	defer cancel()
	if err != nil {
		// Whoever no longer waits wants no agent that goes on, and its folder is about to go.
		stopped := runs.Stop(after, spec.Run, "nobody waits for it")
		if stopped == nil {
			_, stopped = runs.Wait(after, spec.Run)
		}
		return tried, errors.Join(err, stopped)
	}
	return runs.Rehearsal(after, spec.Run)
}
