package plans

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	for key, number := range map[string]int{
		"0007-add-search-button": 7, "12345-x": 12345, "0000-plan": 0, "0001-" + strings.Repeat("a", 60): 1, "000012-y": 12,
		"999999999-top": 999999999,
	} {
		k, err := ParseKey(key)
		if err != nil || string(k) != key || k.Number() != number {
			t.Errorf("ParseKey(%q) = %q, number %d, %v; want number %d", key, k, k.Number(), err, number)
		}
		if want := "tendril/" + key; k.Branch() != want {
			t.Errorf("%q.Branch() = %q, want %q", key, k.Branch(), want)
		}
	}
	for _, bad := range []string{
		"", "..", "../../etc/x", "a/../../b", "/abs", `a\b`, "con", "x.lock", ".git", "0007-a\x00b", "0007-a\nb", "0007-a\n",
		"0007", "0007-", "007-x", "0007_x", "0007-X", "0007-ä", "0007-a/b", `0007-a\b`, "0007-a.lock", "-0007-x", " 0007-x", "0007-x ",
		"0007-" + strings.Repeat("a", 61), "1234567890-x", "٠٠٠٧-x", "0007-a..b", "x-0007", "0007-a:b", "0007-a@{1}",
	} {
		if k, err := ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) = %q, want an error", bad, k)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ title, want string }{
		{"Add a search button to the sidebar", "add-a-search-button-to-the-sidebar"},
		{"Größe & Übermut", "grosse-and-ubermut"},
		{"Добавить поиск", "dobavit-poisk"},
		{"添加搜索按钮", "tian-jia-sou-suo-an-niu"},
		{"🌱🌱", "plan"},
		{"", "plan"},
		{"...", "plan"},
		{"../../etc/passwd", "etc-passwd"},
		{"snake_case__twice", "snake-case-twice"},
		{"a\x00b\nc", "a-b-c"},
		{`x"; touch PWN; $(touch PWN2) ` + "`touch PWN3`", "x-touch-pwn-touch-pwn2-touch-pwn3"},
		{strings.Repeat("a", 400), strings.Repeat("a", 60)},
		{strings.Repeat("word ", 80), "word-word-word-word-word-word-word-word-word-word-word-word"},
		{strings.Repeat("a", 60) + " b", strings.Repeat("a", 60)},
		{strings.Repeat("a", 30) + " " + strings.Repeat("b", 40), strings.Repeat("a", 30)},
	} {
		if got := Slug(c.title); got != c.want {
			t.Errorf("Slug(%q) = %q, want %q", c.title, got, c.want)
		}
	}
	if got := MakeKey(7, "Add search"); got != "0007-add-search" {
		t.Errorf("MakeKey(7) = %q", got)
	}
	if got := MakeKey(12345, ""); got != "12345-plan" {
		t.Errorf("MakeKey(12345) = %q", got)
	}
}

func TestEveryTitleMakesAKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		n := rapid.IntRange(0, 999999999).Draw(t, "n")
		k := MakeKey(n, title)
		if got, err := ParseKey(string(k)); err != nil || got.Number() != n {
			t.Fatalf("title %q gives the key %q: %v", title, k, err)
		}
	})
}
