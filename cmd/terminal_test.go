package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/term"
	"tendril/internal/testkit"
	"tendril/lifecycle"
	"tendril/plans"
)

func TestPatchOnATerminal(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("0123456789", 4)
	patch := "diff --git a/x b/x\nindex " + id + ".." + id + " 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\x1b[31m\n+new\r\n+" + id + "\n\\ No newline at end of file"
	want := "diff --git a/x b/x\nindex 0123456789..0123456789 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old[31m\n+new\n+" + id + "\n\\ No newline at end of file"
	if got := patchText(term.Info{OutTTY: true}, []byte(patch)); got != want {
		t.Errorf("got %q", got)
	}
	coloured := patchText(term.Info{OutTTY: true, Color: true}, []byte(patch))
	for _, part := range []string{"\x1b[1mdiff --git", "\x1b[36m@@", "\x1b[31m-old[31m\x1b[0m\n", "\x1b[32m+new\x1b[0m\n"} {
		if !strings.Contains(coloured, part) {
			t.Errorf("no %q in %q", part, coloured)
		}
	}
}

func TestPager(t *testing.T) {
	r := testkit.Repo(t)
	into := filepath.Join(r.Dir, "paged")
	r.Git("config", "core.pager", "cat > "+into)
	for name, c := range map[string]struct {
		terminal, json bool
		env            map[string]string
		paged          bool
	}{
		"configured":       {terminal: true, paged: true},
		"not on a pipe":    {},
		"not for programs": {terminal: true, json: true},
		"cat is none":      {terminal: true, env: map[string]string{"GIT_PAGER": "cat"}},
		"one that is lost": {terminal: true, env: map[string]string{"GIT_PAGER": "no-such-pager-here 2>/dev/null"}},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Write(t, r.Dir, "paged", "")
			f, out, _ := testFactory(r.Dir)
			f.IO.Term.OutTTY, f.Global.JSON, f.IO.Env = c.terminal, c.json, func(name string) string { return c.env[name] }
			err := f.withLife(t.Context(), func(p *lifecycle.Project) error { return f.page(t.Context(), p, "text\n") })
			if err != nil {
				t.Fatal(err)
			}
			want := [2]string{"text\n", ""}
			if c.paged {
				want = [2]string{"", "text\n"}
			}
			if got := [2]string{out.String(), testkit.Read(t, r.Dir, "paged")}; got != want {
				t.Errorf("printed and paged %q, want %q", got, want)
			}
		})
	}
}

// Whoever edits what somebody decided on is told what that means; a draft says nothing.
func TestEditSaysWhatItMeans(t *testing.T) {
	t.Parallel()
	silent := map[plans.Status]bool{plans.Draft: true, plans.Icebox: true, plans.Failed: true, plans.Rejected: true}
	for _, s := range plans.Statuses() {
		got := editMeaning("0001-x", s)
		if (got == "") != silent[s] || got != "" && !strings.HasPrefix(got, "0001-x is "+string(s)+": ") {
			t.Errorf("%s: %q", s, got)
		}
	}
}
