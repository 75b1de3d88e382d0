package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// conditions is one line on the machine that the figures are from.
func conditions(ctx context.Context, dir string) string {
	version, err := gitIn(ctx, dir, "version")
	if err != nil {
		version = err.Error()
	}
	return fmt.Sprintf("%s, %s, %s/%s, %d cores, file system %s, load %s",
		strings.TrimSpace(version), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), fileSystem(ctx, dir), load())
}

// load is the machine's, in processes; "unknown" where the system does not tell.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(data))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

func fileSystem(ctx context.Context, dir string) string {
	out, err := exec.CommandContext(ctx, "stat", "-f", "-c", "%T", dir).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// gitIn runs plain git, as a person or a script would.
func gitIn(ctx context.Context, dir string, args ...string) (string, error) {
	return gitInput(ctx, dir, nil, args...)
}

func gitInput(ctx context.Context, dir string, stdin []byte, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
