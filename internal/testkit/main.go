package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.uber.org/goleak"
)

// homeVariable tells Env, in this process and in re-executed ones, that Main has run and where its home is.
const homeVariable = "TESTKIT_HOME"

// Main runs a package's tests in an environment of their own: a home folder with a fixed git identity, no system
// configuration, no GIT_* and TENDRIL_* of the caller, one locale and time zone. The folder is removed afterwards.
// Each check runs after passing tests; an error of one fails the package (see NoLeaks). Call it as
//
//	func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }
//
// A test binary that plays another program when re-executed decides that before it calls Main, and then inherits the
// environment set here. m is a *testing.M, or what stands for it (testscript).
func Main(m interface{ Run() int }, checks ...func() error) int {
	code := run(m, checks)
	if code != 0 {
		// A TestMain that drops the result would exit with the tests' own code, which may be 0 when a check failed.
		os.Exit(code)
	}
	return code
}

func run(m interface{ Run() int }, checks []func() error) int {
	// The toolchain's caches lie under the real home: tests that build keep using them.
	keepGoCaches()
	home, err := os.MkdirTemp("", "tendril-home-")
	if err != nil {
		return complain(err)
	}
	if home, err = filepath.EvalSymlinks(home); err == nil {
		err = fillHome(home)
	}
	if err != nil {
		return complain(err)
	}
	if err := enter(home); err != nil {
		return complain(err)
	}
	code := m.Run()
	for _, check := range checks {
		if err := check(); err != nil && code == 0 {
			code = complain(err)
		}
	}
	if err := os.RemoveAll(home); err != nil && code == 0 {
		code = complain(fmt.Errorf("remove the home folder (is a process left behind?): %w", err))
	}
	return code
}

// NoLeaks is a check for Main: no goroutine may be left when the tests have ended.
func NoLeaks() error { return goleak.Find() }

// enter makes this process's environment the hermetic one.
func enter(home string) error {
	want := hermetic(os.Environ(), home)
	os.Clearenv()
	for _, kv := range append(want, homeVariable+"="+home) {
		name, value, _ := strings.Cut(kv, "=")
		if name == "" {
			continue // Windows keeps its drives' folders in variables without a name.
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// keepGoCaches pins the build and module caches, which default to folders below the home.
func keepGoCaches() {
	real, err := os.UserHomeDir()
	if err != nil {
		return // Without a home there is no default to keep.
	}
	defaults := map[string]string{"GOPATH": filepath.Join(real, "go")}
	if cache, err := os.UserCacheDir(); err == nil {
		defaults["GOCACHE"] = filepath.Join(cache, "go-build")
	}
	for name, value := range defaults {
		if os.Getenv(name) == "" {
			// A name and value from the system itself: it cannot be refused.
			_ = os.Setenv(name, value)
		}
	}
}

func complain(err error) int {
	fmt.Fprintf(os.Stderr, "testkit: %v\n", err)
	return 1
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
