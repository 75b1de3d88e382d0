package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cases are all comparisons, in the order in which they run.
func cases() []benchCase {
	return []benchCase{stateChange()}
}

// options are what the command line asks for.
type options struct {
	runs, files       int
	dir               string
	json, check, list bool
	names             []string
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	o, err := parse(args, errOut)
	if err != nil {
		return err
	}
	chosen, err := choose(cases(), o.names)
	if err != nil {
		return err
	}
	if o.list {
		for _, c := range chosen {
			fmt.Fprintf(out, "%-14s at most %.2g×: %s\n", c.name, c.target, c.about)
		}
		return nil
	}
	if err := hermetic(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.dir, "tendril-bench-")
	if err != nil {
		return err
	}
	// Deleting is left to the end: many files made soon after many were deleted are slow on some file systems.
	defer func() { _ = os.RemoveAll(dir) }()
	if !o.json {
		fmt.Fprintf(out, "%s\n", conditions(ctx, dir))
	}
	results, err := runCases(ctx, chosen, o, dir, out)
	if err != nil {
		return err
	}
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(results); err != nil {
			return err
		}
	}
	if over := overTarget(results); o.check && len(over) > 0 {
		return fmt.Errorf("over the target: %s", strings.Join(over, ", "))
	}
	return nil
}

func parse(args []string, errOut io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.IntVar(&o.runs, "runs", 7, "measured runs of each side, at least 5")
	flags.IntVar(&o.files, "files", 50_000, "files in the repositories")
	flags.StringVar(&o.dir, "dir", "", "measure on the file system of this folder")
	flags.BoolVar(&o.json, "json", false, "print the results as JSON")
	flags.BoolVar(&o.check, "check", false, "fail when a ratio is over its target")
	flags.BoolVar(&o.list, "list", false, "list the cases")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.runs < minRuns || o.files < 1 {
		return o, fmt.Errorf("at least %d runs and one file", minRuns)
	}
	o.names = flags.Args()
	return o, nil
}

// choose are the cases with these names, all of them without a name.
func choose(all []benchCase, names []string) ([]benchCase, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []benchCase
	var known []string
	for _, c := range all {
		known = append(known, c.name)
		if slices.Contains(names, c.name) {
			chosen = append(chosen, c)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no case %q; there are: %s", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

func runCases(ctx context.Context, chosen []benchCase, o options, dir string, out io.Writer) ([]result, error) {
	var results []result
	for _, c := range chosen {
		own := filepath.Join(dir, c.name)
		if err := os.Mkdir(own, 0o755); err != nil {
			return nil, err
		}
		ours, theirs, err := c.prepare(ctx, setting{dir: own, files: o.files})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		r, err := measure(ctx, c, ours, theirs, o.runs, time.Now)
		if err != nil {
			return nil, err
		}
		if !o.json {
			fmt.Fprintf(out, "%s (%d files): %s\n", c.name, o.files, c.about)
			show(out, ours.name, r.Ours, r.OursAll)
			show(out, theirs.name, r.Theirs, r.TheirsAll)
			fmt.Fprintf(out, "  ratio %.2f, target at most %.2f, load %s\n", r.Ratio, r.Target, load())
		}
		results = append(results, r)
	}
	return results, nil
}

func show(out io.Writer, name string, mid time.Duration, all []time.Duration) {
	fmt.Fprintf(out, "  %-34s median %7.1f ms   %.1f … %.1f\n", name, ms(mid), ms(slices.Min(all)), ms(slices.Max(all)))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func overTarget(results []result) []string {
	var over []string
	for _, r := range results {
		if r.Ratio > r.Target {
			over = append(over, fmt.Sprintf("%s %.2f > %.2f", r.Case, r.Ratio, r.Target))
		}
	}
	return over
}

// hermetic keeps the person's git configuration out of the figures: signing, hooks and monitors.
func hermetic() error {
	var errs []error
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			errs = append(errs, os.Unsetenv(name))
		}
	}
	errs = append(errs, os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull), os.Setenv("GIT_CONFIG_NOSYSTEM", "1"))
	return errors.Join(errs...)
}
