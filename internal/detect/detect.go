package detect

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Kind is what a command is for.
type Kind string

// The kinds, in the order in which they are best run: what mends comes first, what takes longest last.
const (
	Format Kind = "format"
	Lint   Kind = "lint"
	Types  Kind = "types"
	Build  Kind = "build"
	Test   Kind = "test"
)

// Kinds lists the kinds in their order.
func Kinds() []Kind { return []Kind{Format, Lint, Types, Build, Test} }

// Found is one command of the project.
type Found struct {
	Kind Kind
	// Name is unique among what was found: "test", "ruff".
	Name string
	// Command is for bash, from the top of the repository.
	Command string
	// Where says what it was found by: "Makefile:12", "go.mod".
	Where string
	// Optional is true for a usual command that the project itself does not name: it may fail for reasons of its own.
	Optional bool
	// Fix is true where it changes files.
	Fix bool
	// Needs are the programs that must be on PATH.
	Needs []string
}

// Step is a command that makes a fresh checkout usable.
type Step struct {
	Command, Where string
	// Needs are the programs that must be on PATH.
	Needs []string
}

// Advice is a step of a person's: the command, and why.
type Advice struct {
	Command, Why string
	// Unless names a file: where git ignores it, the advice is void.
	Unless string
}

// Host is what only the person's machine tells.
type Host struct {
	// Beside tells whether a path is there in the person's checkout although git does not track it.
	Beside func(path string) bool
	// Module tells whether the Python on PATH has a module.
	Module func(name string) bool
}

// Result is what was found.
type Result struct {
	// Found is ordered by kind.
	Found []Found
	// Setup is in the order in which it is to be run.
	Setup []Step
	// Makes are what setup or the commands make and git had better ignore, as in .gitignore: "node_modules/", "*.o".
	Makes []string
	// First are what a person had better do before the first plan.
	First []Advice
	// Notes say what was seen and left out, and why.
	Notes []string
}

// empty reports whether nothing at all was found.
func (r Result) empty() bool { return len(r.Found) == 0 && len(r.Setup) == 0 }

// maxNested is how many folders of the first level are looked into where the top says nothing.
const maxNested = 20

// Detect looks at a tree. Where the top holds nothing, each folder of the first level is looked at. An error is
// the tree's own.
func Detect(tree Tree, host Host) (Result, error) {
	top := &place{tree: tree, host: host}
	res := top.detect()
	if !res.empty() || top.err != nil {
		return finish(res), top.err
	}
	looked, left := 0, 0
	for _, name := range top.list("") {
		folder, is := strings.CutSuffix(name, "/")
		if !is || !plainFolder(folder) {
			continue
		}
		if looked == maxNested {
			left++
			continue
		}
		looked++
		below := &place{tree: tree, host: host, dir: folder}
		found := below.detect()
		if below.err != nil {
			return finish(res), below.err
		}
		res.add(found.within(folder))
	}
	if left > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("only the first %d folders were looked into, not the other %d: name what is missing under checks:", maxNested, left))
	}
	return finish(res), top.err
}

// plainFolder reports whether a folder is one that a project's part may lie in, with a name that needs no quoting.
func plainFolder(name string) bool {
	if strings.HasPrefix(name, ".") || slices.Contains([]string{"vendor", "node_modules", "testdata", "third_party", "docs", "examples"}, name) {
		return false
	}
	const longest = 40 // it becomes part of a check's name
	return len(name) <= longest && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == "" && name[0] != '-'
}

// within is the result as seen from the folder above.
func (r Result) within(folder string) Result {
	for i, f := range r.Found {
		r.Found[i].Command = "cd " + folder + " && " + f.Command
		r.Found[i].Name, r.Found[i].Where = f.Name+"-"+folder, path.Join(folder, f.Where)
	}
	for i, s := range r.Setup {
		r.Setup[i].Command, r.Setup[i].Where = "cd "+folder+" && "+s.Command, path.Join(folder, s.Where)
	}
	for i, a := range r.First {
		r.First[i].Command, r.First[i].Unless = "cd "+folder+" && "+a.Command, path.Join(folder, a.Unless)
	}
	for i, p := range r.Makes {
		if !strings.HasPrefix(p, "*") { // a pattern holds in every folder
			r.Makes[i] = folder + "/" + p
		}
	}
	for i, n := range r.Notes {
		r.Notes[i] = folder + ": " + n
	}
	return r
}

func (r *Result) add(other Result) {
	r.Found = append(r.Found, other.Found...)
	r.Setup = append(r.Setup, other.Setup...)
	r.Makes = append(r.Makes, other.Makes...)
	r.First = append(r.First, other.First...)
	r.Notes = append(r.Notes, other.Notes...)
}

// finish orders by kind and gives every command a name of its own.
func finish(r Result) Result {
	slices.SortStableFunc(r.Found, func(a, b Found) int {
		return slices.Index(Kinds(), a.Kind) - slices.Index(Kinds(), b.Kind)
	})
	seen := map[string]bool{}
	for i := range r.Found {
		name := r.Found[i].Name
		for n := 2; seen[name]; n++ {
			name = fmt.Sprintf("%s-%d", r.Found[i].Name, n)
		}
		seen[name] = true
		r.Found[i].Name = name
	}
	slices.Sort(r.Makes)
	r.Makes = slices.Compact(r.Makes)
	return r
}
