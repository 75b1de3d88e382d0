package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// PersonName and PersonEmail are who commits in tests unless a test says otherwise.
const (
	PersonName  = "Pat Person"
	PersonEmail = "pat@example.com"
)

// DefaultBranch is the first branch of the repositories made here.
const DefaultBranch = "main"

// gitConfig is the person's global git configuration in tests.
const gitConfig = `[user]
	name = ` + PersonName + `
	email = ` + PersonEmail + `
[init]
	defaultBranch = ` + DefaultBranch + `
[core]
	autocrlf = false
[commit]
	gpgsign = false
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
[advice]
	detachedHead = false
`

// homes remembers the home folder of each test of a package without TestMain, so that a test's calls agree on it.
var homes sync.Map // testing.TB → string

// Env is the whole environment for a child process of this test: the caller's, less all that points at the person
// (HOME, XDG folders, GIT_*, TENDRIL_*), plus a home of its own with a fixed identity. The slice is the caller's.
func Env(t testing.TB) []string {
	t.Helper()
	if home := os.Getenv(homeVariable); home != "" {
		return hermetic(os.Environ(), home)
	}
	home, ok := homes.Load(t)
	if !ok {
		home = t.TempDir()
		if err := fillHome(home.(string)); err != nil {
			t.Fatalf("testkit: %v", err)
		}
		homes.Store(t, home)
		t.Cleanup(func() { homes.Delete(t) })
	}
	return hermetic(os.Environ(), home.(string))
}

// Setenv returns env with NAME set to value, any older value of it removed.
func Setenv(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if n, _, _ := strings.Cut(kv, "="); n != name {
			out = append(out, kv)
		}
	}
	return append(out, name+"="+value)
}

// Home makes dir a home folder as tests have it, and returns the whole environment of a process that lives there: for
// testscript, where each script has a home of its own.
func Home(t testing.TB, dir string) []string {
	t.Helper()
	if err := fillHome(dir); err != nil {
		t.Fatalf("testkit: %v", err)
	}
	return hermetic(os.Environ(), dir)
}

// hermetic is base less the person's own, plus the variables of home.
func hermetic(base []string, home string) []string {
	set := homeVariables(home)
	out := make([]string, 0, len(base)+len(set))
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := set[name]; replaced || personal(name) {
			continue
		}
		out = append(out, kv)
	}
	for _, name := range sortedKeys(set) {
		out = append(out, name+"="+set[name])
	}
	return out
}

// personal reports whether a variable of the caller's could change what a test sees.
func personal(name string) bool {
	switch name {
	case homeVariable, "EDITOR", "VISUAL", "PAGER", "NO_COLOR", "CLICOLOR_FORCE", "GH_TOKEN", "GITHUB_TOKEN", "SSH_ASKPASS", "LANGUAGE":
		return true
	}
	return strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "TENDRIL_") || strings.HasPrefix(name, "GH_")
}

// homeVariables are the variables that put a process into home.
func homeVariables(home string) map[string]string {
	set := map[string]string{
		"HOME":                home,
		"XDG_CONFIG_HOME":     filepath.Join(home, ".config"),
		"XDG_CACHE_HOME":      filepath.Join(home, ".cache"),
		"XDG_DATA_HOME":       filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME":      filepath.Join(home, ".local", "state"),
		"GIT_CONFIG_GLOBAL":   filepath.Join(home, ".gitconfig"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_TERMINAL_PROMPT": "0",
		"LC_ALL":              "C",
		"TZ":                  "UTC",
		// A race-enabled process otherwise sleeps for a second before it exits: tests start many.
		"GORACE": strings.TrimSpace(os.Getenv("GORACE") + " atexit_sleep_ms=0"),
	}
	if runtime.GOOS == "windows" {
		set["USERPROFILE"] = home
	}
	return set
}

// fillHome writes what a home folder in tests holds.
func fillHome(home string) error {
	if err := os.MkdirAll(filepath.Join(home, ".config"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitConfig), 0o600)
}
