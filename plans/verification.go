package plans

import "fmt"

// VerificationVersion is the version of verification.md that this build writes.
const VerificationVersion = 1

// The results of a verification and of its checks.
const (
	ResultPassed     = "passed"
	ResultFailed     = "failed"
	ResultUnverified = "unverified"
	ResultSkipped    = "skipped"
	ResultFlaky      = "flaky"
)

// Verification is verification.md: what Tendril saw when it ran the checks on one commit.
type Verification struct {
	Version int `yaml:"version"`
	// Commit is the head that was verified, Base what it was compared with.
	Commit string `yaml:"commit"`
	Base   string `yaml:"base"`
	// Result is passed, failed or unverified (there was no check).
	Result string        `yaml:"result"`
	Checks []CheckResult `yaml:"checks"`
	// Diff is written into the body only.
	Diff DiffSummary `yaml:"-"`
}

// CheckResult is one check of a verification.
type CheckResult struct {
	Name    string `yaml:"name"`
	Command string `yaml:"command,omitempty"`
	// Result is passed, failed, skipped or flaky.
	Result string `yaml:"result"`
	// Exit is nil where no process ended with a code (built in, skipped, ended by its time limit).
	Exit     *int    `yaml:"exit,omitempty"`
	Seconds  float64 `yaml:"seconds"`
	Required bool    `yaml:"required"`
	// Log is the SHA-256 of the whole output, in hex.
	Log string `yaml:"log,omitempty"`
	// Tail is the end of the output, or why the check was skipped: in the body only.
	Tail string `yaml:"-"`
	// LogName is the file of the whole output, in the folder of the plan's logs where it was verified; in the body only.
	LogName string `yaml:"-"`
	// Cases are failed cases that the check's report names, some of FailedCases; in the body only.
	Cases       []Case `yaml:"-"`
	FailedCases int    `yaml:"-"`
}

// Case is one failed test, or one finding of an analyser.
type Case struct {
	Name string
	// File has slashes, Line counts from 1; zero where the report names none.
	File string
	Line int
	// Message is what it says, in one line.
	Message string
}

// Where is file and line as compilers write them; empty where there is no file.
func (c Case) Where() string {
	if c.File == "" || c.Line == 0 {
		return c.File
	}
	return fmt.Sprintf("%s:%d", c.File, c.Line)
}

// DiffSummary is Tendril's own summary of the diff.
type DiffSummary struct {
	// Files, Added and Deleted count without what is generated.
	Files, Added, Deleted int
	// Tests is how many of the files are tests.
	Tests int
	// Outside are files outside the plan's scope, Generated those left out of the counts.
	Outside, Generated []string
}
