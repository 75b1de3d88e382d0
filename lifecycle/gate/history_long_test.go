package gate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/plans"
)

// longHistory makes a repository whose first-parent line changes plan after plan: each is drafted, approved and failed
// in turn. It returns the client and the tip.
func longHistory(t testing.TB, commits, count int) (*git.Repo, string) {
	t.Helper()
	r := testkit.EmptyRepo(t)
	var b strings.Builder
	for i := range commits {
		w, to := longStep(i)
		body := text(string(to), fmt.Sprintf("version %d\n", i))
		fmt.Fprintf(&b, "commit refs/heads/main\nauthor %s <%s> %d +0000\ncommitter %s <%s> %d +0000\ndata 1\nx\n", w.name, w.email, i+1, w.name, w.email, i+1)
		fmt.Fprintf(&b, "M 100644 inline plans/%s/plan.md\ndata %d\n%s\n", longKey(i, count), len(body), body)
	}
	cmd := exec.CommandContext(t.Context(), "git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, testkit.Env(t), strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
	repo, err := git.Open(context.WithoutCancel(t.Context()), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo, r.Git("rev-parse", "main")
}

func longStep(i int) (who, plans.Status) {
	switch i % 3 {
	case 1:
		return pat, plans.Approved
	case 2:
		return engine, plans.Failed
	default:
		return pat, plans.Draft
	}
}

func longKey(i, count int) plans.Key { return plans.Key(fmt.Sprintf("%04d-p", i%count+1)) }

func TestLongHistory(t *testing.T) {
	t.Parallel()
	const commits, count = 1000, 100
	repo, tip := longHistory(t, commits, count)
	all, err := NewHistory(repo, rules).At(t.Context(), tip)
	if err != nil || len(all) != count {
		t.Fatalf("%d plans, %v", len(all), err)
	}
	for i := commits - count; i < commits; i++ {
		_, want := longStep(i)
		// A plan that Tendril fails before anybody approved it is still a draft then.
		ignored := 0
		if (i % count % 3) == 2 {
			ignored = 1
		}
		if got := all[longKey(i, count)]; got.Status != want || len(got.Invalid) != ignored {
			t.Errorf("%s: %+v, want %s and %d ignored", longKey(i, count), got, want, ignored)
		}
	}
}

func TestHistoryKeptInAFile(t *testing.T) {
	t.Parallel()
	repo, tip := longHistory(t, 100, 10)
	file := filepath.Join(testkit.TempDir(t), "cache", "history")
	at := func(tip string, r Rules, learn bool) map[plans.Key]Effective {
		t.Helper()
		h := NewHistory(repo, r)
		h.KeepIn(file)
		if learn {
			// Whoever reads the old versions again now would find every plan a draft.
			h.Learn(forgetful(t, repo))
		}
		all, err := h.At(t.Context(), tip)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := testkit.Git(t, repo.Dir, "rev-parse", tip+"~40")
	first := at(before, rules, false)
	if diff := cmp.Diff(first, at(before, rules, true)); diff != "" {
		t.Errorf("from the file (-read +kept):\n%s", diff)
	}
	anew, err := NewHistory(repo, rules).At(t.Context(), tip)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(anew, at(tip, rules, false)); diff != "" {
		t.Errorf("going on from the file (-read +kept):\n%s", diff)
	}
	// Rewound, with other rules, cut off, changed: the file is not used.
	if diff := cmp.Diff(first, at(before, rules, false)); diff != "" {
		t.Errorf("rewound (-read +kept):\n%s", diff)
	}
	other := rules
	other.Tendril.Email = pat.email
	if all := at(tip, other, false); cmp.Equal(all, anew) {
		t.Error("other rules give the same")
	}
	for name, change := range map[string]func([]byte) []byte{
		"cut off": func(b []byte) []byte { return b[:len(b)-20] },
		"empty":   func([]byte) []byte { return nil },
		"changed": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("failed"), []byte("merged")) },
	} {
		at(tip, rules, false)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, change(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(anew, at(tip, rules, false)); diff != "" {
			t.Errorf("%s (-read +kept):\n%s", name, diff)
		}
	}
}

// forgetful says of every version in the repository that it is a draft.
func forgetful(t *testing.T, repo *git.Repo) map[string]plans.Status {
	t.Helper()
	all := map[string]plans.Status{}
	out := testkit.Git(t, repo.Dir, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
	for line := range strings.Lines(out) {
		if id, blob := strings.CutPrefix(strings.TrimSpace(line), "blob "); blob {
			all[id] = plans.Draft
		}
	}
	return all
}

func BenchmarkHistory(b *testing.B) {
	repo, tip := longHistory(b, 5000, 1000)
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewHistory(repo, rules).At(b.Context(), tip); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one commit more", func(b *testing.B) {
		h := NewHistory(repo, rules)
		before := testkit.Git(b, repo.Dir, "rev-parse", tip+"~1")
		for b.Loop() {
			b.StopTimer()
			h.tip = ""
			if _, err := h.At(b.Context(), before); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if _, err := h.At(b.Context(), tip); err != nil {
				b.Fatal(err)
			}
		}
	})
}
