package verify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"tendril/internal/check"
	"tendril/internal/redact"
	"tendril/plans"
)

const (
	// outputReport is a Check's Report where its output is the report.
	outputReport = "-"
	// maxReports bounds how many reports of one check are read.
	maxReports = 2000
)

// readReports reads what a check wrote of its cases, and judges: tests that its report calls failed have failed whatever
// the exit code, and so has a suite that ran none. A report that is missing or cannot be read says nothing good.
func (r *run) readReports(o *outcome, log string, began time.Time) {
	if o.check.Report == "" || o.res.TimedOut || o.res.Flooded {
		return
	}
	report, err := r.reports(o.check.Report, log, began)
	if err != nil {
		if o.res.Exit == 0 {
			o.why = err.Error()
		}
		return
	}
	o.report = report
	if !report.Tests() {
		return
	}
	// The report counts for more than words in the output.
	o.res.NoTests = report.Ran == 0
	if report.Failed > 0 && o.res.Exit == 0 {
		o.why = fmt.Sprintf("it exited with 0, and its report names failed tests: %d", report.Failed)
	}
}

// reports reads the reports of a check that began at a moment: older ones are of another run.
func (r *run) reports(glob, log string, began time.Time) (*check.Report, error) {
	if glob == outputReport {
		data, err := readSome(func() (fs.File, error) { return os.Open(log) })
		if err != nil {
			return nil, fmt.Errorf("its output is no report: %w", err)
		}
		report, err := check.ParseReport(data)
		if err != nil {
			return nil, fmt.Errorf("its output is no report: %w", err)
		}
		return &report, nil
	}
	root, err := os.OpenRoot(r.Workspace.Path)
	if err != nil {
		return nil, fmt.Errorf("its report: %w", err)
	}
	defer func() { _ = root.Close() }() // read only
	names, err := doublestar.Glob(root.FS(), glob, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return nil, fmt.Errorf("its report %s: %w", glob, err)
	}
	if len(names) > maxReports {
		return nil, fmt.Errorf("there are %d reports %s, too many to read", len(names), glob)
	}
	var sum *check.Report
	for _, name := range names {
		// File systems keep times by the second at worst. Opening a pipe would wait for who writes it.
		if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.ModTime().Before(began.Truncate(time.Second)) {
			continue
		}
		data, err := readSome(func() (fs.File, error) { return root.FS().Open(name) })
		if err != nil {
			return nil, fmt.Errorf("its report %s: %w", name, err)
		}
		one, err := check.ParseReport(data)
		if err != nil {
			return nil, fmt.Errorf("its report %s: %w", name, err)
		}
		if sum == nil {
			sum = &check.Report{Ran: -1}
		}
		sum.Add(one)
	}
	if sum == nil {
		return nil, fmt.Errorf("it wrote no report %s", glob)
	}
	return sum, nil
}

// readSome reads a plain file that is not larger than a report may be.
func readSome(open func() (fs.File, error)) (data []byte, err error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	if data, err = io.ReadAll(io.LimitReader(f, check.MaxReport+1)); err == nil && len(data) > check.MaxReport {
		err = fmt.Errorf("it is larger than %d MB", check.MaxReport>>20)
	}
	return data, err
}

// cases are the failed cases for a person and the agent, less secrets, and how many failed in all.
func (o outcome) cases(r *redact.Redactor) ([]plans.Case, int) {
	if o.report == nil {
		return nil, 0
	}
	clean := func(s string) string { return string(r.Bytes([]byte(s))) }
	var out []plans.Case
	for _, c := range o.report.Cases {
		out = append(out, plans.Case{Name: clean(c.Name), File: clean(c.File), Line: c.Line, Message: clean(c.Message)})
	}
	return out, o.report.Failed
}
