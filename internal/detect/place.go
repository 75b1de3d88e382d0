package detect

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Tree is what is looked at: the files of a commit or of a folder. Paths have slashes.
type Tree interface {
	// ReadFile returns a file's content; an error that is fs.ErrNotExist says that there is none.
	ReadFile(path string) ([]byte, error)
	// List returns the names in a folder ("" is the top), those of folders with a slash at the end; fs.ErrNotExist as above.
	List(dir string) ([]string, error)
}

// maxFile is how much of a file is looked at, in bytes: no manifest is larger.
const maxFile = 1 << 20

// place is a folder of a tree, with what was found in it.
type place struct {
	tree Tree
	host Host
	dir  string

	found []candidate
	Result
	// err is the first thing that could not be read.
	err error
}

// candidate is a command with what decides whether it is taken.
type candidate struct {
	Found
	// from is how much the project itself says of it.
	from origin
	// language is empty for entry points, which cover all of them.
	language string
}

// origin is where a command comes from; the smaller goes first.
type origin int

const (
	entry  origin = iota // the project's own entry point
	script               // a script of a language's manifest
	usual                // what everybody of that language uses
	lastly               // a shell script, where there is nothing else
)

// detect asks everybody, then decides.
func (p *place) detect() Result {
	for _, look := range []func(*place){
		(*place).makefile, (*place).justfile, (*place).taskfile,
		(*place).golang, (*place).node, (*place).python, (*place).rust, (*place).others, (*place).shellScripts,
	} {
		look(p)
	}
	p.Found = decide(p.found)
	for _, f := range p.Found {
		if f.Kind == Test && f.Optional {
			p.note("%s would run no test yet, so it is not required: make it so once there is one", f.Command)
		}
	}
	return p.Result
}

// decide picks, kind by kind, by the rules of the package.
func decide(all []candidate) []Found {
	var out []Found
	for _, kind := range Kinds() {
		of := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return c.Kind != kind })
		if better := slices.DeleteFunc(slices.Clone(of), func(c candidate) bool { return c.from == lastly }); len(better) > 0 {
			of = better
		}
		if i := slices.IndexFunc(of, func(c candidate) bool { return c.from == entry }); i >= 0 {
			out = append(out, of[i].Found)
			continue
		}
		scripted := map[string]bool{}
		languages := map[string]bool{}
		for _, c := range of {
			languages[c.language] = true
			scripted[c.language] = scripted[c.language] || c.from == script
		}
		for _, c := range of {
			if scripted[c.language] && c.from != script {
				continue
			}
			if len(languages) > 1 {
				c.Name += "-" + c.language
			}
			out = append(out, c.Found)
		}
	}
	return out
}

func (p *place) take(from origin, language string, f Found) {
	if f.Name == "" {
		f.Name = string(f.Kind)
	}
	p.found = append(p.found, candidate{f, from, language})
}

func (p *place) setup(command, where string, needs ...string) {
	p.Setup = append(p.Setup, Step{command, where, needs})
}

func (p *place) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// read returns a file as text, and whether it is there. A byte order mark is left out.
func (p *place) read(name string) (string, bool) {
	data, err := p.tree.ReadFile(path.Join(p.dir, name))
	if err != nil {
		p.failed(err)
		return "", false
	}
	return strings.TrimPrefix(string(data[:min(len(data), maxFile)]), "\ufeff"), true
}

// first is the first of several files that is there, with its text.
func (p *place) first(names ...string) (name, text string) {
	for _, name := range names {
		if p.has(name) {
			if text, ok := p.read(name); ok {
				return name, text
			}
		}
	}
	return "", ""
}

// list returns the names in a folder below the place, sorted; those of folders end with a slash.
func (p *place) list(dir string) []string {
	if dir = path.Join(p.dir, dir); dir == "." {
		dir = ""
	}
	names, err := p.tree.List(dir)
	if err != nil {
		p.failed(err)
		return nil
	}
	slices.Sort(names)
	return names
}

// has reports whether a file, or with a slash at the end a folder, is there.
func (p *place) has(name string) bool {
	dir, base := path.Split(strings.TrimSuffix(name, "/"))
	if strings.HasSuffix(name, "/") {
		base += "/"
	}
	return slices.Contains(p.list(dir), base)
}

// hasLike reports whether a name in a folder matches a pattern of path.Match; it returns the first.
func (p *place) hasLike(dir, pattern string) (string, bool) {
	for _, name := range p.list(dir) {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return path.Join(dir, name), true
		}
	}
	return "", false
}

func (p *place) failed(err error) {
	if p.err == nil && !errors.Is(err, fs.ErrNotExist) {
		p.err = err
	}
}

// at is a file with the line in which the first of some texts stands; the file alone where none does.
func at(file, text string, needles ...string) string {
	for _, needle := range needles {
		if i := strings.Index(text, needle); i >= 0 {
			return fmt.Sprintf("%s:%d", file, 1+strings.Count(text[:i], "\n"))
		}
	}
	return file
}
