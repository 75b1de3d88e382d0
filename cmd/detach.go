package cmd

import (
	"context"
	"errors"

	"tendril/lifecycle"
)

// detachRun starts the engine in a session of its own, and returns once it works.
func detachRun(ctx context.Context, o runOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		// What is wrong with the call is said here, where somebody reads it.
		if _, err := p.Keys(ctx, o.plans); err != nil {
			return err
		}
		argv, err := o.detachedArgv(p)
		if err != nil {
			return err
		}
		pid, err := p.Detach(ctx, argv)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(struct {
				Engine int    `json:"engine"`
				Log    string `json:"log"`
			}{pid, p.EngineLog()})
		}
		if err := o.f.Printf("%s\n", p.EngineLog()); err != nil {
			return err
		}
		o.f.Infof("the engine works in the background (process %d); what happens is written there\n"+
			"  tendril status shows how it stands; tendril stop --engine ends the engine, agents go on", pid)
		return nil
	})
}

// detachedArgv is the command line of the engine that leaves the terminal.
func (o runOptions) detachedArgv(p *lifecycle.Project) ([]string, error) {
	self, err := o.f.self()
	if err != nil {
		return nil, err
	}
	dir := p.Repo.Dir
	if dir == "" {
		return nil, errors.New("the repository has no folder to work from")
	}
	argv := []string{self, "-C", dir, "run"}
	if o.once {
		argv = append(argv, "--once")
	}
	if o.trust {
		argv = append(argv, "--trust")
	}
	return append(append(argv, "--"), o.plans...), nil
}
