package cmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"tendril/internal/config"
	"tendril/internal/term"
	"tendril/lifecycle"
)

// surveyText shows what was found, and where.
func surveyText(s *lifecycle.Survey, info term.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "default branch %s (%s)\n", s.Base.Name, s.Base.By)
	if s.Config != nil {
		fmt.Fprintf(&b, "%s is there already, on %s: it stays as it is\n", config.File, s.Branch)
		return b.String()
	}
	rows := foundRows(s)
	if len(rows) == 0 {
		b.WriteString("no command found that builds, tests or checks anything: name yours under checks: in " + config.File + "\n")
	} else {
		fmt.Fprintf(&b, "\n%s\n", info.Paint(term.Bold, "Found in the repository"))
		for _, line := range aligned(rows) {
			b.WriteString("  " + line + "\n")
		}
	}
	for _, note := range s.Notes {
		b.WriteString("  note: " + term.Clean(note) + "\n")
	}
	if s.PlansTaken != "" {
		fmt.Fprintf(&b, "  %s/ holds something else: plans go to %s/\n", s.PlansTaken, s.Plans)
	}
	var here, absent []string
	for _, a := range s.Agents {
		if a.Program != "" {
			here = append(here, a.Name)
		} else {
			absent = append(absent, a.Name)
		}
	}
	fmt.Fprintf(&b, "\n%s  %s\n", info.Paint(term.Bold, "Agents on PATH"), strings.Join(here, ", "))
	if len(absent) > 0 {
		fmt.Fprintf(&b, "  not there: %s\n", strings.Join(absent, ", "))
	}
	return b.String()
}

// foundRows are the commands with what they are for and where they were found.
func foundRows(s *lifecycle.Survey) [][3]string {
	var rows [][3]string
	where := func(where string, lacks []string) string {
		if len(lacks) > 0 {
			where += "; not on PATH: " + strings.Join(lacks, ", ") + ", so only a comment"
		}
		return where
	}
	for _, step := range s.Setup {
		rows = append(rows, [3]string{"setup", step.Command, where(step.Where, step.Absent)})
	}
	for _, name := range s.Copy {
		rows = append(rows, [3]string{"copy", name, "ignored by git, in your checkout"})
	}
	for _, c := range s.Checks {
		rows = append(rows, [3]string{c.Name, c.Command, where(c.Where, c.Absent)})
	}
	return rows
}

// aligned are rows in columns, less what is too wide to align by.
func aligned(rows [][3]string) []string {
	const most = 44
	var width [2]int
	for _, r := range rows {
		for i := range width {
			if n := len([]rune(r[i])); n <= most {
				width[i] = max(width[i], n)
			}
		}
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", width[0], term.Clean(r[0]), width[1], term.Clean(r[1]), term.Clean(r[2])), " ")
	}
	return out
}

// doneText says what was written and what comes next.
func doneText(s *lifecycle.Survey, start string, actor lifecycle.Actor, choice lifecycle.InitChoice, done lifecycle.Initialised, info term.Info) string {
	var b strings.Builder
	if done.Commit == "" {
		fmt.Fprintf(&b, "\nNothing was missing on %s.\n", done.Branch)
	} else {
		fmt.Fprintf(&b, "\n%s %.10s on %s, by %s <%s>:\n", info.Paint(term.Bold, "Committed"), done.Commit, done.Branch, term.Clean(actor.Name), term.Clean(actor.Email))
		for _, file := range done.Written {
			fmt.Fprintf(&b, "  %s\n", term.Clean(file))
		}
	}
	for _, l := range done.Left {
		fmt.Fprintf(&b, "  left as it is: %s in %s (%s)\n", term.Clean(l.Path), term.Clean(l.Worktree), l.Why)
	}
	if done.Checkout != "" {
		fmt.Fprintf(&b, "%s is checked out in %s\n", done.Branch, term.Clean(done.Checkout))
	}
	if done.Machine != "" {
		fmt.Fprintf(&b, "the plans branch is written down for this machine in %s\n", term.Clean(done.Machine))
	}
	fmt.Fprintf(&b, "\n%s\n", info.Paint(term.Bold, "Next"))
	for _, row := range nextSteps(s, start, choice, done) {
		switch {
		case row[1] == "":
			fmt.Fprintf(&b, "  %s\n", row[0])
		case len(row[0]) > nextWidth:
			fmt.Fprintf(&b, "  # %s\n  %s\n", row[1], row[0])
		default:
			fmt.Fprintf(&b, "  %-*s  # %s\n", nextWidth, row[0], row[1])
		}
	}
	return b.String()
}

// nextWidth is how wide the column of commands is; the explanation of a longer one stands above it.
const nextWidth = 34

// nextSteps are the exact commands that come next, each with what it does; start is the folder that the call came from.
func nextSteps(s *lifecycle.Survey, start string, choice lifecycle.InitChoice, done lifecycle.Initialised) [][2]string {
	var rows [][2]string
	add := func(command, means string) { rows = append(rows, [2]string{command, means}) }
	for _, l := range done.Left {
		if l.Path == config.File {
			dir := shellQuoted(l.Worktree)
			add(fmt.Sprintf("git -C %s add %s && git -C %s commit -m 'Set up Tendril' %s", dir, l.Path, dir, l.Path), "yours, which counts once it is committed")
		}
	}
	if !done.Trusted {
		add("tendril trust", "look at the repository's commands, and let them run here")
	}
	here, err := filepath.Abs(start)
	if start != "" || err == nil && here != s.Top && len(s.Unignored)+len(s.First) > 0 {
		add("cd "+shellQuoted(s.Top), "")
	}
	if len(s.Unignored) > 0 {
		add("printf '%s\\n' '"+strings.Join(s.Unignored, "' '")+"' >> .gitignore", "what the commands above make; it would be committed with the work")
		add("git add .gitignore && git commit -m 'Ignore what is made' .gitignore", "")
	}
	for _, a := range s.First {
		add(a.Command, a.Why)
	}
	n := done.Plan
	if agent, _, _ := strings.Cut(choice.Agent, ":"); agent == "script" {
		add("printf '%s\\n' '```sh run' 'echo bonjour > hello.txt' '```' | tendril new 'Say hello in French' --body -", "")
		add(fmt.Sprintf("tendril show %d", n), "the plan: its block is what the script agent runs")
	} else {
		add("tendril new 'Say hello in French'", "a draft, as a commit of yours")
		add(fmt.Sprintf("tendril edit %d", n), "say what you want")
	}
	add(fmt.Sprintf("tendril approve %d", n), "gate 1: from now on it may be worked on")
	add("tendril run", "works until you end it (Ctrl-C)")
	return rows
}

// initJSON is what init prints with --json.
type initJSON struct {
	Layout   string      `json:"layout"`
	Branch   string      `json:"branch"`
	Base     string      `json:"base"`
	Agent    string      `json:"agent,omitempty"`
	Autonomy string      `json:"autonomy"`
	Setup    []foundJSON `json:"setup,omitempty"`
	Copy     []string    `json:"copy,omitempty"`
	Checks   []foundJSON `json:"checks,omitempty"`
	Notes    []string    `json:"notes,omitempty"`
	Commit   string      `json:"commit,omitempty"`
	Written  []string    `json:"written,omitempty"`
	Left     []string    `json:"left,omitempty"`
	Checkout string      `json:"checkout,omitempty"`
	Trusted  bool        `json:"trusted"`
	Next     []string    `json:"next"`
}

// foundJSON is a command that was found.
type foundJSON struct {
	Name    string   `json:"name,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Command string   `json:"command"`
	Where   string   `json:"where"`
	Absent  []string `json:"absent,omitempty"`
}

func initReport(s *lifecycle.Survey, start string, choice lifecycle.InitChoice, done lifecycle.Initialised) initJSON {
	out := initJSON{
		Layout: choice.Layout, Branch: done.Branch, Base: s.Base.Name, Agent: choice.Agent, Autonomy: choice.Autonomy, Copy: s.Copy, Notes: s.Notes,
		Commit: done.Commit, Written: done.Written, Checkout: done.Checkout, Trusted: done.Trusted,
	}
	for _, step := range s.Setup {
		out.Setup = append(out.Setup, foundJSON{Command: step.Command, Where: step.Where, Absent: step.Absent})
	}
	for _, c := range s.Checks {
		out.Checks = append(out.Checks, foundJSON{Name: c.Name, Kind: string(c.Kind), Command: c.Command, Where: c.Where, Absent: c.Absent})
	}
	for _, l := range done.Left {
		out.Left = append(out.Left, l.Path)
	}
	for _, row := range nextSteps(s, start, choice, done) {
		out.Next = append(out.Next, row[0])
	}
	return out
}

// shellQuoted is a word for a shell.
func shellQuoted(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
