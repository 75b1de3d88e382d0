package plans

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func fullRecord() *Record {
	at := time.Date(2026, 11, 30, 12, 0, 5, 0, time.UTC)
	return &Record{
		Version: 1, Key: "0007-add-search-button", Runner: "laptop", Branch: "tendril/0007-add-search-button",
		Base: RecordBase{Ref: "refs/heads/main", Commit: "1234567890123456789012345678901234567890"}, Head: "12345e6",
		Candidates: []CandidateRecord{{Candidate: "claude-opus", Branch: "b", Head: "c", Result: "passed"}},
		Delivering: &Delivering{Head: "d", Base: "e"}, StateSince: at, Round: 2,
		Attempts: []Attempt{{
			Round: 1, Attempt: 1, Candidate: "claude-opus", Run: "r-1", Host: "h", Agent: "claude", Model: "opus", Session: "s", Started: at,
			Seconds: 12.5, Outcome: "ok", Head: "f",
		}, {Round: 1, Attempt: 2, Run: "r-2"}},
		Reason: Checks, Detail: "test: exit 1", Approved: &Approval{By: "Pat <pat@example.com>", At: at, Commit: "a", Text: "no"},
		Accepted: &Acceptance{By: "p", At: at, Commit: "b", Head: "0012"}, Delivered: &Delivery{How: "merge", Commit: "c", PR: "https://x/1"},
	}
}

// TestRecordFile holds the bytes of version 1: a change to them needs a migration.
func TestRecordFile(t *testing.T) {
	t.Parallel()
	want := `# written by tendril
version: 1
key: 0007-add-search-button
runner: laptop
branch: tendril/0007-add-search-button
base:
  ref: refs/heads/main
  commit: "1234567890123456789012345678901234567890"
head: "12345e6"
candidates:
  - candidate: claude-opus
    branch: b
    head: c
    result: passed
delivering:
  head: d
  base: e
state_since: 2026-11-30T12:00:05Z
round: 2
attempts:
  - round: 1
    attempt: 1
    candidate: claude-opus
    run: r-1
    host: h
    agent: claude
    model: opus
    session: s
    started: 2026-11-30T12:00:05Z
    seconds: 12.5
    outcome: ok
    head: f
  - round: 1
    attempt: 2
    run: r-2
reason: checks
detail: 'test: exit 1'
approved:
  by: Pat <pat@example.com>
  at: 2026-11-30T12:00:05Z
  commit: a
  text: "no"
accepted:
  by: p
  at: 2026-11-30T12:00:05Z
  commit: b
  head: "0012"
delivered:
  how: merge
  commit: c
  pr: https://x/1
`
	got, err := fullRecord().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	back, err := ParseRecord("r", got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullRecord(), back); diff != "" {
		t.Error(diff)
	}
}

func TestSmallRecord(t *testing.T) {
	t.Parallel()
	r := &Record{Key: "0001-x", StateSince: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))}
	got, err := r.Marshal()
	want := "# written by tendril\nversion: 1\nkey: 0001-x\nstate_since: 2026-01-02T02:04:05Z\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if r.Version != 0 || r.StateSince.Hour() != 3 {
		t.Error("Marshal changed the record")
	}
	if _, err := ParseRecord("r", []byte(strings.ReplaceAll(want, "\n", "\r\n"))); err != nil {
		t.Errorf("with CRLF: %v", err)
	}
}

func TestParseRecordRefuses(t *testing.T) {
	t.Parallel()
	head := "version: 1\nkey: 0001-x\n"
	for _, c := range []struct{ name, src, want string }{
		{"newer", "version: 2\nkey: 0001-x\nnovelty: 1\n", "r:1:10: version 2 was written by a newer tendril, this one knows up to 1\n  upgrade tendril"},
		{"no version", "key: 0001-x\n", "r: it has no version"},
		{"odd version", "version: one\nkey: 0001-x\n", `r:1:10: version: "one" is not one`},
		{"version zero", "version: 0\nkey: 0001-x\n", `r:1:10: version: "0" is not one`},
		{"unknown key", head + "colour: red\n", `r:3:1: unknown key "colour"`},
		{"key twice", head + "head: a\nhead: b\n", "r:4:1: mapping key"},
		{"wrong type", head + "round: many\n", "r:3:1: cannot unmarshal"},
		{"no key", "version: 1\n", `r: key: "" is not a plan's key`},
		{"bad key", "version: 1\nkey: ../x\n", `r: key: "../x" is not a plan's key`},
		{"bad reason", head + "reason: mood\n", `r: reason: "mood" is not one`},
		{"conflict", "version: 1\n<<<<<<< a\nkey: 0001-x\n=======\nkey: 0002-x\n>>>>>>> b\n", "r:2:1: unresolved conflict"},
		{"empty", "", "r: it holds no keys"},
		{"text", "just words\n", "r: it holds no keys"},
		{"list", "- a\n", "r: it holds no keys"},
		{"second document", head + "---\nversion: 1\n", "r:3:1: a second document"},
		{"not UTF-8", head + "runner: \xff\n", "r:3:9: not UTF-8"},
		{"too big", strings.Repeat("#", MaxPlanSize+1), "r: too big"},
		{"bad date", head + "state_since: yesterday\n", "r: parsing time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := ParseRecord("r", []byte(c.src))
			var bad *SyntaxError
			if !errors.As(err, &bad) || r != nil {
				t.Fatalf("ParseRecord gives %+v, %v", r, err)
			}
			if !strings.HasPrefix(err.Error(), c.want) || bad.Hint == "" {
				t.Errorf("error\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

// TestMigration: the way from an older version to the present one, tried with invented ones since there is none yet.
func TestMigration(t *testing.T) {
	t.Parallel()
	type third struct {
		Version int
		Name    string
	}
	rename := func(from, to string) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			for i := 0; i < len(n.Content); i += 2 {
				if n.Content[i].Value == from {
					n.Content[i].Value = to
					return nil
				}
			}
			return errors.New("no " + from)
		}
	}
	steps := map[int]func(*yaml.Node) error{1: rename("first", "second"), 2: rename("second", "name")}
	for src, want := range map[string]string{"version: 1\nfirst: x\n": "x", "version: 2\nsecond: y\n": "y", "version: 3\nname: z\n": "z"} {
		var v third
		if bad := decodeVersioned([]byte(src), &v, &v.Version, 3, steps); bad != nil || v.Name != want || v.Version != 3 {
			t.Errorf("%q gives %+v, %v", src, v, bad)
		}
	}
	for _, src := range []string{"version: 1\nsecond: x\n", "version: 4\nname: x\n", "version: 2\nsecond: x\nother: y\n"} {
		var v third
		if bad := decodeVersioned([]byte(src), &v, &v.Version, 3, steps); bad == nil {
			t.Errorf("%q is accepted as %+v", src, v)
		}
	}
	var v third
	if bad := decodeVersioned([]byte("version: 1\nfirst: x\n"), &v, &v.Version, 3, nil); bad == nil || !strings.Contains(bad.Msg, "no longer read") {
		t.Errorf("a version without a step: %v", bad)
	}
}

func FuzzParseRecord(f *testing.F) {
	full, err := fullRecord().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte("version: 1\nkey: 0001-x\n"))
	f.Add([]byte("version: 1\nkey: 0001-x\nattempts: [{round: 1, attempt: 1, run: a}]\nbase: {ref: x}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := ParseRecord("r", src)
		if err != nil {
			return
		}
		out, err := r.Marshal()
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		again, err := ParseRecord("r", out)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		twice, err := again.Marshal()
		if err != nil || string(twice) != string(out) {
			t.Fatalf("%q is written as %q, then as %q (%v)", src, out, twice, err)
		}
	})
}
