package deliver

import (
	"strings"
	"testing"
)

func TestProvedAutomatic(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	accepted := l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
	first := l.on("main", "meanwhile", "b.txt", "b\n")
	one := ok(BuildIntegration(t.Context(), l.repo, accepted, first, words("i")))(t).Commit
	second := l.on("main", "again", "d.txt", "d\n")
	two := ok(BuildIntegration(t.Context(), l.repo, one, second, words("i")))(t).Commit
	foreign := l.on("main", "not in the base", "e.txt", "e\n")
	l.Git("reset", "-q", "--hard", second)
	withForeign := ok(BuildIntegration(t.Context(), l.repo, accepted, foreign, words("i")))(t).Commit
	reversed := ok(BuildMerge(t.Context(), l.repo, first, accepted, words("m")))(t).Commit

	// By hand: the same merge with one line more, with a commit on top, and as a squash.
	l.Git("checkout", "-q", "--detach", accepted)
	l.Git("merge", "-q", "--no-commit", "--no-ff", first)
	l.Write("a.txt", "smuggled\n")
	evil := l.Commit("a merge")
	l.Git("checkout", "-q", "--detach", one)
	onTop := l.Commit("empty, on top")
	l.Git("checkout", "-q", "--detach", accepted)
	l.Git("merge", "-q", "--squash", first)
	squashed := l.Commit("no merge")
	l.Git("checkout", "-q", "--detach", accepted)
	l.Git("merge", "-q", "--no-ff", "-m", "by a person, by git alone", first)
	byHand := l.Head()

	for name, c := range map[string]struct {
		commit, base string
		want         bool
	}{
		"the accepted head":               {accepted, second, true},
		"one merge":                       {one, first, true},
		"one merge, base went on":         {one, second, true},
		"two merges":                      {two, second, true},
		"two merges, base rewound":        {two, first, false},
		"a person's plain git merge":      {byHand, second, true},
		"with a line more":                {evil, second, false},
		"with a commit on top":            {onTop, second, false},
		"squashed":                        {squashed, second, false},
		"base as the first parent":        {reversed, second, false},
		"merged with what is not in base": {withForeign, second, false},
		"the base itself":                 {first, second, false},
	} {
		got, err := ProvedAutomatic(t.Context(), l.repo, c.commit, accepted, c.base)
		if err != nil || got != c.want {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func TestMoved(t *testing.T) {
	t.Parallel()
	status := strings.Replace(draftText, "draft", "executing", 1)
	for name, c := range map[string]struct {
		files []string
		want  bool
	}{
		"nothing":                     {nil, false},
		"a status":                    {[]string{planDir + "/plan.md", status}, false},
		"record and board":            {[]string{planDir + "/record.yaml", "x\n", "plans/README.md", "y\n"}, false},
		"a new plan":                  {[]string{"plans/0002-y/plan.md", draftText, "plans/0002-y/notes/a.go", "package a\n"}, false},
		"a plan is gone":              {[]string{planDir + "/plan.md", ""}, false},
		"memory":                      {[]string{".tendril/promptware/ExecutePlan/Memory/go.md", "x\n"}, false},
		"a program":                   {[]string{"b.txt", "x\n"}, true},
		"a program and a status":      {[]string{"b.txt", "x\n", planDir + "/plan.md", status}, true},
		"a folder that is no plan":    {[]string{"plans/0003-z/main.go", "package z\n"}, true},
		"a folder with no key":        {[]string{"plans/shared/plan.md", draftText}, true},
		"another page among plans":    {[]string{"plans/NOTES.md", "x\n"}, true},
		"a plan somewhere else":       {[]string{"docs/plans/0002-y/plan.md", draftText}, true},
		"configuration":               {[]string{".tendril/config.yaml", "x\n"}, true},
		"promptware":                  {[]string{".tendril/promptware/ExecutePlan/Program.md", "x\n"}, true},
		"a file like the memory":      {[]string{".tendril/promptware/ExecutePlan/Tools/Memory/x", "x\n"}, true},
		"a plan's folder as program":  {[]string{"0002-y/plan.md", draftText}, true},
		"a link in place of a folder": {[]string{"plans-0001-x/plan.md", draftText}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			tip := l.base
			if len(c.files) > 0 {
				tip = l.on("main", "change", c.files...)
			}
			if got := ok(Moved(t.Context(), l.repo, l.base, tip, "plans"))(t); got != c.want {
				t.Errorf("moved %v, want %v", got, c.want)
			}
			if got := ok(Moved(t.Context(), l.repo, tip, l.base, "/plans/"))(t); got != c.want {
				t.Errorf("backwards: moved %v, want %v", got, c.want)
			}
		})
	}
}

// An odd configuration of the person's changes nothing.
func TestDeafToSettings(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, kv := range []string{
		"diff.relative=true", "diff.renames=copies", "merge.renames=false", "merge.conflictStyle=diff3",
		"log.showSignature=true", "color.ui=always", "i18n.commitEncoding=ISO-8859-1", "core.quotePath=true",
		"diff.external=false", "log.follow=true", "trailer.separators=#",
	} {
		name, value, _ := strings.Cut(kv, "=")
		l.Git("config", name, value)
	}
	l.Git("checkout", "-q", branch)
	l.Git("mv", "a.txt", "renamed.txt")
	head := l.Commit("rename")
	l.Git("checkout", "-q", "main")
	tip := l.on("main", "edit", "a.txt", "new\n"+lines("a", 20))
	l.Git("config", "diff.orderFile", "/nowhere")
	l.Git("config", "commit.gpgsign", "true")
	built := ok(BuildMerge(t.Context(), l.repo, tip, head, words("Ümlaut\n")))(t)
	l.Git("config", "--unset", "diff.orderFile")
	if got := l.file(built.Commit, "renamed.txt"); !strings.HasPrefix(got, "new\n") {
		t.Errorf("the edit did not follow the rename: %q", got)
	}
	if got := l.Git("cat-file", "commit", built.Commit); strings.Contains(got, "encoding") || !strings.Contains(got, "Ümlaut") {
		t.Errorf("the message is not UTF-8: %q", got)
	}
	if !ok(Moved(t.Context(), l.repo, l.base, tip, "plans"))(t) {
		t.Error("the base moved")
	}
}

func TestInBase(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	head := l.on(branch, "work", "a.txt", "new\n")
	if ok(InBase(t.Context(), l.repo, head, l.base))(t) {
		t.Error("not merged, but in the base")
	}
	built := ok(BuildMerge(t.Context(), l.repo, l.base, head, words("m")))(t)
	if !ok(InBase(t.Context(), l.repo, head, built.Commit))(t) {
		t.Error("merged, but not in the base")
	}
	// A replaced or grafted commit proves nothing: what is deleted on such a proof is lost.
	l.Git("replace", l.base, built.Commit)
	l.Write(".git/info/grafts", l.base+" "+head+"\n")
	if ok(InBase(t.Context(), l.repo, head, l.base))(t) {
		t.Error("a replace ref or a graft was believed")
	}
	if _, err := InBase(t.Context(), l.repo, strings.Repeat("1", 40), l.base); err == nil {
		t.Error("a commit that is not there is no error")
	}
}
