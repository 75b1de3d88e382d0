package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// settings are answers of git config, kept for as long as the repository's own configuration file does not change. What
// changes in the user's or the system's file meanwhile is seen by the next process.
type settings struct {
	mu      sync.Mutex
	of      fileStamp
	answers map[string]string
}

// fileStamp tells one state of a file from another.
type fileStamp struct {
	size     int64
	modified time.Time
}

// setting asks git config once.
func (r *Repo) setting(ctx context.Context, args ...string) (string, error) {
	ask := func() (string, error) {
		out, err := r.Run(ctx, append([]string{"config", "-z"}, args...)...)
		if code, exited := ExitCode(err); exited && code == 1 {
			return "", nil // it is not set
		}
		return strings.TrimSuffix(out, "\x00"), err
	}
	if r.pinned || r.shared == nil {
		return ask()
	}
	kept := &r.shared.settings
	kept.mu.Lock()
	defer kept.mu.Unlock()
	var now fileStamp
	if info, err := os.Stat(filepath.Join(r.CommonDir, "config")); err == nil {
		now = fileStamp{info.Size(), info.ModTime()}
	}
	if kept.answers == nil || kept.of != now {
		kept.of, kept.answers = now, map[string]string{}
	}
	question := strings.Join(args, "\x00")
	if answer, ok := kept.answers[question]; ok {
		return answer, nil
	}
	answer, err := ask()
	if err == nil {
		kept.answers[question] = answer
	}
	return answer, err
}

// Setting is the value of a configuration key; empty where it is not set.
func (r *Repo) Setting(ctx context.Context, key string) (string, error) {
	value, err := r.setting(ctx, "--get", key)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	return value, nil
}

// Remotes are the names of the repository's remotes, sorted.
func (r *Repo) Remotes(ctx context.Context) ([]string, error) {
	out, err := r.setting(ctx, "--name-only", "--get-regexp", `^remote\..*\.(url|fetch)$`)
	if err != nil {
		return nil, fmt.Errorf("list the remotes: %w", err)
	}
	var names []string
	for key := range strings.SplitSeq(out, "\x00") {
		name := strings.TrimPrefix(key, "remote.")
		if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.ContainsAny(name, "\n") {
			names = append(names, name[:i])
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
