package usage

import (
	"errors"
	"regexp"
	"strings"
)

// match is a rule over names, without regard to case except in a regular expression.
type match struct {
	Equals string  `json:"equals,omitempty"`
	Starts string  `json:"starts,omitempty"`
	Ends   string  `json:"ends,omitempty"`
	Has    string  `json:"has,omitempty"`
	Regex  string  `json:"regex,omitempty"`
	Not    *match  `json:"not,omitempty"`
	Or     []match `json:"or,omitempty"`
	And    []match `json:"and,omitempty"`

	re *regexp.Regexp
}

// compile makes the rule's expressions ready; one that is none is an error.
func (m *match) compile() error {
	if m == nil {
		return nil
	}
	errs := []error{m.Not.compile()}
	if m.Regex != "" {
		re, err := regexp.Compile(m.Regex)
		m.re = re
		errs = append(errs, err)
	}
	for _, list := range [][]match{m.Or, m.And} {
		for i := range list {
			errs = append(errs, list[i].compile())
		}
	}
	return errors.Join(errs...)
}

// matches reports whether the rule takes the name; no rule takes none.
func (m *match) matches(name string) bool {
	if m == nil {
		return false
	}
	low := strings.ToLower(name)
	switch {
	case m.Equals != "":
		return low == strings.ToLower(m.Equals)
	case m.Starts != "":
		return strings.HasPrefix(low, strings.ToLower(m.Starts))
	case m.Ends != "":
		return strings.HasSuffix(low, strings.ToLower(m.Ends))
	case m.Has != "":
		return strings.Contains(low, strings.ToLower(m.Has))
	case m.re != nil:
		return m.re.MatchString(name)
	case m.Not != nil:
		return !m.Not.matches(name)
	}
	for i := range m.Or {
		if m.Or[i].matches(name) {
			return true
		}
	}
	for i := range m.And {
		if !m.And[i].matches(name) {
			return false
		}
	}
	return len(m.And) > 0
}
