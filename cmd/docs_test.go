package cmd

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/config"
	"tendril/plans"
)

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// block is the first fenced block of a language behind a heading or a line.
func block(t *testing.T, text, behind, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, behind)
	_, rest, opened := strings.Cut(rest, "```"+language+"\n")
	body, _, closed := strings.Cut(rest, "\n```")
	if !found || !opened || !closed {
		t.Fatalf("no %s block behind %q", language, behind)
	}
	return body + "\n"
}

// The table in docs/states.md is the one in the code: a row for each state, with the moves of both parties.
func TestStatesPageHasTheTable(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(page(t, "docs/states.md"), "| from | a person may set | Tendril may set |")
	rows := map[plans.Status][2][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		list := func(cell string) []string {
			words := strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ' ' })
			slices.Sort(words)
			return words
		}
		rows[plans.Status(strings.TrimSpace(cells[1]))] = [2][]string{list(cells[2]), list(cells[3])}
	}
	for _, from := range plans.Statuses() {
		row, there := rows[from]
		if !there {
			t.Errorf("no row for %s", from)
			continue
		}
		for i, by := range []plans.Party{plans.Person, plans.Tendril} {
			var want []string
			for _, to := range plans.Moves(by, from) {
				want = append(want, string(to))
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, row[i]); diff != "" && len(want)+len(row[i]) > 0 {
				t.Errorf("from %s by %s (-code +page):\n%s", from, by, diff)
			}
		}
	}
}

func TestStatesPageNamesEveryStateAndReason(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/states.md")
	for _, s := range plans.Statuses() {
		if !strings.Contains(text, "| "+string(s)+" |") {
			t.Errorf("state %s is not explained", s)
		}
	}
	for _, r := range plans.Reasons() {
		if !strings.Contains(text, "`"+string(r)+"`") {
			t.Errorf("reason %s is not explained", r)
		}
	}
}

// The plan shown in docs/plans.md can be read, and every key that Tendril knows is on that page.
func TestPlansPage(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/plans.md")
	plan, err := plans.Parse("0001-x", "plans/0001-x/plan.md", []byte(block(t, text, "## plan.md", "yaml")), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Unknown) > 0 {
		t.Errorf("unknown keys in the example: %v", plan.Unknown)
	}
	for _, key := range plans.Keys() {
		if !strings.Contains(text, key+":") && !strings.Contains(text, "`"+key+":`") {
			t.Errorf("key %s is not on the page", key)
		}
	}
}

// The examples of the configuration can be read, and every key is on the page.
func TestConfigurationPage(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/configuration.md")
	for name, example := range map[string]string{
		"docs/configuration.md": block(t, text, "# Configuration", "yaml"),
		"README.md":             block(t, page(t, "README.md"), "## A first plan", "yaml"),
		".tendril/config.yaml":  page(t, ".tendril/config.yaml"),
	} {
		if _, err := config.Parse(name, []byte(example)); err != nil {
			t.Error(err)
		}
	}
	for field := range reflect.TypeFor[config.Config]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if key != "" && !strings.Contains(text, "`"+key+"`") {
			t.Errorf("key %s is not on the page", key)
		}
	}
}

// fenced is a fenced block of a page.
var fenced = regexp.MustCompile("(?sm)^```.*?^```")

// Every page that the README and the pages link to is there.
func TestLinksBetweenPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(pages, "../README.md") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// What is fenced is an example: its links are another repository's.
		text := fenced.ReplaceAllString(string(data), "")
		for _, part := range strings.Split(text, "](")[1:] {
			target, _, _ := strings.Cut(part, ")")
			target, _, _ = strings.Cut(target, "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(file), target)
			}
		}
	}
}
