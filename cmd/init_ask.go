package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tendril/internal/config"
	"tendril/internal/term"
	"tendril/lifecycle"
)

// errUnanswered ends an init whose questions were left: nothing was changed.
var errUnanswered = errors.New("nothing was changed: the questions were not answered\n  tendril init --yes takes what is proposed")

// question is one decision, each answer explained in a line.
type question struct {
	title    string
	option   string // the command's option that answers it
	answers  []answer
	proposed string
	// accepts lets an answer through that is not listed.
	accepts func(string) error
}

type answer struct{ value, means string }

// choose takes the options, else asks, else proposes.
func (o initOptions) choose(s *lifecycle.Survey, actor lifecycle.Actor) (lifecycle.InitChoice, error) {
	choice := lifecycle.InitChoice{Layout: o.layout, Agent: o.agent, Autonomy: o.autonomy}
	if choice.Layout == "" {
		choice.Layout = s.Layout
	}
	if s.Config != nil {
		return choice, nil // it says the rest
	}
	asked := []struct {
		into *string
		question
	}{{&choice.Layout, layoutQuestion(s)}, {&choice.Agent, agentQuestion(s)}, {&choice.Autonomy, autonomyQuestion()}}
	talk := o.f.IO.Term.InTTY && o.f.IO.Term.ErrTTY && !o.yes && !o.show && !o.f.Global.JSON
	in := bufio.NewReader(o.f.IO.In)
	var taken []string
	for _, q := range asked {
		if *q.into != "" {
			continue
		}
		*q.into = q.proposed
		if !talk {
			taken = append(taken, q.option+" "+q.proposed)
			continue
		}
		var err error
		if *q.into, err = ask(in, o.f.IO.Err, q.question); err != nil {
			return choice, err
		}
	}
	if len(taken) > 0 {
		o.f.Infof("not asked, so taken as proposed: %s", strings.Join(taken, ", "))
	}
	if talk {
		return choice, confirm(in, o.f.IO.Err, s, actor, choice)
	}
	return choice, nil
}

func layoutQuestion(s *lifecycle.Survey) question {
	return question{
		title: "Where should plans live?", option: "--layout", proposed: lifecycle.LayoutDefault,
		answers: []answer{
			{lifecycle.LayoutDefault, "on " + s.Base.Name + ", beside the code: the simplest"},
			{lifecycle.LayoutOwn, "on " + config.OwnBranch + ": for a protected " + s.Base.Name + ", teams, quiet CI"},
		},
	}
}

func agentQuestion(s *lifecycle.Survey) question {
	q := question{title: "Which agent works on plans that name none?", option: "--agent", proposed: s.ProposedAgent(), accepts: s.KnownAgent}
	for _, a := range s.Agents {
		means := pathEnd(a.Program, 60)
		switch {
		case a.Program == "":
			means = "not on PATH: install it before tendril run"
		case a.Name == "script":
			means = "no model: runs the commands that the plan itself holds"
		}
		q.answers = append(q.answers, answer{a.Name, means})
	}
	return q
}

// pathEnd is a path in at most about that many bytes: its last elements, at least the very last. tendril doctor has it whole.
func pathEnd(path string, most int) string {
	whole := path
	for len(path) > most {
		_, rest, found := strings.Cut(path[1:], string(filepath.Separator))
		if !found {
			break
		}
		path = string(filepath.Separator) + rest
	}
	if path != whole {
		return "…" + path
	}
	return path
}

func autonomyQuestion() question {
	return question{
		title: "What may agents do?", option: "--autonomy", proposed: config.AutonomyEdit,
		answers: []answer{
			{config.AutonomyEdit, "change files; commands are run by Tendril only, as checks"},
			{config.AutonomyFull, "run any command too, as you: no sandbox yet, so best in a container"},
		},
	}
}

// ask puts a question until it is answered: by number, by value, or by an empty line for what is proposed.
func ask(in *bufio.Reader, out io.Writer, q question) (string, error) {
	width := 0
	for _, a := range q.answers {
		width = max(width, len(a.value))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", q.title)
	for i, a := range q.answers {
		fmt.Fprintf(&b, "  %d  %-*s  %s\n", i+1, width, a.value, term.Clean(a.means))
	}
	proposed := 1 + slices.IndexFunc(q.answers, func(a answer) bool { return a.value == q.proposed })
	for {
		fmt.Fprintf(&b, "[%d] ", proposed)
		line, err := prompt(in, out, b.String())
		if err != nil {
			return "", err
		}
		b.Reset()
		if line == "" {
			return q.proposed, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.answers) {
			return q.answers[n-1].value, nil
		}
		if slices.ContainsFunc(q.answers, func(a answer) bool { return a.value == line }) || q.accepts != nil && q.accepts(line) == nil {
			return line, nil
		}
		fmt.Fprintf(&b, "A number from 1 to %d, or nothing for %s.\n", len(q.answers), q.proposed)
	}
}

// confirm asks before anything is written; the file can be looked at first.
func confirm(in *bufio.Reader, out io.Writer, s *lifecycle.Survey, actor lifecycle.Actor, choice lifecycle.InitChoice) error {
	branch := s.Base.Name
	if choice.Layout == lifecycle.LayoutOwn {
		branch = config.OwnBranch
	}
	for {
		line, err := prompt(in, out, fmt.Sprintf("\nCommit it on %s as %s <%s>?\n  y  yes\n  n  no: change nothing\n  s  show %s first\n[y] ", branch, term.Clean(actor.Name), term.Clean(actor.Email), config.File))
		if err != nil {
			return err
		}
		switch strings.ToLower(line) {
		case "", "y", "yes":
			return nil
		case "n", "no", "q":
			return errUnanswered
		case "s", "show":
			if _, err := fmt.Fprintf(out, "\n%s", term.CleanText(string(s.ConfigText(choice)))); err != nil {
				return err
			}
		}
	}
}

// prompt writes a text and reads the line that answers it.
func prompt(in *bufio.Reader, out io.Writer, text string) (string, error) {
	if _, err := io.WriteString(out, text); err != nil {
		return "", err
	}
	line, err := in.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		return "", errUnanswered
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}
