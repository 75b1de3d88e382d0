package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"tendril/internal/crash"
	"tendril/plans"
)

// Ledger remembers which approvals started an execution, so that none does twice: not after a crash, not after the plans
// branch was rewound. Its files are never deleted. Two processes may use it at once.
type Ledger struct {
	// Dir holds one file per plan and approval. It is made when the first is claimed.
	Dir string
}

const (
	// crashClaim lies before a claim is visible, crashClaimed after it is durable.
	crashClaim   crash.Point = "gate.claim"
	crashClaimed crash.Point = "gate.claimed"
)

// CrashPoints lists the moments of this room at which a test may kill the process. It is read only.
var CrashPoints = []crash.Point{crashClaim, crashClaimed}

// ClaimedError says that an approval already started another run.
type ClaimedError struct {
	Key           plans.Key
	Approval, Run string
}

// Error names the run.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("the approval %s of %s already started run %s\n  approve the plan again to run it again",
		short(e.Approval), e.Key, e.Run)
}

// Claimed returns the run that the approval (a full commit id) started, and whether it started one.
func (l Ledger) Claimed(key plans.Key, approval string) (run string, ok bool, err error) {
	file, err := l.file(key, approval)
	if err != nil {
		return "", false, err
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read the ledger: %w", err)
	}
	return strings.TrimSpace(string(data)), true, nil
}

// Claim writes down, durably, that the approval (a full commit id) starts run. To claim it again for the same run is
// fine; for another one is a *ClaimedError.
func (l Ledger) Claim(key plans.Key, approval, run string) error {
	file, err := l.file(key, approval)
	if err != nil {
		return err
	}
	if run == "" || strings.ContainsAny(run, "\n\r") {
		return fmt.Errorf("%q is no run's id", run)
	}
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return fmt.Errorf("make the ledger: %w", err)
	}
	switch err := l.write(file, run+"\n"); {
	case errors.Is(err, fs.ErrExist):
		return l.compare(key, approval, run)
	case err != nil:
		return fmt.Errorf("write the ledger: %w", err)
	}
	crash.At(crashClaimed)
	return nil
}

// compare judges a claim of what is claimed already. What another process wrote a moment ago is made durable here too.
func (l Ledger) compare(key plans.Key, approval, run string) error {
	had, _, err := l.Claimed(key, approval)
	if err != nil {
		return err
	}
	if had != run {
		return &ClaimedError{Key: key, Approval: approval, Run: had}
	}
	return syncDir(l.Dir)
}

// write makes the file appear with its whole content, or not at all, and only where there is none: the content is
// synced under another name first, and a link never replaces. Where the file system has no links, the file is created
// exclusively; a crash in between then leaves it short, which counts as claimed by a run that nobody knows.
func (l Ledger) write(file, content string) error {
	tmp, err := os.CreateTemp(l.Dir, ".claim-*")
	if err != nil {
		return err
	}
	// A leftover of this name means nothing to anybody.
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err := writeSynced(tmp, content); err != nil {
		return err
	}
	crash.At(crashClaim)
	err = os.Link(tmp.Name(), file)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if err := writeSynced(f, content); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return syncDir(l.Dir)
}

// writeSynced writes the content, makes it durable and closes the file.
func writeSynced(f *os.File, content string) error {
	_, err := f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the names in a folder durable. Windows knows no such thing; there the file system's journal does it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// file is where a claim is kept. Key and approval are checked, because they become a file's name.
func (l Ledger) file(key plans.Key, approval string) (string, error) {
	if _, err := plans.ParseKey(string(key)); err != nil {
		return "", err
	}
	if !isID(approval, "sha1") && !isID(approval, "sha256") {
		return "", fmt.Errorf("%q is not a full commit id", approval)
	}
	return filepath.Join(l.Dir, string(key)+"."+approval), nil
}
