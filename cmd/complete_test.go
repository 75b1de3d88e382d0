package cmd

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/plans"
)

// suggested are the values that fit the words, where there is no repository.
func suggested(t *testing.T, words ...string) string {
	t.Helper()
	f := NewFactory(IO{Env: func(string) string { return "" }}, Version{})
	f.Repo = func(context.Context) (*git.Repo, error) { return nil, errors.New("no repository") }
	var values []string
	for _, s := range newCompleter(f, newApp(f)).complete(t.Context(), words) {
		values = append(values, s.value)
	}
	return strings.Join(values, " ")
}

func TestCompletionOutsideOfARepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, want string }{
		{"appr", "approve"},
		{"--quiet appr", "approve"},
		{"completion ", "bash fish powershell zsh"},
		{"completion bash ", ""},
		{"help stat", "status states"},
		{"list --status ", "draft icebox approved executing verifying in-review changes-requested accepted merged failed rejected"},
		{"list --status=dr", "--status=draft"},
		{"list --status = dr", "--status=draft"},
		{"run --on", "--once"},
		{"run 1 --tr", "--trust"},
		{"approve -", "--message --with-edits --fresh -C --json --quiet --verbose --help"},
		{"approve -- -", ""},
		{"approve ", ""},
		{"-C ", ":folders"},
		{"new --body ", ":files"},
		{"shell 1 ", ":files"},
		{"init --layout ", "default-branch own-branch"},
		{"init --agent scr", "script"},
		{"nonsense ", ""},
		{"__comp", ""},
	} {
		words := strings.Split(c.words, " ")
		if got := suggested(t, words...); got != c.want {
			t.Errorf("%q gives %q, want %q", c.words, got, c.want)
		}
	}
}

// What a command offers is what it takes: a gate's states are the matrix's.
func TestKeysFitTheirCommand(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"approve": "draft icebox failed rejected", "accept": "in-review", "stop": "executing verifying",
		"say": "approved executing verifying changes-requested", "attach": "executing verifying in-review failed",
	} {
		var got []string
		for _, s := range plans.Statuses() {
			if keyFilter(command)(s) {
				got = append(got, string(s))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", command, got, want)
		}
	}
	for _, c := range []struct {
		digits, key string
		whole, want bool
	}{
		{"1", "0001-a", true, true},
		{"1", "0012-a", false, true},
		{"1", "0012-a", true, false},
		{"012", "0012-a", true, true},
		{"2", "0012-a", false, false},
		{"", "0001-a", false, false},
		{"x", "0001-a", false, false},
		{"1", "nokey", false, false},
	} {
		if got := numberFits(c.digits, c.key, c.whole); got != c.want {
			t.Errorf("numberFits(%q, %q, %v) = %v", c.digits, c.key, c.whole, got)
		}
	}
}

// A title is data: no control character of it and no second line reaches the shell.
func TestSuggestionsAreOneLine(t *testing.T) {
	t.Parallel()
	got := suggestion{"0001-a", "a\tb\nc\x1b[31m" + strings.Repeat("x", 80)}.line()
	if strings.Count(got, "\n") != 1 || strings.Count(got, "\t") != 1 || strings.Contains(got, "\x1b") || len([]rune(got)) > 80 {
		t.Errorf("%q", got)
	}
}

// shellAsks are the real shells, asked as they ask at a TAB: the command for a line.
func shellAsks() map[string]func(line string) []string {
	return map[string]func(line string) []string{
		"bash": func(line string) []string {
			return []string{"bash", "--norc", "-c", `source <(tendril completion bash)
COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tendril; printf '%s\n' "${COMPREPLY[@]}"`, "bash", line}
		},
		"zsh": func(line string) []string {
			return []string{"zsh", "-f", "-c", `compdef() { :; }; compadd() { print -l -- $values; }
source <(tendril completion zsh); words=(${(s: :)1}); [[ $1 == *" " ]] && words+=(""); CURRENT=$#words; _tendril`, "zsh", line}
		},
		"fish": func(line string) []string {
			return []string{"fish", "--no-config", "-c", `tendril completion fish | source; complete -C $argv[1] | string replace -r '\t.*' ''`, line}
		},
	}
}

func TestCompletionInTheShells(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testkit.TempDir(t), "project")
	env := testkit.Setenv(testkit.Env(t), "TERM", "dumb")
	for key, status := range map[string]string{"0001-sidebar": "draft", "0002-search": "draft", "0013-shown": "in-review"} {
		testkit.Write(t, dir, "plans/"+key+"/plan.md", "---\ntitle: \"It's $(touch pwned) `touch pwned` "+key+"\"\nstatus: "+status+"\n---\n")
	}
	testkit.Git(t, dir, "init", "--quiet", "--initial-branch=main")
	testkit.Commit(t, dir, "plans")
	for shell, argv := range shellAsks() {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("%s is not installed", shell)
			}
			for line, want := range map[string]string{
				"tendril appr":               "approve",
				"tendril approve ":           "0001-sidebar 0002-search",
				"tendril approve 0001-side":  "0001-sidebar",
				"tendril approve 1 ":         "0002-search",
				"tendril accept ":            "0013-shown",
				"tendril list --status drag": "",
			} {
				cmd := exec.CommandContext(t.Context(), argv(line)[0], argv(line)[1:]...)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				if got := strings.Join(strings.Fields(string(out)), " "); err != nil && want != "" || got != want {
					t.Errorf("%q gives %q (%v), want %q", line, got, err, want)
				}
			}
			if got := testkit.Git(t, dir, "status", "--porcelain"); got != "" {
				t.Errorf("a title was run: %s", got)
			}
		})
	}
}
