package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"

	"tendril/internal/git"
)

// TrustStore remembers, for one clone, which of the repository's commands may run here. It lies in the runtime folder:
// one file per trusted list, named by its hash.
type TrustStore struct {
	Repo *git.Repo
	Now  func() time.Time
}

// trusted is one file of the store.
type trusted struct {
	At time.Time `json:"at"`
	// Commit is the commit of the plans branch whose commands these were: what is its ancestor needs no second look.
	Commit   string    `json:"commit"`
	Commands []Command `json:"commands"`
}

// Trusted reports whether commands, read at commit of branch (its full ref), may run here: there are none, this list was
// trusted before, or every commit that changed .tendril since the last trusted one was made in this clone, as the
// reflog says. What is found trusted is remembered: reflogs expire.
func (s TrustStore) Trusted(ctx context.Context, branch, commit string, commands []Command) (bool, error) {
	hash := HashCommands(commands)
	if hash == NoCommands {
		return true, nil
	}
	if _, err := os.Stat(s.file(hash)); err == nil {
		return true, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("trusted commands: %w", err)
	}
	ours, err := s.changedHere(ctx, branch, commit)
	if err != nil || !ours {
		return false, err
	}
	if err := s.Trust(commit, commands); err != nil && !errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	// Who may only read cannot have it remembered; that makes it no less true.
	return true, nil
}

// Trust remembers that the commands of commit may run here.
func (s TrustStore) Trust(commit string, commands []Command) error {
	if len(commands) == 0 {
		return nil
	}
	if _, err := EnsureRuntime(s.Repo); err != nil {
		return err
	}
	file := s.file(HashCommands(commands))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("trusted commands: %w", err)
	}
	data, err := json.MarshalIndent(trusted{At: s.Now().UTC(), Commit: commit, Commands: commands}, "", "  ")
	if err != nil {
		return fmt.Errorf("trusted commands: %w", err)
	}
	if err := maybe.WriteFile(file, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("trusted commands: %w", err)
	}
	return nil
}

// Difference shows, a line for each thing, how commands differ from the list trusted last: "+" new, "-" gone. Every line
// of a first list is new; the same list has none.
func (s TrustStore) Difference(commands []Command) (string, error) {
	all, err := s.all()
	if err != nil {
		return "", err
	}
	var last trusted
	for _, t := range all {
		if t.At.After(last.At) {
			last = t
		}
	}
	return difference(last.Commands, commands), nil
}

func (s TrustStore) file(hash string) string {
	return filepath.Join(Runtime(s.Repo), "trust", hash+".json")
}

// all reads the store. A file that cannot be understood trusts nothing by its content, and is passed over.
func (s TrustStore) all() ([]trusted, error) {
	files, err := filepath.Glob(s.file("*"))
	if err != nil {
		return nil, fmt.Errorf("trusted commands: %w", err)
	}
	var all []trusted
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("trusted commands: %w", err)
		}
		var t trusted
		if json.Unmarshal(data, &t) == nil {
			all = append(all, t)
		}
	}
	return all, nil
}

// changedHere reports whether every commit that changed .tendril up to commit, and is not an ancestor of a trusted one,
// was made in this clone.
func (s TrustStore) changedHere(ctx context.Context, branch, commit string) (bool, error) {
	all, err := s.all()
	if err != nil {
		return false, err
	}
	args := []string{"rev-list", "--ignore-missing", commit}
	for _, t := range all {
		if t.Commit != "" {
			args = append(args, "^"+t.Commit)
		}
	}
	args = append(args, "--", File, agentsDir, presetsDir, promptwareDir, ":(exclude,glob)"+promptwareDir+"*/Memory/**")
	out, err := s.Repo.Run(ctx, args...)
	if err != nil {
		return false, fmt.Errorf("who changed %s: %w", Dir, err)
	}
	made, err := s.madeHere(ctx, branch)
	if err != nil {
		return false, err
	}
	for id := range strings.FieldsSeq(out) {
		if !made[id] {
			return false, nil
		}
	}
	// Nothing changed since a trusted commit, but the list is another: then something else decides it (a rewound
	// branch), and a person has to look.
	return out != "", nil
}

// reflogEntry is one step of a reflog: the value it went to, who did it, and how.
type reflogEntry struct{ id, subject, email string }

// madeHere are the commits that a person made by `git commit` in this clone, by the reflogs of branch and of the main
// worktree. A fetched, merged, picked or rebased commit is not among them, nor an agent's.
func (s TrustStore) madeHere(ctx context.Context, branch string) (map[string]bool, error) {
	made := map[string]bool{}
	for _, ref := range [...]string{branch, "main-worktree/HEAD"} {
		out, err := s.Repo.Run(ctx, "log", "--walk-reflogs", "--ignore-missing", "--format=%H%x00%ge%x00%gs", ref, "--")
		if err != nil {
			return nil, fmt.Errorf("reflog of %s: %w", ref, err)
		}
		var entries []reflogEntry
		for line := range strings.SplitSeq(out, "\n") {
			if fields := strings.SplitN(line, "\x00", 3); len(fields) == 3 {
				entries = append(entries, reflogEntry{fields[0], fields[2], fields[1]})
			}
		}
		slices.Reverse(entries) // oldest first
		addMade(made, entries)
	}
	return made, nil
}

// addMade judges the entries of one reflog, oldest first. An amended commit counts when the one it replaced did: else
// amending would make a stranger's commit ours.
func addMade(made map[string]bool, entries []reflogEntry) {
	before := ""
	for _, e := range entries {
		kind, _, _ := strings.Cut(e.subject, ":")
		switch {
		case strings.HasSuffix(e.email, agentDomain):
		case kind == "commit", kind == "commit (initial)", kind == "commit (amend)" && made[before]:
			made[e.id] = true
		}
		before = e.id
	}
}
