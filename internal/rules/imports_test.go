package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const module = "tendril"

// Rooms by their height. A room may import rooms that are lower, never one at its side.
const (
	leaf = iota // internal/…: no room at all
	plans
	work     // worktree, runners, promptware
	gates    // lifecycle/…
	life     // lifecycle
	ui       // internal/ui/…
	commands // cmd
	top      // main.go
	tool     // internal/bench: may use anything, is used by nothing
)

// place is where a package belongs: its room, and how high that is.
func place(path string) (room string, height int) {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	parts := strings.Split(rel, "/")
	switch parts[0] {
	case "":
		return "main", top
	case "cmd":
		return "cmd", commands
	case "worktree", "runners", "promptware":
		return parts[0], work
	case "plans":
		return "plans", plans
	case "lifecycle":
		if len(parts) > 1 {
			return "lifecycle/" + parts[1], gates
		}
		return "lifecycle", life
	case "internal":
		if len(parts) > 1 && parts[1] == "ui" {
			return rel, ui
		}
		if len(parts) > 1 && parts[1] == "bench" {
			return rel, tool
		}
		return rel, leaf
	}
	return rel, -1
}

// forbidden says why from must not import to, or nothing. inTest is true for imports of test files: those of cmd and of
// the interfaces may reach past lifecycle (for its crash points, say), never to the side or up.
func forbidden(from, to string, inTest bool) string {
	if to != module && !strings.HasPrefix(to, module+"/") {
		return ""
	}
	fromRoom, fromHeight := place(from)
	toRoom, toHeight := place(to)
	switch {
	case fromHeight < 0:
		return fromRoom + " is in no room: docs/design.md, section 12, says which there are"
	case to == module+"/internal/testkit":
		if inTest || from == module+"/internal/testkit" || fromHeight == tool {
			return ""
		}
		return "internal/testkit is for tests"
	case fromRoom == toRoom, fromHeight == leaf && toHeight == leaf:
		return ""
	case fromHeight == tool:
		return ""
	case !inTest && fromHeight == commands && (toHeight == work || toHeight == gates):
		return "cmd calls lifecycle and reads plans; it does not reach past them"
	case !inTest && fromHeight == ui && (toHeight == work || toHeight == gates):
		return "interfaces see lifecycle and plans only"
	case fromHeight == top && toHeight != commands:
		return "main hands over to cmd and knows nothing else"
	case fromHeight == toHeight:
		return fmt.Sprintf("%s and %s are beside each other and meet by values", fromRoom, toRoom)
	case fromHeight < toHeight:
		return fmt.Sprintf("%s is below %s", fromRoom, toRoom)
	}
	return ""
}

func TestForbiddenKnowsTheRooms(t *testing.T) {
	t.Parallel()
	allowed := [][2]string{
		{"", "/cmd"},
		{"/cmd", "/lifecycle"},
		{"/cmd", "/plans"},
		{"/cmd", "/internal/ui/review"},
		{"/internal/ui/review", "/lifecycle"},
		{"/lifecycle", "/lifecycle/gate"},
		{"/lifecycle", "/worktree"},
		{"/lifecycle/verify", "/worktree"},
		{"/lifecycle/record", "/plans"},
		{"/worktree", "/plans"},
		{"/runners", "/internal/proc"},
		{"/plans", "/internal/md"},
		{"/internal/config", "/internal/git"},
		{"/internal/bench", "/lifecycle/record"},
		{"/runners/agents", "/runners"},
	}
	refused := [][2]string{
		{"", "/plans"},
		{"/cmd", "/runners"},
		{"/cmd", "/lifecycle/gate"},
		{"/internal/ui/review", "/worktree"},
		{"/lifecycle", "/cmd"},
		{"/lifecycle", "/internal/ui/live"},
		{"/lifecycle/gate", "/lifecycle/record"},
		{"/lifecycle/verify", "/lifecycle"},
		{"/worktree", "/runners"},
		{"/promptware", "/worktree"},
		{"/plans", "/worktree"},
		{"/plans", "/lifecycle"},
		{"/internal/config", "/plans"},
		{"/internal/git", "/lifecycle"},
		{"/internal/ui/live", "/internal/ui/review"},
		{"/cmd", "/internal/bench"},
		{"/runners", "/internal/testkit"},
		{"/elsewhere", "/plans"},
	}
	for _, c := range allowed {
		if why := forbidden(module+c[0], module+c[1], false); why != "" {
			t.Errorf("%s → %s: %s", c[0], c[1], why)
		}
	}
	for _, c := range refused {
		if forbidden(module+c[0], module+c[1], false) == "" {
			t.Errorf("%s → %s is allowed", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"/runners", "/internal/testkit"}, {"/cmd", "/lifecycle/record"}} {
		if why := forbidden(module+c[0], module+c[1], true); why != "" {
			t.Errorf("in a test, %s → %s: %s", c[0], c[1], why)
		}
	}
	if forbidden(module+"/lifecycle/gate", module+"/lifecycle/record", true) == "" {
		t.Error("a test may look to the side")
	}
}

func TestImportsPointInward(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			for _, p := range goList(t, system) {
				check := func(imports []string, inTest bool) {
					for _, to := range imports {
						if why := forbidden(p.ImportPath, to, inTest); why != "" {
							t.Errorf("%s imports %s: %s", p.ImportPath, to, why)
						}
					}
				}
				check(p.Imports, false)
				check(slices.Concat(p.TestImports, p.XTestImports), true)
			}
		})
	}
}
