package lifecycle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"tendril/plans"
)

// requestDir holds what other tendril processes ask of the engine: one file a request, named by the plan.
func (p *Project) requestDir() string { return filepath.Join(p.Runtime, "requests") }

func (p *Project) stopRequest(key plans.Key) string {
	return filepath.Join(p.requestDir(), string(key)+".stop")
}

// askToStop leaves word that a plan shall be stopped.
func (p *Project) askToStop(key plans.Key) error {
	if err := os.MkdirAll(p.requestDir(), 0o700); err != nil {
		return fmt.Errorf("make the requests folder: %w", err)
	}
	if err := maybe.WriteFile(p.stopRequest(key), []byte("stop\n"), 0o600); err != nil {
		return fmt.Errorf("ask to stop %s: %w", key, err)
	}
	return nil
}

// stopAsked says whether somebody asked to stop the plan.
func (p *Project) stopAsked(key plans.Key) bool {
	_, err := os.Stat(p.stopRequest(key))
	return err == nil
}

// stopAnswered takes the request away.
func (p *Project) stopAnswered(key plans.Key) error {
	err := os.Remove(p.stopRequest(key))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("answer the request to stop %s: %w", key, err)
	}
	return nil
}
