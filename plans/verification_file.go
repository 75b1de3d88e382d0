package plans

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"tendril/internal/md"
)

const (
	// tailLimit bounds the output of one check in the file, tailsLimit that of all together, in bytes. The whole output is
	// in the run's log.
	tailLimit  = 8 << 10
	tailsLimit = 128 << 10
)

// verificationMigrations are to verification.md what recordMigrations are to record.yaml. It is read only.
var verificationMigrations = map[int]func(*yaml.Node) error{}

// Marshal returns verification.md: the figures as front matter, then the same for a person, the result first. Equal values
// give equal bytes. No output of a check gets out of its block.
func (v *Verification) Marshal() ([]byte, error) {
	c := *v
	c.Version = VerificationVersion
	c.Checks = slices.Clone(v.Checks)
	for i := range c.Checks {
		c.Checks[i].Name = strings.ToValidUTF8(c.Checks[i].Name, "\uFFFD")
		c.Checks[i].Command = strings.ToValidUTF8(c.Checks[i].Command, "\uFFFD")
		c.Checks[i].Seconds = seconds(c.Checks[i].Seconds)
	}
	if bad := c.check(); bad != nil {
		return nil, fmt.Errorf("write %s: %w", VerificationFile, bad)
	}
	matter, err := marshalYAML(&c)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", VerificationFile, err)
	}
	var b strings.Builder
	b.WriteString("---\n" + string(matter) + "---\n")
	c.headline(&b)
	c.table(&b)
	c.Diff.write(&b)
	c.tails(&b)
	return []byte(b.String()), nil
}

// ParseVerification reads the front matter of verification.md; path is for messages. Diff and the checks' tails are for people
// and are not read back. Errors are *SyntaxError.
func ParseVerification(path string, src []byte) (*Verification, error) {
	at, bad := split(src)
	if bad != nil {
		return nil, bad.at(path)
	}
	var v Verification
	if bad := decodeVersioned(src[at.matter:at.close], &v, &v.Version, VerificationVersion, verificationMigrations); bad != nil {
		if bad.Line > 0 {
			bad.Line++ // the fence above
		}
		return nil, bad.at(path)
	}
	if bad := v.check(); bad != nil {
		return nil, bad.at(path)
	}
	return &v, nil
}

// check holds the words that results have.
func (v *Verification) check() *SyntaxError {
	if !slices.Contains([]string{ResultPassed, ResultFailed, ResultUnverified}, v.Result) {
		return &SyntaxError{Msg: fmt.Sprintf("result: %q is not one", clip(v.Result)), Hint: recordHint}
	}
	for _, c := range v.Checks {
		if !slices.Contains([]string{ResultPassed, ResultFailed, ResultSkipped, ResultFlaky}, c.Result) {
			return &SyntaxError{Msg: fmt.Sprintf("check %q: result %q is not one", clip(c.Name), clip(c.Result)), Hint: recordHint}
		}
	}
	return nil
}

// headline says in one sentence what a person needs to know first.
func (v *Verification) headline(b *strings.Builder) {
	var failed []string
	required, passed := 0, 0
	for _, c := range v.Checks {
		if !c.Required {
			continue
		}
		required++
		switch c.Result {
		case ResultPassed, ResultFlaky:
			passed++
		case ResultFailed:
			failed = append(failed, md.Text(c.Name))
		}
	}
	switch v.Result {
	case ResultPassed:
		b.WriteString("# Passed\n\n")
	case ResultFailed:
		b.WriteString("# Failed" + prefixed(": ", strings.Join(failed, ", ")) + "\n\n")
	default:
		b.WriteString("# UNVERIFIED\n\nNo check of the project vouches for this change.\n\n")
	}
	for _, c := range v.Checks {
		if c.Result == ResultFlaky {
			fmt.Fprintf(b, "**%s failed, and passed only when it was run again.**\n\n", md.Text(c.Name))
		}
	}
	fmt.Fprintf(b, "%d of %d required %s passed on %s, compared with %s.\n", passed, required, plural(required, "check", "checks"), short(v.Commit), short(v.Base))
}

func (v *Verification) table(b *strings.Builder) {
	if len(v.Checks) == 0 {
		return
	}
	b.WriteString("\n| check | result | time | required |\n| --- | --- | ---: | --- |\n")
	for _, c := range v.Checks {
		result := c.Result
		if c.Result == ResultFailed || c.Result == ResultFlaky {
			result = "**" + result + "**"
		}
		if c.Exit != nil && *c.Exit != 0 {
			result += fmt.Sprintf(", exit %d", *c.Exit)
		}
		if c.Result == ResultSkipped {
			result += prefixed(": ", md.Text(clip(c.Tail)))
		}
		required := "no"
		if c.Required {
			required = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", md.Text(c.Name), result, elapsed(c.Seconds), required)
	}
}

// write gives Tendril's own summary of the diff.
func (d DiffSummary) write(b *strings.Builder) {
	b.WriteString("\n## The change\n\n")
	fmt.Fprintf(b, "%d %s, %d %s added, %d deleted; ", d.Files, plural(d.Files, "file", "files"), d.Added, plural(d.Added, "line", "lines"), d.Deleted)
	switch d.Tests {
	case 0:
		b.WriteString("no tests touched.\n")
	case 1:
		b.WriteString("1 of the files is a test.\n")
	default:
		fmt.Fprintf(b, "%d of the files are tests.\n", d.Tests)
	}
	writePaths(b, "Outside the scope", d.Outside)
	writePaths(b, "Generated, and not counted", d.Generated)
}

// writePaths lists paths, some of them where there are many.
func writePaths(b *strings.Builder, title string, paths []string) {
	if len(paths) == 0 {
		return
	}
	const most = 20
	b.WriteString("\n" + title + ":\n\n")
	for i, p := range paths {
		if i == most {
			fmt.Fprintf(b, "- and %d more\n", len(paths)-most)
			return
		}
		b.WriteString("- " + md.Text(p) + "\n")
	}
}

// tails shows the end of the output of every check that did not pass.
func (v *Verification) tails(b *strings.Builder) {
	left := tailsLimit
	for _, c := range v.Checks {
		if c.Result != ResultFailed && c.Result != ResultFlaky {
			continue
		}
		fmt.Fprintf(b, "\n## %s: %s", md.Text(c.Name), c.Result)
		if c.Exit != nil {
			fmt.Fprintf(b, ", exit %d", *c.Exit)
		}
		b.WriteString("\n\n")
		if c.Command != "" {
			b.WriteString(md.CodeBlock("sh", c.Command) + "\n")
		}
		c.cases(b)
		tail := lastLines(c.Tail, min(tailLimit, left))
		left -= len(tail)
		switch {
		case tail != "":
			b.WriteString(md.CodeBlock("text", tail))
		case c.Tail != "":
			b.WriteString("The output is left out here, there is too much of it.\n")
		default:
			b.WriteString("It printed nothing.\n")
		}
		if c.LogName != "" && c.Log != "" {
			fmt.Fprintf(b, "\nThe whole output: %s in the logs of the clone that ran it, SHA-256 %s.\n", md.Text(c.LogName), md.Text(c.Log[:min(len(c.Log), 12)]))
		}
	}
}

// mostCases is how many failed cases of a check the file names.
const mostCases = 50

// cases is the table of failed cases, with file and line.
func (c CheckResult) cases(b *strings.Builder) {
	if len(c.Cases) == 0 {
		return
	}
	b.WriteString("| failed | where | what it says |\n| --- | --- | --- |\n")
	for _, one := range c.Cases[:min(len(c.Cases), mostCases)] {
		fmt.Fprintf(b, "| %s | %s | %s |\n", md.Text(one.Name), md.Text(one.Where()), md.Text(one.Message))
	}
	if shown := min(len(c.Cases), mostCases); c.FailedCases > shown {
		fmt.Fprintf(b, "\nand %d more\n", c.FailedCases-shown)
	}
	b.WriteString("\n")
}

// lastLines returns whole lines from the end of s, limit bytes at most, or the end of the last one where it is longer.
func lastLines(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[len(s)-limit:]
	if _, rest, ok := strings.Cut(s, "\n"); ok && rest != "" {
		s = rest
	}
	return strings.ToValidUTF8(s, "")
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// short cuts a commit id to what people compare.
func short(id string) string {
	if len(id) > 12 {
		id = id[:12]
	}
	if id == "" {
		return "nothing"
	}
	return md.Text(id)
}

// elapsed writes seconds for people.
func elapsed(v float64) string {
	d := time.Duration(v * float64(time.Second))
	if d < time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}
