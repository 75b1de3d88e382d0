package promptware

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"tendril/internal/config"
)

// ExecutePlan is the unit that carries out a plan.
const ExecutePlan = "ExecutePlan"

// ProgramFile is the file of a unit's folder that is read as its program.
const ProgramFile = "Program.md"

// version is the version of a program's format that this tendril reads and its own units have.
const version = 1

//go:embed units
var builtin embed.FS

// unitName is what a unit may be called: it is a folder's name and goes into an agent's environment.
var unitName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,39}$`)

// toolName is what a tool may be called: a file in the unit's Tools/, and a command.
var toolName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Unit is one unit of promptware, ready to render. It is shared between readers: nobody changes it.
type Unit struct {
	// Name is the unit's folder ("ExecutePlan").
	Name string
	// Version is the format's version that the file was written for.
	Version int
	// Profile is the profile that the unit asks for where the plan names none; empty is the configuration's.
	Profile string
	// Tools are the names of the scripts in Tools/ that go on the agent's PATH.
	Tools []string
	// Limits bound the unit's runs.
	Limits Limits
	// Override is true when the plans branch's own text was used.
	Override bool

	program *template.Template
}

// Limits bound the runs of a unit; zero is the configuration's.
type Limits struct {
	TimeLimit time.Duration
	Stall     time.Duration
}

// header is the front matter of a program.
type header struct {
	Version int      `yaml:"version"`
	Profile string   `yaml:"profile"`
	Tools   []string `yaml:"tools"`
	Limits  struct {
		TimeLimit config.Duration `yaml:"time_limit"`
		Stall     config.Duration `yaml:"stall"`
	} `yaml:"limits"`
}

// Load returns a unit. override is the Program.md of the plans branch (.tendril/promptware/NAME/Program.md); nil or empty is
// the one in the binary. Errors name the file and, where it can be told, the line.
func Load(name string, override []byte) (*Unit, error) {
	if !unitName.MatchString(name) {
		return nil, fmt.Errorf("unit %q: want a name of letters and digits that begins with a capital", name)
	}
	src, own := override, len(override) > 0
	if !own {
		var ok bool
		if src, ok = Source(name); !ok {
			return nil, fmt.Errorf("unit %s: there is none of that name", name)
		}
	}
	u, err := parse(name, src)
	if err != nil {
		return nil, fmt.Errorf("%s/%s:%w", name, ProgramFile, err)
	}
	u.Override = own
	return u, nil
}

// Names returns the names of the built-in units, sorted.
func Names() []string {
	entries, err := builtin.ReadDir("units")
	if err != nil {
		return nil // the folder is part of the binary; a test reads every unit of it
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Source returns the text of a built-in unit's program, to start one's own from, and whether there is one.
func Source(name string) ([]byte, bool) {
	if !unitName.MatchString(name) {
		return nil, false
	}
	src, err := builtin.ReadFile("units/" + name + "/" + ProgramFile)
	return src, err == nil
}

// parse reads a program. Its errors begin with "LINE: " or a blank, to follow the file's name and a colon.
func parse(name string, src []byte) (*Unit, error) {
	matter, body, line, err := split(src)
	if err != nil {
		return nil, err
	}
	head, err := readHeader(matter)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"fence": fence}).Parse(body)
	if err != nil {
		return nil, templateError(name, line, err)
	}
	u := &Unit{
		Name: name, Version: head.Version, Profile: head.Profile, Tools: head.Tools, program: t,
		Limits: Limits{TimeLimit: head.Limits.TimeLimit.Std(), Stall: head.Limits.Stall.Std()},
	}
	// An unknown name fails here, and not in the first run that comes to it.
	for _, sample := range samples() {
		if err := t.Execute(io.Discard, sample); err != nil {
			return nil, templateError(name, line, err)
		}
	}
	return u, nil
}

// split parts a program into front matter and body, and says in which line the body begins. The body is not Markdown that
// Tendril reads: it is handed on.
func split(src []byte) (matter, body string, line int, err error) {
	text := strings.ReplaceAll(string(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", 0, errors.New("1: no front matter: the first line is not ---")
	}
	lines := strings.SplitAfter(rest, "\n")
	for i, l := range lines {
		if strings.TrimSuffix(l, "\n") == "---" {
			return strings.Join(lines[:i], ""), strings.Join(lines[i+1:], ""), i + 3, nil
		}
	}
	return "", "", 0, errors.New("1: the front matter has no end")
}

func readHeader(matter string) (header, error) {
	var head header
	dec := yaml.NewDecoder(strings.NewReader(matter))
	dec.KnownFields(true)
	if err := dec.Decode(&head); err != nil && !errors.Is(err, io.EOF) {
		return head, fmt.Errorf(" front matter: %s", strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
	}
	switch {
	case head.Version == 0:
		return head, errors.New(" front matter: version: missing")
	case head.Version != version:
		return head, fmt.Errorf(" front matter: version %d: this tendril reads version %d", head.Version, version)
	}
	for _, tool := range head.Tools {
		if !toolName.MatchString(tool) {
			return head, fmt.Errorf(" front matter: tools: %q: want a file's name", tool)
		}
	}
	return head, nil
}

// templatePlace is how text/template names a place: "template: NAME:LINE:COLUMN: " or without the column.
var templatePlace = regexp.MustCompile(`^template: [^:]*:(\d+)(?::\d+)?: (?s:(.*))$`)

// templateError names the line in the file, where the body begins in line begin.
func templateError(name string, begin int, err error) error {
	m := templatePlace.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf(" %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	var n int
	if _, scanErr := fmt.Sscanf(m[1], "%d", &n); scanErr != nil {
		return fmt.Errorf(" %s", m[2])
	}
	return fmt.Errorf("%d: %s", n+begin-1, strings.TrimPrefix(m[2], "executing "+fmt.Sprintf("%q", name)+" "))
}
