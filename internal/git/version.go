package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// Oldest is the oldest git that Tendril works with: merge-tree --write-tree came with 2.38, and the protocols were tried
// out with 2.39.
const Oldest = "2.39"

// Version asks git for its version, as git writes it: "2.39.5", "2.39.5 (Apple Git-154)".
func Version(ctx context.Context) (string, error) {
	out, err := (&Repo{}).Run(ctx, "version")
	return strings.TrimPrefix(out, "git version "), err
}

// CheckVersion returns an error that says what was found and what to do where git is missing or older than Oldest.
func CheckVersion(ctx context.Context) error {
	version, err := Version(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("there is no git on PATH\n  install git %s or newer, or put it on PATH", Oldest)
	}
	if err != nil {
		return notOpened(".", err)
	}
	if newEnough(version, Oldest) {
		return nil
	}
	path, err := exec.LookPath("git")
	if err != nil {
		path = "git"
	}
	return fmt.Errorf("git %s is too old: %s\n  install git %s or newer, or put it first on PATH", version, path, Oldest)
}

// newEnough compares the first two numbers of two versions; what cannot be read is no version that works.
func newEnough(version, oldest string) bool {
	major, minor, ok := firstTwo(version)
	wantMajor, wantMinor, _ := firstTwo(oldest)
	return ok && (major > wantMajor || major == wantMajor && minor >= wantMinor)
}

// firstTwo reads the first two numbers of a version: of "2.39.5 (Apple Git-154)", 2 and 39.
func firstTwo(version string) (major, minor int, ok bool) {
	numbers := strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) < 2 || !strings.HasPrefix(version, numbers[0]+".") {
		return 0, 0, false
	}
	major, err := strconv.Atoi(numbers[0])
	if err != nil {
		return 0, 0, false
	}
	minor, err = strconv.Atoi(numbers[1])
	return major, minor, err == nil
}
