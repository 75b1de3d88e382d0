package plans

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Scope is what an agent may change: gitignore-style globs, the last one that matches a path wins.
type Scope struct{ rules []rule }

// rule is one glob. base is anchored at the top of the repository; what it matches stands for everything below it as well.
type rule struct {
	negate bool
	base   string
	// below: only what lies in a folder of that name, not a file of that name.
	below bool
}

// CompileScope reads globs as .gitignore has them: without a slash within, a glob matches at any depth; with one, or with one
// in front, from the top of the repository; a slash at the end means folders only; ! takes out again what earlier globs let
// in, and where it comes first all else is in; {a,b} is one or the other. It refuses globs that mean nothing or leave the
// repository, by name.
func CompileScope(globs []string) (Scope, error) {
	s := Scope{rules: make([]rule, 0, len(globs))}
	for _, g := range globs {
		r, err := compileGlob(g)
		if err != nil {
			return Scope{}, fmt.Errorf("glob %q: %w", clip(g), err)
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

func compileGlob(glob string) (rule, error) {
	glob = strings.TrimRight(glob, " ")
	rest, negate := strings.CutPrefix(glob, "!")
	core, folder := strings.CutSuffix(rest, "/")
	anchored := strings.Contains(core, "/")
	core = strings.TrimPrefix(core, "/")
	if inner, all := strings.CutSuffix(core, "/**"); all {
		core, folder = inner, true
	}
	if core == "" {
		return rule{}, errors.New("it matches nothing")
	}
	for part := range strings.SplitSeq(core, "/") {
		if part == "" || part == "." || part == ".." {
			return rule{}, fmt.Errorf("%q cannot be a part of a path", part)
		}
	}
	if !doublestar.ValidatePattern(core) || strings.ContainsRune(core, 0) {
		return rule{}, errors.New("the brackets or the backslash at its end do not fit")
	}
	if !anchored {
		core = "**/" + core
	}
	return rule{negate: negate, base: core, below: folder && core != "**/**"}, nil
}

func (r rule) match(path string) bool {
	if !r.below {
		// The pattern was validated, and a bad pattern is Match's only error.
		if ok, _ := doublestar.Match(r.base, path); ok {
			return true
		}
	}
	ok, _ := doublestar.Match(r.base+"/**/*", path)
	return ok
}

// Match tells whether a path, relative to the repository and with slashes, lies in the scope. Without globs everything does.
func (s Scope) Match(path string) bool {
	in := len(s.rules) == 0 || s.rules[0].negate
	for _, r := range s.rules {
		if r.match(path) {
			in = !r.negate
		}
	}
	return in
}

// Empty tells whether the scope has no globs, and so no limit.
func (s Scope) Empty() bool { return len(s.rules) == 0 }

// Overlap tells whether two lists of globs can both hold one path. Where that is hard to tell it says yes. A list that is
// empty or cannot be read overlaps with nothing: plans without scope are not held back.
func Overlap(a, b []string) bool {
	x, errX := CompileScope(a)
	y, errY := CompileScope(b)
	if errX != nil || errY != nil || x.Empty() || y.Empty() {
		return false
	}
	for i, p := range x.letIn() {
		for j, q := range y.letIn() {
			if p.negate || q.negate || !intersect(p.segments(), q.segments()) {
				continue
			}
			if !takenOut(q, x.letIn()[i+1:]) && !takenOut(p, y.letIn()[j+1:]) {
				return true
			}
		}
	}
	return false
}

// letIn are the rules, with everything let in first where the first one takes out.
func (s Scope) letIn() []rule {
	if !s.rules[0].negate {
		return s.rules
	}
	return append([]rule{{base: "**"}}, s.rules...)
}

// takenOut tells whether a later rule surely takes out all of r.
func takenOut(r rule, later []rule) bool {
	for _, n := range later {
		if n.negate && !strings.ContainsAny(n.base, `*?[{\`) && (r.base == n.base && (r.below || !n.below) || strings.HasPrefix(r.base, n.base+"/")) {
			return true
		}
	}
	return false
}

// segments are the parts of a glob and of all that lies below it.
func (r rule) segments() []string {
	base, braces, some := strings.Cut(r.base, "{")
	parts := strings.Split(base, "/")
	if some && braces != "" {
		// Alternatives may hold slashes: from there on, anything.
		parts = parts[:len(parts)-1]
	}
	return append(parts, "**")
}

// intersect tells whether two lists of segments can match one path.
func intersect(a, b []string) bool {
	return meet(a, b, func(s string) bool { return s == "**" }, func(x, y string) bool {
		if x == "**" || y == "**" {
			return true
		}
		return meet(tokens(x), tokens(y), func(t string) bool { return t == "*" }, func(t, u string) bool {
			return t == "?" || u == "?" || t == u
		})
	})
}

// meet tells whether two patterns, as lists of elements of which some stand for any number of elements, have a match in
// common. It fills a table over the ends of both, so that no pattern makes it slow.
func meet(a, b []string, many func(string) bool, one func(x, y string) bool) bool {
	rows := make([][]bool, len(a)+1)
	for i := len(a); i >= 0; i-- {
		rows[i] = make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				rows[i][j] = true
			case i < len(a) && many(a[i]):
				rows[i][j] = rows[i+1][j] || j < len(b) && rows[i][j+1]
			case j < len(b) && many(b[j]):
				rows[i][j] = rows[i][j+1] || i < len(a) && rows[i+1][j]
			case i < len(a) && j < len(b):
				rows[i][j] = one(a[i], b[j]) && rows[i+1][j+1]
			}
		}
	}
	return rows[0][0]
}

// tokens takes a segment apart: "*" is any number of characters, "?" any one (a class counts as that), all else itself. A
// literal * or ? keeps its backslash, so that it is not taken for a wildcard.
func tokens(segment string) []string {
	var out []string
	runes := []rune(segment)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == '\\' && i+1 < len(runes):
			i++
			if runes[i] == '*' || runes[i] == '?' {
				out = append(out, `\`+string(runes[i]))
			} else {
				out = append(out, string(runes[i]))
			}
		case c == '[':
			for i++; i < len(runes) && runes[i] != ']'; i++ {
				if runes[i] == '\\' {
					i++
				}
			}
			out = append(out, "?")
		default:
			out = append(out, string(c))
		}
	}
	return out
}
