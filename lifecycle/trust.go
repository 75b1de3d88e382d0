package lifecycle

import (
	"context"
	"strings"

	"tendril/internal/config"
)

// trustStore remembers which of the repository's commands may run in this clone.
func (p *Project) trustStore() config.TrustStore {
	return config.TrustStore{Repo: p.Repo, Now: p.Now}
}

// TrustReport is what a person is asked to trust.
type TrustReport struct {
	// Trusted is true where the commands may run already.
	Trusted bool
	// Commands are all of them, Difference what changed since the last trusted ones, as a text.
	Commands   []config.Command
	Difference string
}

// TrustState says which commands the plans branch would have run here, and whether they may.
func (p *Project) TrustState(ctx context.Context) (TrustReport, error) {
	tip, commands, err := p.commands(ctx)
	if err != nil {
		return TrustReport{}, err
	}
	store := p.trustStore()
	ok, err := store.Trusted(ctx, p.Ref, tip, commands)
	if err != nil {
		return TrustReport{}, err
	}
	diff, err := store.Difference(commands)
	return TrustReport{Trusted: ok, Commands: commands, Difference: diff}, err
}

// Trust lets the commands of the plans branch, as they are now, run in this clone.
func (p *Project) Trust(ctx context.Context) error {
	tip, commands, err := p.commands(ctx)
	if err != nil {
		return err
	}
	if err := p.ensureRuntime(); err != nil {
		return err
	}
	return p.trustStore().Trust(tip, commands)
}

func (p *Project) commands(ctx context.Context) (tip string, list []config.Command, err error) {
	if tip, err = p.Tip(ctx); err != nil {
		return "", nil, err
	}
	cfg, files, err := config.LoadFiles(ctx, p.Repo, tip)
	if err != nil {
		return "", nil, err
	}
	return tip, cfg.Commands(files.Extra()), nil
}

// unbuilt names what the configuration asks for and this build does not do: better said than silently left out.
func unbuilt(cfg *config.Config) string {
	var keys []string
	for key, set := range map[string]bool{
		"share": len(cfg.Share) > 0, "env": len(cfg.Env) > 0, "teardown": len(cfg.Teardown) > 0,
		"deliver: " + cfg.Deliver: cfg.Deliver != config.DeliverMerge,
		"notify":                  cfg.Notify != "",
	} {
		if set {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return config.File + " asks for what this version does not do yet: " + strings.Join(sorted(keys), ", ")
}
