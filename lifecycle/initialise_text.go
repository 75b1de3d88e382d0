package lifecycle

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"tendril/internal/config"
)

// attributesText is plans/.gitattributes. Nothing in it changes what Tendril records: its own merges take the base's side
// of a conflict here anyway. -merge keeps conflict markers out of files that must stay readable, -text keeps the line
// endings of a diff as they are.
const attributesText = `# What Tendril writes beside a plan: forges fold it in their diffs, git shows no diff of a diff, and a merge by hand never
# puts conflict markers into it.
*/changes*.diff      -text -diff -merge -whitespace linguist-generated gitlab-generated
*/record.yaml        -merge linguist-generated gitlab-generated
*/verification*.md   -merge -whitespace linguist-generated gitlab-generated
*/costs.csv          -text -merge linguist-generated gitlab-generated
*/comparison.md      -merge linguist-generated gitlab-generated
`

// ignoreText is plans/.ignore.
const ignoreText = `# For ripgrep and what searches like it (agents do): a search for code must not find it again in old diffs and logs.
# Plans, reviews, summaries and notes are found. git does not read this file.
*/changes*.diff
*/verification*.md
*/record.yaml
*/costs.csv
`

// ConfigText is .tendril/config.yaml as it would be written.
func (s *Survey) ConfigText(choice InitChoice) []byte {
	var b strings.Builder
	branch := s.Base.Name
	if choice.Layout == LayoutOwn {
		branch = config.OwnBranch
	}
	fmt.Fprintf(&b, "# How Tendril works in this repository. It counts as it is committed on the branch %s.\n"+
		"# What may stand here: tendril help config. A mistake is an error with its line, and starts nothing.\n", branch)
	b.WriteString("\n# Who works on plans that name nobody: NAME, or NAME:MODEL. script runs the plan's own commands, without a model.\n")
	fmt.Fprintf(&b, "agent: %s\n", yamlWord(choice.Agent))
	b.WriteString("\n# edit: agents change files, and Tendril runs the checks.\n" +
		"# full: agents run any command too, as you and unasked: nothing keeps them in their worktree yet.\n")
	fmt.Fprintf(&b, "autonomy: %s\n", choice.Autonomy)
	s.branchKeys(&b, choice)
	s.setupKeys(&b)
	s.checkKeys(&b)
	b.WriteString("\n# Often set too, here with what holds without them:\n" +
		"# parallel: 3        # plans at work at once\n" +
		"# max_attempts: 3    # agent runs in a round before a plan fails\n" +
		"# time_limit: 2h     # of one run\n" +
		"# review_limit: 10   # plans in review before nothing new is started\n")
	return []byte(b.String())
}

// branchKeys writes what only the checkout would tell, and a folder that is not the usual one.
func (s *Survey) branchKeys(b *strings.Builder, choice InitChoice) {
	if s.Base.Checkout {
		b.WriteString("\n# Nothing but the checkout tells the default branch here, so it is written down.\n")
		if choice.Layout == LayoutDefault {
			fmt.Fprintf(b, "branch: %s   # where the plans are\n", yamlWord(s.Base.Name))
		}
		fmt.Fprintf(b, "base: %s   # where work starts from and goes back to\n", yamlWord(s.Base.Name))
	}
	if s.Plans != config.Default().Plans {
		fmt.Fprintf(b, "\n# The folder of the plans; %s is something else here.\nplans: %s\n", s.PlansTaken, yamlWord(s.Plans))
	}
}

// setupKeys writes what makes a worktree usable.
func (s *Survey) setupKeys(b *strings.Builder) {
	if len(s.Setup) > 0 {
		b.WriteString("\n# What makes a fresh worktree usable, before the agent starts.\n")
		usable := false
		for _, step := range s.Setup {
			usable = usable || len(step.Absent) == 0
		}
		b.WriteString(commented(!usable) + "setup:\n")
		for _, step := range s.Setup {
			fmt.Fprintf(b, "%s  - %s   # %s\n", commented(len(step.Absent) > 0), yamlWord(step.Command), because(step.Where, step.Absent))
		}
	}
	if len(s.Copy) > 0 {
		b.WriteString("\n# Files that git ignores, copied from your checkout into each worktree. They never enter a commit.\ncopy:\n")
		for _, name := range s.Copy {
			fmt.Fprintf(b, "  - %s\n", yamlWord(name))
		}
	}
}

// checkKeys writes the checks.
func (s *Survey) checkKeys(b *strings.Builder) {
	b.WriteString("\n# What proves the work. Tendril runs them on the commit under review; what fails goes back to the agent.\n" +
		"# required: false only shows a failure. fix: true may change files: that is committed with the work.\n")
	usable := false
	for _, c := range s.Checks {
		usable = usable || len(c.Absent) == 0
	}
	if !usable {
		b.WriteString("# Without one, every plan is UNVERIFIED: name the command that you run yourself.\n")
	}
	b.WriteString(commented(!usable) + "checks:\n")
	if len(s.Checks) == 0 {
		b.WriteString("#  - {name: test, run: make test, timeout: 10m}\n")
	}
	for _, c := range s.Checks {
		more := ""
		if c.Optional {
			more += ", required: false"
		}
		if c.Fix {
			more += ", fix: true"
		}
		fmt.Fprintf(b, "%s  - {name: %s, run: %s%s}   # %s\n", commented(len(c.Absent) > 0), yamlWord(c.Name), yamlWord(c.Command), more, because(c.Where, c.Absent))
	}
}

func commented(yes bool) string {
	if yes {
		return "#"
	}
	return ""
}

// because says where a command was found, and what it lacks, for a comment: a file may be called whatever it likes, and ends
// no line here.
func because(where string, lacks []string) string {
	where = strings.Map(func(r rune) rune {
		if unprintable(r) {
			return ' '
		}
		return r
	}, where)
	if len(lacks) == 0 {
		return where
	}
	return where + "; not on PATH here: " + strings.Join(lacks, ", ")
}

// plainScalar is what needs no quotes anywhere in YAML, and is no number and no keyword.
var plainScalar = regexp.MustCompile(`^[A-Za-z./][A-Za-z0-9_./=+-]*(?: [A-Za-z0-9_./=+-]+)*$`)

// unprintable reports whether a character could end a line of YAML, or is none that it takes as it stands.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// yamlWord is a scalar for a YAML file, in quotes where it could be read as something else.
func yamlWord(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n", ".inf", ".nan", "":
		return "'" + s + "'"
	}
	if plainScalar.MatchString(s) {
		return s
	}
	if strings.ContainsFunc(s, unprintable) {
		return strconv.QuoteToASCII(s) // its escapes are YAML's too
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
