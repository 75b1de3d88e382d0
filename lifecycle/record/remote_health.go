package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"

	"tendril/internal/git"
)

// Health is how the talk with a remote goes, for a process that does not talk to it itself.
type Health struct {
	Remote string `json:"remote"`
	Branch string `json:"branch"`
	// Reached is when the remote last answered, as far as it was noted: at most a minute too early.
	Reached time.Time `json:"reached"`
	// Trouble, when set, is what is wrong, in one line, since Since; Mend is what to do about it.
	Trouble string    `json:"trouble,omitempty"`
	Mend    string    `json:"mend,omitempty"`
	Since   time.Time `json:"since"`
	// Push is true where the trouble came up in pushing: that the remote answers does not end it.
	Push bool `json:"push,omitempty"`
}

const healthFile = "sync.json"

// healthNews is how old a noted success may become before it is noted again.
const healthNews = time.Minute

// ReadHealth reads what was noted last; the zero value where nothing was.
func ReadHealth(runtime string) (Health, error) {
	var h Health
	data, err := os.ReadFile(filepath.Join(runtime, healthFile))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("read how the remote is: %w", err)
	}
	// A file that cannot be read says nothing; the next talk writes it anew.
	if json.Unmarshal(data, &h) != nil {
		return Health{}, nil
	}
	return h, nil
}

// health notes how a talk went, a push or only a question, and returns its error.
func (u *Remote) health(ctx context.Context, err error, push bool) error {
	if ctx.Err() != nil {
		return err // it was broken off here, which says nothing about the remote
	}
	now := time.Now()
	if u.Now != nil {
		now = u.Now()
	}
	old, readErr := ReadHealth(u.Runtime)
	if readErr != nil {
		old = Health{}
	}
	h := Health{Remote: u.Name, Branch: u.Branch, Reached: now}
	if old.Remote != u.Name || old.Branch != u.Branch {
		old = Health{}
	}
	if trouble, mend := troubleOf(err); trouble != "" {
		h.Reached, h.Trouble, h.Mend, h.Since = old.Reached, trouble, mend, now
		// What the server refused, it refuses until it takes something; whether it can be reached, any answer tells.
		refused := (*RefusedError)(nil)
		h.Push = push && errors.As(err, &refused)
		if old.Trouble != "" {
			h.Since = old.Since
		}
	} else if old.Push && !push {
		h.Trouble, h.Mend, h.Since, h.Push = old.Trouble, old.Mend, old.Since, true
	}
	if h.Trouble == old.Trouble && (h.Trouble != "" || h.Reached.Sub(old.Reached) < healthNews) {
		return err
	}
	if data, e := json.Marshal(h); e == nil {
		// It is for people to look at: what cannot be written is said by the talk itself.
		_ = maybe.WriteFile(filepath.Join(u.Runtime, healthFile), append(data, '\n'), 0o600)
	}
	return err
}

// troubleOf is what is wrong with the remote, and what to do about it; nothing where an error is not about the remote.
func troubleOf(err error) (trouble, mend string) {
	if !RemoteTrouble(err) {
		return "", ""
	}
	trouble, mend, _ = strings.Cut(err.Error(), "\n")
	return trouble, strings.TrimSpace(mend)
}

// RemoteTrouble reports whether an error is about the remote: it cannot be reached, refuses, or its branch is not what it
// was. What was to be written stays to be written.
func RemoteTrouble(err error) bool {
	var remote *git.RemoteError
	var gone *GoneError
	var rewound *RewoundError
	var refused *RefusedError
	return errors.As(err, &remote) || errors.As(err, &gone) || errors.As(err, &rewound) || errors.As(err, &refused)
}
