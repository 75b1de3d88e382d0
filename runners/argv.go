package runners

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// Values are what an agent's argument lists may name.
type Values struct {
	// Model, Effort and Session are the Spec's; NewSession is a fresh UUID, the same however often it is named in a run.
	Model, Effort, Session, NewSession string
	// Prompt is the prompt's text; PromptFile, ScriptFile and UsageFile are absolute paths.
	Prompt, PromptFile, ScriptFile, UsageFile string
}

// autonomyElement is replaced by the autonomy's arguments.
const autonomyElement = "{{.Autonomy}}"

// CanResume reports whether the agent can go on with an earlier session.
func (a Agent) CanResume() bool { return len(a.Resume) > 0 }

// UsesScript reports whether the agent runs the plan's run blocks.
func (a Agent) UsesScript() bool {
	uses, err := fieldsOf(a.Command)
	return err == nil && uses["ScriptFile"]
}

// Profile returns the model and effort of a profile, and whether the agent has one of that name.
func (a Agent) Profile(name string) (Profile, bool) {
	p, ok := a.Profiles[name]
	return p, ok
}

// Argv returns the argument list of a run: of resume where v has a session, else of command, with the autonomy's arguments
// and then extra where the list wants them, else at its end.
func (a Agent) Argv(v Values, autonomy string, extra []string) ([]string, error) {
	list := a.Command
	if v.Session != "" {
		if !a.CanResume() {
			return nil, fmt.Errorf("agent %s cannot go on with a session", a.Name)
		}
		list = a.Resume
	}
	told := a.Autonomy.Edit
	if autonomy == AutonomyFull {
		told = a.Autonomy.Full
	}
	told, err := render(told, v)
	if err != nil {
		return nil, fmt.Errorf("agent %s: autonomy: %w", a.Name, err)
	}
	told = append(told, extra...)
	at := slices.Index(list, autonomyElement)
	if at < 0 {
		list, at = append(slices.Clone(list), autonomyElement), len(list)
	}
	before, err := render(list[:at], v)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", a.Name, err)
	}
	after, err := render(list[at+1:], v)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", a.Name, err)
	}
	return slices.Concat(before, told, after), nil
}

// AttachArgv returns the argument list of the interactive program on a session.
func (a Agent) AttachArgv(v Values) ([]string, error) {
	switch {
	case len(a.Attach) == 0:
		return nil, fmt.Errorf("agent %s has no interactive program", a.Name)
	case v.Session == "":
		return nil, errors.New("no session to attach to")
	}
	return render(a.Attach, v)
}

// render fills a list, by the rule for empty values of agents/README.md.
func render(list []string, v Values) ([]string, error) {
	var out []string
	flag := false // the last of out is a plain element that begins with "-"
	for _, element := range list {
		if !strings.Contains(element, "{{") {
			out = append(out, element)
			flag = strings.HasPrefix(element, "-")
			continue
		}
		text, empty, err := fill(element, v)
		if err != nil {
			return nil, err
		}
		switch {
		case !empty:
			out = append(out, text)
		case flag:
			out = out[:len(out)-1]
		}
		flag = false
	}
	return out, nil
}

// fill renders one element and says whether it comes out empty, or prints a value that is empty.
func fill(element string, v Values) (text string, empty bool, err error) {
	t, err := parseElement(element)
	if err != nil {
		return "", false, err
	}
	var b strings.Builder
	if err := t.Execute(&b, v); err != nil {
		return "", false, fmt.Errorf("%q: %w", element, err)
	}
	if b.Len() == 0 {
		return "", true, nil
	}
	for _, name := range printed(t.Root) {
		if v.get(name) == "" {
			return "", true, nil
		}
	}
	return b.String(), false, nil
}

// printed returns the names of the values that the template prints as they are, outside if, with and range.
func printed(root *parse.ListNode) []string {
	var names []string
	for _, node := range root.Nodes {
		action, ok := node.(*parse.ActionNode)
		if !ok || len(action.Pipe.Decl) > 0 || len(action.Pipe.Cmds) != 1 || len(action.Pipe.Cmds[0].Args) != 1 {
			continue
		}
		if field, ok := action.Pipe.Cmds[0].Args[0].(*parse.FieldNode); ok {
			names = append(names, field.Ident[0])
		}
	}
	return names
}

func (v Values) get(name string) string {
	return map[string]string{
		"Model": v.Model, "Effort": v.Effort, "Session": v.Session, "NewSession": v.NewSession,
		"Prompt": v.Prompt, "PromptFile": v.PromptFile, "ScriptFile": v.ScriptFile, "UsageFile": v.UsageFile,
	}[name]
}

func parseElement(element string) (*template.Template, error) {
	t, err := template.New("argument").Option("missingkey=error").Parse(element)
	if err != nil {
		return nil, fmt.Errorf("%q: %s", element, strings.TrimPrefix(err.Error(), "template: "))
	}
	return t, nil
}

// fieldsOf returns which of Values the list names, and refuses what cannot be rendered.
func fieldsOf(list []string) (map[string]bool, error) {
	uses := map[string]bool{}
	// Rendered once with everything set and once with nothing: an unknown name fails here and not in a run.
	full := Values{"m", "e", "s", "n", "p", "pf", "sf", "uf"}
	for _, element := range list {
		if element == autonomyElement {
			continue
		}
		t, err := parseElement(element)
		if err != nil {
			return nil, err
		}
		collectFields(t.Root, uses)
		for _, v := range []Values{full, {}} {
			if _, _, err := fill(element, v); err != nil {
				return nil, err
			}
		}
	}
	return uses, nil
}

// collectFields walks a template for the names of fields.
func collectFields(node parse.Node, uses map[string]bool) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, child := range n.Nodes {
				collectFields(child, uses)
			}
		}
	case *parse.ActionNode:
		collectFields(n.Pipe, uses)
	case *parse.PipeNode:
		for _, cmd := range n.Cmds {
			for _, arg := range cmd.Args {
				collectFields(arg, uses)
			}
		}
	case *parse.FieldNode:
		uses[n.Ident[0]] = true
	case *parse.IfNode:
		collectBranch(&n.BranchNode, uses)
	case *parse.WithNode:
		collectBranch(&n.BranchNode, uses)
	case *parse.RangeNode:
		collectBranch(&n.BranchNode, uses)
	}
}

func collectBranch(n *parse.BranchNode, uses map[string]bool) {
	collectFields(n.Pipe, uses)
	collectFields(n.List, uses)
	collectFields(n.ElseList, uses)
}
