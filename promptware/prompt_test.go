package promptware

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tendril/internal/testkit"
	"tendril/plans"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }

// input is an ordinary first attempt.
func input() PromptInput {
	return PromptInput{
		Plan: &plans.Plan{
			Key: "0007-add-search", Title: "Add search", Path: "docs/plans/0007-add-search/plan.md", Body: []byte("\n## Problem\n\nNothing is found.\n"),
		},
		Round: 1, Attempt: 1, Branch: "tendril/0007-add-search", Base: "trunk", Autonomy: "full",
	}
}

func prompt(t *testing.T, in PromptInput) string {
	t.Helper()
	u, err := Load(ExecutePlan, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := u.Prompt(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestPromptSaysWhatMatters(t *testing.T) {
	t.Parallel()
	const (
		plan     = "Nothing is found."
		rules    = "# Rules"
		failed   = "The checks did not pass"
		reviewer = "A reviewer read"
		cutOff   = "was cut off"
		stands   = "# Where this stands"
	)
	for _, c := range []struct {
		name      string
		change    func(*PromptInput)
		has, not  []string
		shortened bool // only what is new
	}{
		{
			name: "first attempt", change: func(*PromptInput) {},
			has: []string{
				plan, rules, "0007-add-search: Add search", "branch `tendril/0007-add-search`, made from `trunk`", "`docs/plans/` and `.tendril/`",
				"$TENDRIL_SUMMARY", "$TENDRIL_MEMORY", "$TENDRIL_FINDINGS", "$TENDRIL_FEEDBACK", "Commit your work here or leave it uncommitted", "No\n  other branch",
			},
			not: []string{stands, failed, reviewer, cutOff, "# Checks", "$TENDRIL_SCOPE_REQUEST", "tendril check", "# What earlier", "# About"},
		},
		{
			name: "scope", change: func(in *PromptInput) { in.Scope = []string{"src/**", "!src/gen/**"} },
			has: []string{"`src/**`", "`!src/gen/**`", "$TENDRIL_SCOPE_REQUEST", "unless a pattern above"},
		},
		{
			name: "checks", change: func(in *PromptInput) { in.Checks = []string{"test: go test ./...", "lint: golangci-lint run"} },
			has: []string{"- test: go test ./...\n- lint: golangci-lint run\n", "`tendril check`"},
			not: []string{"You cannot run commands"},
		},
		{
			name: "an agent that may only edit", change: func(in *PromptInput) { in.Checks, in.Autonomy = []string{"test: x"}, "edit" },
			has: []string{"- test: x\n", "You cannot run commands"},
			not: []string{"tendril check"},
		},
		{
			name: "memory and context", change: func(in *PromptInput) {
				in.Notes, in.Context = []Note{{"database", "tests need one"}, {"style", "tabs"}}, []byte("It is a web shop.\n")
			},
			has: []string{"# About this project\n\nIt is a web shop.\n", "## database\n\ntests need one\n", "## style\n\ntabs\n"},
		},
		{
			name: "feedback on the same session", shortened: true,
			change: func(in *PromptInput) { in.Attempt, in.Resumed, in.Feedback = 2, true, []byte("test: exit code 1") },
			has:    []string{failed, "test: exit code 1", ".tendril-run/feedback.md", "summary.md"},
			not:    []string{reviewer, cutOff, "without a result"},
		},
		{
			name:   "feedback in a fresh session",
			change: func(in *PromptInput) { in.Attempt, in.Feedback = 2, []byte("test: exit code 1") },
			has:    []string{plan, rules, stands, "round 1, attempt 2", "git log", failed, "test: exit code 1"},
			not:    []string{reviewer},
		},
		{
			name: "review on the same session", shortened: true,
			change: func(in *PromptInput) { in.Round, in.Resumed, in.Review = 2, true, []byte("- a.go:3: why?") },
			has:    []string{reviewer, "- a.go:3: why?"},
			not:    []string{failed},
		},
		{
			name:   "review in a fresh session",
			change: func(in *PromptInput) { in.Round, in.Review = 2, []byte("- a.go:3: why?") },
			has:    []string{plan, stands, "round 2, attempt 1", reviewer, "- a.go:3: why?"},
			not:    []string{failed},
		},
		{
			name: "an interrupted run, resumed", shortened: true,
			change: func(in *PromptInput) { in.Resumed, in.Interrupted = true, true },
			has:    []string{cutOff},
			not:    []string{"without a result"},
		},
		{
			name:   "an interrupted run in a fresh session",
			change: func(in *PromptInput) { in.Interrupted = true },
			has:    []string{plan, stands, cutOff},
		},
		{
			name: "an attempt that came to nothing", shortened: true,
			change: func(in *PromptInput) { in.Attempt, in.Resumed = 2, true },
			has:    []string{"without a result"},
		},
		{
			name:   "a conflict",
			change: func(in *PromptInput) { in.Round, in.Conflict = 2, []string{"a.go", "b.go"} },
			has:    []string{"`trunk` has moved on", "Merge it into this branch", "- `a.go`\n- `b.go`\n"},
		},
		{
			name:   "a conflict for one that may only edit",
			change: func(in *PromptInput) { in.Round, in.Conflict, in.Autonomy = 2, []string{"a.go"}, "edit" },
			has:    []string{"conflict marks", "- `a.go`\n"},
			not:    []string{"Merge it"},
		},
		{
			name: "words with the first prompt", change: func(in *PromptInput) { in.Words = []string{"use tabs", "and no globals"} },
			has: []string{plan, rules, "# What a person says besides\n\n```text\nuse tabs\n```\n\n```text\nand no globals\n```\n\n# Rules"},
			not: []string{stands},
		},
		{
			name: "words as the next turn", shortened: true,
			change: func(in *PromptInput) { in.Resumed, in.Beside, in.Words = true, true, []string{"use tabs"} },
			has:    []string{"A person who follows this work says:\n\n```text\nuse tabs\n```\n\nThe plan"},
			not:    []string{"without a result", cutOff},
		},
		{
			name:   "words to an agent that cannot resume",
			change: func(in *PromptInput) { in.Beside, in.Words = true, []string{"use tabs"} },
			has:    []string{plan, stands, "round 1, attempt 1", "A person who follows this work says:\n\n```text\nuse tabs\n```\n\n# Rules"},
		},
		{
			name: "words and what failed", shortened: true,
			change: func(in *PromptInput) {
				in.Resumed, in.Beside, in.Words, in.Feedback = true, true, []string{"use tabs"}, []byte("test: exit code 1")
			},
			has: []string{failed, "use tabs"},
		},
		{
			name: "everything at once", shortened: true,
			change: func(in *PromptInput) {
				in.Round, in.Resumed, in.Interrupted, in.Conflict = 2, true, true, []string{"a.go"}
				in.Review, in.Feedback = []byte("the review"), []byte("the failure")
			},
			has: []string{cutOff, "`a.go`", "the review", "the failure"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := input()
			c.change(&in)
			got := prompt(t, in)
			has, not := c.has, c.not
			if c.shortened {
				has, not = append(has, "are the ones you know"), append(not, plan, rules, stands, "$TENDRIL_MEMORY")
			}
			for _, want := range has {
				if !strings.Contains(got, want) {
					t.Errorf("lacks %q", want)
				}
			}
			for _, bad := range not {
				if strings.Contains(got, bad) {
					t.Errorf("has %q", bad)
				}
			}
			if strings.Contains(got, "\n\n\n") || strings.HasPrefix(got, "\n") || !strings.HasSuffix(got, "\n") {
				t.Error("blank lines too many")
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

// Invariant 10: a plan, a check's output and a reviewer's words are data, whatever they look like.
func TestValuesAreNoTemplates(t *testing.T) {
	t.Parallel()
	u, err := Load(ExecutePlan, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringOf(rapid.RuneFrom([]rune("{}.%$`\"'<>&#-ab \nü"))).Draw
		in := input()
		in.Plan.Body = []byte("{{.Key}}" + words(t, "body") + "{{template \"news\"}}")
		in.Feedback = []byte("{{" + words(t, "feedback") + "x")
		in.Review = []byte("x" + words(t, "review") + "}}")
		in.Resumed = false
		out, err := u.Prompt(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range [][]byte{in.Plan.Body, in.Feedback, in.Review} {
			if !strings.Contains(string(out), string(want)) {
				t.Fatalf("%q is not in the prompt as it is:\n%s", want, out)
			}
		}
	})
}

// A text cannot end the fence around it and go on as our words.
func TestFenceHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("`\na "))).Draw(t, "text")
		lines := strings.Split(fence(text), "\n")
		mark := lines[len(lines)-1]
		if strings.Trim(mark, "`") != "" || len(mark) < 3 || lines[0] != mark+"text" {
			t.Fatalf("fence %q … %q", lines[0], mark)
		}
		for _, line := range lines[1 : len(lines)-1] {
			if strings.Contains(line, mark) {
				t.Fatalf("%q ends the fence %q", line, mark)
			}
		}
	})
}

// A unit of the repository's own that knows nothing of words loses none.
func TestWordsReachAUnitThatKnowsNone(t *testing.T) {
	t.Parallel()
	u, err := Load(ExecutePlan, []byte("---\nversion: 1\n---\nDo {{.Key}}.\n"))
	if err != nil {
		t.Fatal(err)
	}
	in := input()
	in.Words = []string{"use tabs"}
	out, err := u.Prompt(in)
	if err != nil || !strings.Contains(string(out), "use tabs") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPromptWithoutAPlan(t *testing.T) {
	t.Parallel()
	u, err := Load(ExecutePlan, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Prompt(PromptInput{}); err == nil {
		t.Error("a prompt without a plan")
	}
}
