package lifecycle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/config"
	"tendril/internal/detect"
)

// Whatever was found: what is written can be read by the strict parser, and says what was found.
func TestConfigTextCanBeRead(t *testing.T) {
	t.Parallel()
	odd := `printf 'a: b' # "c" {d} [e], & \ $x`
	for name, c := range map[string]struct {
		survey Survey
		choice InitChoice
		want   func(*config.Config)
	}{
		"nothing found": {
			Survey{Base: config.DefaultFound{Name: "main"}, Plans: "plans"},
			InitChoice{LayoutDefault, "script", "edit"},
			func(c *config.Config) { c.Agent = "script" },
		},
		"everything, with odd characters": {
			Survey{
				Base: config.DefaultFound{Name: "dev/#1", Checkout: true}, Plans: "tendril-plans", PlansTaken: "plans", Copy: []string{".env", "a b.key"},
				Setup: []StepFound{{Step: detect.Step{Command: "npm ci", Where: "package-lock.json"}}, {Step: detect.Step{Command: odd}}},
				Checks: []CheckFound{
					{Found: detect.Found{Name: "format", Command: "go fmt ./...", Where: "go.mod", Fix: true}},
					{Found: detect.Found{Name: "lint", Command: "absent", Where: "x"}, Absent: []string{"absent"}},
					{Found: detect.Found{Name: "no", Command: odd, Where: "Makefile:3", Optional: true}},
				},
			},
			InitChoice{LayoutDefault, "claude:opus", "full"},
			func(c *config.Config) {
				no := false
				c.Branch, c.Base, c.Plans, c.Agent, c.Autonomy = "dev/#1", "dev/#1", "tendril-plans", "claude:opus", "full"
				c.Copy, c.Setup = []string{".env", "a b.key"}, []string{"npm ci", odd}
				c.Checks = []config.Check{{Name: "format", Run: "go fmt ./...", Fix: true}, {Name: "no", Run: odd, Required: &no}}
			},
		},
		"names that would be lines of their own": {
			Survey{
				Base: config.DefaultFound{Name: "main"}, Plans: "plans",
				Setup:  []StepFound{{Step: detect.Step{Command: "pip install -r 'a\nagent: b.txt'", Where: "a\npass_env: ['*'] #.txt"}}},
				Checks: []CheckFound{{Found: detect.Found{Name: "test", Command: "x \u2028\u0085\x7f\t\"\\ é", Where: "test_x\r\nsandbox: {mode: off} #\u2028.py"}}},
			},
			InitChoice{LayoutDefault, "script", "edit"},
			func(c *config.Config) {
				c.Agent, c.Setup = "script", []string{"pip install -r 'a\nagent: b.txt'"}
				c.Checks = []config.Check{{Name: "test", Run: "x \u2028\u0085\x7f\t\"\\ é"}}
			},
		},
		"nothing of it usable": {
			Survey{
				Base: config.DefaultFound{Name: "trunk", Checkout: true}, Plans: "plans",
				Setup:  []StepFound{{Step: detect.Step{Command: "uv sync"}, Absent: []string{"uv"}}},
				Checks: []CheckFound{{Found: detect.Found{Name: "test", Command: "uv run pytest"}, Absent: []string{"uv"}}},
			},
			InitChoice{LayoutOwn, "script", "edit"},
			func(c *config.Config) { c.Agent, c.Base = "script", "trunk" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := c.survey.ConfigText(c.choice)
			got, err := config.Parse(config.File, text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			want := config.Default()
			c.want(want)
			if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".commands" }, cmp.Ignore())); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, text)
			}
		})
	}
}

func TestYAMLWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"go test ./...": "go test ./...", "main": "main", "no": "'no'", "0x10": "'0x10'", "1.5": "'1.5'", "it's": "'it''s'", "": "''",
		"a # b": "'a # b'", "a: b": "'a: b'", "- a": "'- a'", ".inf": "'.inf'", "a  b": "'a  b'", "npm run test:ci": "'npm run test:ci'",
	} {
		if got := yamlWord(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// Every line of the two files beside the board is a comment or a pattern for what Tendril writes.
func TestFilesBesideTheBoard(t *testing.T) {
	t.Parallel()
	for _, text := range []string{attributesText, ignoreText} {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "*/") {
				t.Errorf("%q", line)
			}
			if strings.Contains(line, "plan.md") || strings.Contains(line, "review.md") {
				t.Errorf("a person's file: %q", line)
			}
		}
	}
}
