package live

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

var update = flag.Bool("update", false, "write the screens into testdata")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// titles are of the kinds that people write, control sequences and wide characters among them.
var titles = []string{
	"Add a search button to the sidebar", "Fix the \x1b[31mflaky\x1b[0m date test", "日本語のタイトルを付けた計画で幅を確かめる、とても長いもの",
	"Rename the flags 🚀", "Überprüfe die Übersetzungen in allen Menüs und Dialogen der ganzen Anwendung, auch in den seltenen",
}

// sceneOf is a scene with n plans at work, and others beside them.
func sceneOf(n int) lifecycle.Scene {
	s := lifecycle.Scene{At: noon, Shared: []int{3}}
	i64 := func(n int64) *int64 { return &n }
	usd := func(f float64) *float64 { return &f }
	steps := []lifecycle.Working{
		{Step: lifecycle.StepAgent, Agent: "claude:opus", Said: "→ Edit src/sidebar/search.tsx \x1b[2J and\ta tab", Attempt: 2, Max: 3, Spent: lifecycle.Spent{Tokens: i64(48_213), USD: usd(0.314), MoreUSD: true, MoreTokens: true}},
		{Step: lifecycle.StepChecks, Agent: "codex", Check: 2, Checks: 4, Detail: "lint", Attempt: 1, Max: 3, Spent: lifecycle.Spent{Tokens: i64(1_204_000), MoreUSD: true}},
		{Step: lifecycle.StepSetup, Agent: "script", Attempt: 1, Max: 3, Spent: lifecycle.Spent{USD: usd(0), Free: true}},
		{Step: lifecycle.StepParked, Agent: "claude", Detail: "the limit of claude, until 15:00:00", Attempt: 1, Max: 3, Spent: lifecycle.Spent{MoreUSD: true, MoreTokens: true}},
		{Step: lifecycle.StepAgent, Agent: "script", Said: "コンパイル中 モジュール番号 12 とても長い行なのでどこかで切らなければならないのです、はい", Attempt: 1, Max: 3, Spent: lifecycle.Spent{USD: usd(0), Free: true}},
	}
	for i := range n {
		w := steps[i%len(steps)]
		w.Key = plans.Key(fmt.Sprintf("%04d-a-plan", i+1))
		w.Title = titles[i%len(titles)]
		w.Since = noon.Add(-time.Duration(i*i) * 13 * time.Second)
		s.Working = append(s.Working, w)
	}
	if n == 0 {
		return s
	}
	s.Waiting = []lifecycle.Waiting{
		{Key: "0101-next", Title: titles[0], For: "0001-a-plan to be merged"},
		{Key: "0102-more", Title: titles[1], For: "a free place: 5 of 5 plans are at work"},
		{Key: "0103-more", Title: titles[2], For: "a free place: 5 of 5 plans are at work"},
	}
	s.Asking = []lifecycle.Asking{
		{Key: "0201-review", Title: titles[0], Status: plans.InReview, Why: "in-review", Commands: []string{"tendril diff 0201", "tendril accept 0201"}},
		{Key: "0202-failed", Title: titles[4], Status: plans.Failed, Why: "failed: checks", Commands: []string{"tendril show 0202", "tendril approve 0202"}},
		{Key: "0203-broken", Title: "0203-broken", Status: plans.Draft, Why: "plans/0203-broken/plan.md:3:1: mapping values are not allowed in this context", Commands: []string{"tendril edit 0203"}},
	}
	return s
}

func screenOf(s lifecycle.Scene, width, height int) model {
	return model{width: width, height: height, scene: s, looked: true, now: noon.Add(5 * time.Second)}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (write it with -update):\n%s", file, diff)
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
		for _, n := range []int{0, 1, 5, 30} {
			name := fmt.Sprintf("%dx%d-%d", size[0], size[1], n)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				golden(t, name, strings.Join(screenOf(sceneOf(n), size[0], size[1]).lines(), "\n")+"\n")
			})
		}
	}
}

// Whatever the size, no line is as wide as the terminal, some of the record stays in sight, and nothing that a plan or an
// agent wrote reaches the terminal as a command.
func TestScreensFit(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5, 40} {
		scene := sceneOf(n)
		scene.Notes = []string{"nothing new starts: it waits for your word that the repository's commands may run here: tendril trust"}
		for width := 1; width < 130; width += 13 {
			for height := 1; height < 50; height += 5 {
				m := screenOf(scene, width, height)
				lines := m.lines()
				if len(lines) > max(height-1, 1) {
					t.Fatalf("%d plans at %dx%d: %d lines", n, width, height, len(lines))
				}
				for _, line := range lines {
					if w := ansi.StringWidth(line); w > max(width-1, 1) {
						t.Fatalf("%d plans at %dx%d: %d columns: %q", n, width, height, w, line)
					}
					if strings.ContainsAny(line, "\x1b\n\t") {
						t.Fatalf("a control character: %q", line)
					}
				}
			}
		}
	}
}

func TestEveryPlanIsShownOrCounted(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 12, 30} {
		text := strings.Join(screenOf(sceneOf(n), 80, 24).lines(), "\n")
		shown := strings.Count(text, "-a-plan ") // 0003 shares its number
		for i := range n {
			shown += strings.Count(text, fmt.Sprintf("\n  %04d ", i+1))
		}
		left := 0
		for line := range strings.SplitSeq(text, "\n") {
			var more int
			if k, _ := fmt.Sscanf(line, "  … and %d more", &more); k == 1 && left == 0 {
				left = more
			}
		}
		if shown+left != n || !strings.Contains(text, fmt.Sprintf("at work %d", n)) {
			t.Errorf("of %d plans %d are shown and %d counted:\n%s", n, shown, left, text)
		}
	}
}

func TestColoursOnlyWhereWanted(t *testing.T) {
	t.Parallel()
	m := screenOf(sceneOf(5), 80, 24)
	plain := strings.Join(m.lines(), "\n")
	m.look = term.Info{Color: true}
	coloured := strings.Join(m.lines(), "\n")
	if coloured == plain || ansi.Strip(coloured) != plain {
		t.Error("with colour it is another screen")
	}
}

func TestNoticeTakesThePlaceOfTheHint(t *testing.T) {
	t.Parallel()
	m := screenOf(sceneOf(1), 40, 24)
	m.notice = "the engine ends; 1 agents go on; Ctrl-C again within 2s ends them"
	text := strings.Join(m.lines(), "\n")
	if !strings.HasSuffix(text, "the engine ends; 1 agents go on; Ctrl-C\nagain within 2s ends them") || strings.Contains(text, "Ctrl-C ends the engine") {
		t.Error(text)
	}
}

func TestFarewellNamesWhatWaitsForThePerson(t *testing.T) {
	t.Parallel()
	if lines := screenOf(sceneOf(0), 80, 24).farewell(); lines != nil {
		t.Errorf("%q", lines)
	}
	text := strings.Join(screenOf(sceneOf(1), 80, 24).farewell(), "\n")
	for _, want := range []string{"waits for you 3", "tendril diff 0201, then tendril accept 0201", "tendril edit 0203"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
