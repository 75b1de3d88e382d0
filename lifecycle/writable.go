package lifecycle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mayWrite says in an error which of the places that every change needs this user may not write to. It is asked before
// anything is begun: git itself notices half-way.
func (p *Project) mayWrite() error {
	common := p.Repo.CommonDir
	for _, dir := range [...]string{common, filepath.Join(common, "objects"), filepath.Join(common, "refs", "heads"), p.Repo.GitDir, p.Runtime} {
		err := writable(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if whose := ownerOf(dir); whose != "" {
			return fmt.Errorf("you may not write to %s, which belongs to %s: %w\n  call tendril as %s, or have the folder made writable for you", dir, whose, err, whose)
		}
		return fmt.Errorf("you may not write to %s: %w\n  have the folder made writable for you", dir, err)
	}
	return nil
}

// ensureRuntime makes the runtime folder, which only its owner may read.
func (p *Project) ensureRuntime() error {
	if err := p.mayWrite(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Runtime, 0o700); err != nil {
		return fmt.Errorf("make the runtime folder: %w", err)
	}
	return nil
}
