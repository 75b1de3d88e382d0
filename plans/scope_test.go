package plans

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestScopeMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		globs   string
		in, out string
	}{
		{"", "a a/b.go", ""},
		{"src/sidebar/**", "src/sidebar/a src/sidebar/b/c", "src/sidebar src/other x/src/sidebar/a"},
		{"*.md", "a.md b/c.md .x.md", "a.go md"},
		{"/*.md", "a.md", "b/c.md"},
		{"docs/", "docs/a x/docs/b docs/c/d", "docs doc"},
		{"/docs/", "docs/a", "x/docs/b docs"},
		{"docs", "docs docs/a x/docs x/docs/y", "docs2"},
		{"src/*.go", "src/a.go", "src/x/a.go x/src/a.go src/a.gox"},
		{"src/**/x.go", "src/x.go src/a/x.go src/a/b/x.go", "x.go src/xx.go"},
		{"**/gen/**", "gen/a x/gen/b/c", "gen generated/a"},
		{"**", "a a/b", ""},
		{"src/** !src/gen/", "src/a", "src/gen/b x"},
		{"src/** !src/gen/ src/gen/keep.go", "src/a src/gen/keep.go", "src/gen/b"},
		{"!vendor/", "a b/c", "vendor/x y/vendor/z"},
		{"src/{a,b}/**", "src/a/x src/b/y", "src/c/z"},
		{"[ab].go", "a.go x/b.go", "c.go"},
		{`\!x`, "!x y/!x", "x"},
		{`a\*b`, "a*b", "axb"},
		{"a?c", "abc", "ac a/c"},
		{".github/workflows/*", ".github/workflows/x.yml .github/workflows/d/e", ".github/x"},
	} {
		s, err := CompileScope(strings.Fields(c.globs))
		if err != nil {
			t.Errorf("%q: %v", c.globs, err)
			continue
		}
		for _, p := range strings.Fields(c.in) {
			if !s.Match(p) {
				t.Errorf("%q does not match %q", c.globs, p)
			}
		}
		for _, p := range strings.Fields(c.out) {
			if s.Match(p) {
				t.Errorf("%q matches %q", c.globs, p)
			}
		}
	}
}

func TestScopeRefuses(t *testing.T) {
	t.Parallel()
	for _, glob := range []string{"", "/", "!", "../x", "a/../b", "./a", "a//b", "[a", "{a", `a\`, "/..", "a/.", "x\x00"} {
		if _, err := CompileScope([]string{"ok", glob}); err == nil || !strings.Contains(err.Error(), "glob") {
			t.Errorf("%q: %v", glob, err)
		}
	}
}

// TestScopeIsGitignores asks git itself, by an excludes file, about every pair that both can express.
func TestScopeIsGitignores(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	git("", "init", "-q")
	globs := []string{"src/**", "*.md", "/*.md", "docs/", "/docs/", "docs", "src/*.go", "src/**/x.go", "**/gen/**", "**/gen", "a?c", "[ab].go", "[!ab].go", `\!x`, `a\*b`, "**", "x/y", "/x"}
	paths := []string{
		"a.md", "b/c.md", "docs/a", "x/docs/b", "docs/c/d", "src/a.go", "src/x/a.go", "src/x.go", "src/a/b/x.go", "gen/a", "x/gen/b/c", "generated/a",
		"abc", "a/c", "a.go", "x/b.go", "c.go", "!x", "a*b", "axb", "x/y/z", "y/x/y",
	}
	for _, glob := range globs {
		if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(glob+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ignored := map[string]bool{}
		for _, p := range strings.Split(git(strings.Join(paths, "\x00"), "check-ignore", "-z", "--stdin", "--no-index"), "\x00") {
			ignored[p] = true
		}
		s, err := CompileScope([]string{glob})
		if err != nil {
			t.Fatalf("%q: %v", glob, err)
		}
		for _, p := range paths {
			if s.Match(p) != ignored[p] {
				t.Errorf("%q on %q: %v, git says %v", glob, p, s.Match(p), ignored[p])
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "src/**", false},
		{"", "", false},
		{"src/**", "src/**", true},
		{"src/a/**", "src/b/**", false},
		{"src/**", "src/b/c.go", true},
		{"src", "src/b", true},
		{"docs/", "src/**", true}, // src/docs/x
		{"/docs/", "src/**", false},
		{"*.md", "src/**", true},
		{"/*.md", "src/**", false},
		{"/*.md", "/**/x", true}, // a folder of that name
		{"*.md", "*.go", true},   // x.md/y.go
		{"src/*.go", "src/*.md", false},
		{"src/a*.go", "src/*b.go", true},
		{"src/a?.go", "src/b?.go", false},
		{"src/[ab].go", "src/a.go", true},
		{"src/*/x", "src/y/*", true},
		{"src/x", "src/xy", false},
		{"src/{a,b}/**", "src/c/**", true}, // hard to tell
		{"src/{a,b}/**", "doc/**", false},
		{"src/** !src/gen/", "src/gen/x/**", false},
		{"src/** !src/gen/ src/gen/x/**", "src/gen/x/y", true},
		{"!src/", "src/a", true}, // src at any depth is taken out, but what src/a is on is hard to tell
		{"!/src", "src/a", false},
		{"!/src", "doc/a", true},
		{"/src/**", "!/doc", true},
		{"[a", "**", false},
		{"**", "x", true},
		{`src/a\*b`, "src/axb", false},
		{`src/a\*b`, "src/a*b", true},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		if got := Overlap(a, b); got != c.want {
			t.Errorf("Overlap(%q, %q) = %v, want %v", a, b, got, c.want)
		}
		if got := Overlap(b, a); got != c.want {
			t.Errorf("Overlap(%q, %q) = %v, want %v", b, a, got, c.want)
		}
	}
}

func TestOverlapIsNotSlow(t *testing.T) {
	t.Parallel()
	glob := strings.Repeat("**/*a*", 300)
	if !Overlap([]string{strings.Repeat("*a", 2000)}, []string{strings.Repeat("*b", 2000)}) {
		t.Error("they overlap")
	}
	Overlap([]string{glob}, []string{glob + "b"})
}
