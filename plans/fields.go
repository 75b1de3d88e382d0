package plans

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// fields maps each key of the front matter to what reads it. It is read only.
var fields = map[string]func(*document, *Plan, *yaml.Node) *SyntaxError{
	"title": func(d *document, p *Plan, n *yaml.Node) (bad *SyntaxError) {
		p.Title, bad = d.text(n)
		return bad
	},
	"status":   func(*document, *Plan, *yaml.Node) *SyntaxError { return nil }, // read by its own rules, before the others
	"priority": readPriority, "depends_on": readDepends, "scope": readScope,
	"agent": readAgent, "agents": readAgents, "profile": readProfile,
	"preset": func(d *document, p *Plan, n *yaml.Node) (bad *SyntaxError) {
		p.Preset, bad = d.name(n, "a preset's name")
		return bad
	},
	"choose": func(d *document, p *Plan, n *yaml.Node) (bad *SyntaxError) {
		p.Choose, bad = d.name(n, "a candidate's id")
		return bad
	},
	"skip": readSkip, "budget": readBudget, "max_attempts": readMaxAttempts, "base": readBase,
	"source": func(d *document, p *Plan, n *yaml.Node) (bad *SyntaxError) {
		p.Source, bad = d.text(n)
		return bad
	},
}

// Keys returns every key of the front matter that Tendril knows, sorted.
func Keys() []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// resolve follows an alias and refuses an explicit tag: what a value is, its field says.
func (d *document) resolve(n *yaml.Node) (*yaml.Node, *SyntaxError) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return nil, d.fail(n, "a value with an explicit YAML tag", "write the value alone")
	}
	return n, nil
}

// absent tells whether a value was left empty, which says as much as no key.
func absent(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 }

// scalar returns the text of a scalar as it is written: 0012 and no stay 0012 and no, whatever YAML takes them for.
func (d *document) scalar(n *yaml.Node, want string) (string, *yaml.Node, *SyntaxError) {
	r, bad := d.resolve(n)
	if bad != nil {
		return "", nil, bad
	}
	if r.Kind != yaml.ScalarNode {
		return "", nil, d.fail(n, "this must be "+want, "write it on one line, behind the key")
	}
	return r.Value, r, nil
}

// text reads one line of words: white space is folded, control characters are refused.
func (d *document) text(n *yaml.Node) (string, *SyntaxError) {
	s, _, bad := d.scalar(n, "a text")
	if bad != nil {
		return "", bad
	}
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
		return "", d.fail(n, fmt.Sprintf("the text holds a control character (%U)", []rune(s[i:])[0]), "delete it")
	}
	return s, nil
}

// name reads a word that becomes part of a path or a branch.
func (d *document) name(n *yaml.Node, what string) (string, *SyntaxError) {
	s, _, bad := d.scalar(n, what)
	if bad != nil {
		return "", bad
	}
	if !isName(s) {
		return "", d.fail(n, fmt.Sprintf("%q is not %s", clip(s), what), "letters, digits, and . _ - within")
	}
	return s, nil
}

// isName accepts words that are safe as a file name and as part of a branch.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return s != "" && len(s) <= 100 && !strings.Contains(s, "..") && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ".lock")
}

// integer reads a whole number in decimal. Other notations mean different things to different readers, and are refused.
func (d *document) integer(n *yaml.Node, low int) (int, *SyntaxError) {
	s, r, bad := d.scalar(n, "a whole number")
	if bad != nil {
		return 0, bad
	}
	digits := strings.TrimPrefix(s, "-")
	plain := digits != "" && leadingDigits(digits) == len(digits) && (digits == "0" || digits[0] != '0')
	v, err := strconv.ParseInt(s, 10, 32)
	if r.Style != 0 || !plain || err != nil {
		return 0, d.fail(n, fmt.Sprintf("%q is not a whole number", clip(s)), "write it in decimal, without quotes, signs and leading zeros: 2")
	}
	if int(v) < low {
		return 0, d.fail(n, fmt.Sprintf("%d is too small: at least %d", v, low), "")
	}
	return int(v), nil
}

// list returns the items of a sequence.
func (d *document) list(n *yaml.Node, example string) ([]*yaml.Node, *SyntaxError) {
	r, bad := d.resolve(n)
	if bad != nil {
		return nil, bad
	}
	if r.Kind != yaml.SequenceNode {
		return nil, d.fail(n, "this must be a list", "write "+example)
	}
	return r.Content, nil
}

func readPriority(d *document, p *Plan, n *yaml.Node) (bad *SyntaxError) {
	p.Priority, bad = d.integer(n, math.MinInt32)
	return bad
}

func readMaxAttempts(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	v, bad := d.integer(n, 1)
	p.MaxAttempts = &v
	return bad
}

func readBudget(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	s, r, bad := d.scalar(n, "an amount in USD")
	if bad != nil {
		return bad
	}
	whole, cents, _ := strings.Cut(s, ".")
	plain := whole+cents != "" && leadingDigits(whole+cents) == len(whole+cents) && (len(whole) < 2 || whole[0] != '0')
	v, err := strconv.ParseFloat(s, 64)
	if r.Style != 0 || !plain || err != nil || math.IsInf(v, 0) {
		return d.fail(n, fmt.Sprintf("%q is not an amount in USD", clip(s)), "write a plain number: 5 or 2.50")
	}
	p.Budget = &v
	return nil
}

func readDepends(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	items, bad := d.list(n, "[5, 0007-add-search-button]")
	for _, item := range items {
		s, _, bad := d.scalar(item, "a plan's number or key")
		if bad != nil {
			return bad
		}
		ref, ok := planRef(s)
		if !ok {
			return d.fail(item, fmt.Sprintf("%q is neither a plan's number nor its key", clip(s)), "write 5 or 0005-the-whole-key")
		}
		if !slices.Contains(p.DependsOn, ref) {
			p.DependsOn = append(p.DependsOn, ref)
		}
	}
	return bad
}

// planRef reads a number, however many zeros lead it (0005 is plan 5, never an octal), or a key.
func planRef(s string) (string, bool) {
	if s != "" && leadingDigits(s) == len(s) && len(s) <= maxDigits {
		n, err := strconv.Atoi(s)
		return strconv.Itoa(n), err == nil
	}
	k, err := ParseKey(s)
	return string(k), err == nil
}

func readScope(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	items, bad := d.list(n, "[src/sidebar/**]")
	for _, item := range items {
		s, _, bad := d.scalar(item, "a glob")
		if bad != nil {
			return bad
		}
		if _, err := CompileScope([]string{s}); err != nil {
			return d.fail(item, err.Error(), "globs are written as in .gitignore, from the top of the repository")
		}
		p.Scope = append(p.Scope, s)
	}
	return bad
}

func readAgent(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	a, bad := d.agent(n)
	p.Agent = &a
	return bad
}

func readAgents(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	items, bad := d.list(n, "[claude:opus, codex]")
	for _, item := range items {
		a, bad := d.agent(item)
		if bad != nil {
			return bad
		}
		p.Agents = append(p.Agents, a)
	}
	return bad
}

// agent reads an agent and its model. Both reach a command line and paths, so neither may begin with a hyphen.
func (d *document) agent(n *yaml.Node) (AgentRef, *SyntaxError) {
	s, _, bad := d.scalar(n, "an agent")
	if bad != nil {
		return AgentRef{}, bad
	}
	name, model, withModel := strings.Cut(s, ":")
	odd := strings.ContainsFunc(model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	if !isName(name) || withModel && (model == "" || model[0] == '-' || odd) {
		return AgentRef{}, d.fail(n, fmt.Sprintf("%q is not an agent", clip(s)), "write claude, or claude:opus for an agent and its model")
	}
	return AgentRef{Name: name, Model: model}, nil
}

func readProfile(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	s, _, bad := d.scalar(n, "a profile")
	if bad != nil {
		return bad
	}
	if s != "deep" && s != "balanced" && s != "quick" {
		return d.fail(n, fmt.Sprintf("%q is not a profile", clip(s)), "one of deep, balanced, quick")
	}
	p.Profile = s
	return nil
}

func readSkip(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	r, bad := d.resolve(n)
	if bad != nil {
		return bad
	}
	if r.Kind != yaml.MappingNode {
		return d.fail(n, "this must name each check with its reason", "write {lint: generated code only}")
	}
	p.Skip = make(map[string]string, len(r.Content)/2)
	for i := 0; i+1 < len(r.Content); i += 2 {
		name, bad := d.text(r.Content[i])
		if bad != nil {
			return bad
		}
		why, bad := d.text(r.Content[i+1])
		if bad != nil {
			return bad
		}
		if name == "" || why == "" {
			return d.fail(r.Content[i], fmt.Sprintf("check %q is left out without a reason", clip(name)), "write {lint: generated code only}")
		}
		p.Skip[name] = why
	}
	return nil
}

func readBase(d *document, p *Plan, n *yaml.Node) *SyntaxError {
	s, _, bad := d.scalar(n, "a branch")
	if bad != nil {
		return bad
	}
	if !isBranch(s) {
		return d.fail(n, fmt.Sprintf("%q is not a branch's name", clip(s)), "write the branch as git branch shows it")
	}
	p.Base = s
	return nil
}

// isBranch follows git check-ref-format, and refuses a leading hyphen: the name reaches git's command line.
func isBranch(s string) bool {
	if s == "" || s == "@" || strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.Contains(s, "//") ||
		strings.HasPrefix(s, "-") || strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") || strings.HasSuffix(s, ".") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}
