package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunBlocks(t *testing.T) {
	t.Parallel()
	body := []byte("Do this:\n\n```sh run\necho one\n```\n\n```sh\nnot this\n```\n\n- in a list:\n\n  ~~~sh run attempt=2\n  echo two\n  ~~~\n\n" +
		"````md\n```sh run\nan example\n```\n````\n\n    ```sh run\n    indented code\n    ```\n\n```bash run\nno\n```\n\n```sh run attempt=1\n```\n\n```sh run\necho last\n")
	for attempt, want := range map[int][]string{
		1: {"echo one\n", "", "echo last\n"},
		2: {"echo one\n", "echo two\n", "echo last\n"},
		3: {"echo one\n", "echo last\n"},
	} {
		if diff := cmp.Diff(want, RunBlocks(body, attempt)); diff != "" {
			t.Errorf("attempt %d:\n%s", attempt, diff)
		}
	}
	for _, info := range []string{"sh run attempt=0", "sh run attempt=", "sh run twice", "sh run attempt=1 attempt=2", "sh run attempt=1,2"} {
		if got := RunBlocks([]byte("```"+info+"\nx\n```\n"), 1); got != nil {
			t.Errorf("%q runs %q", info, got)
		}
		if _, err := Parse("0001-x", "p", []byte("---\ntitle: x\nstatus: draft\n---\n```"+info+"\nx\n```\n"), "sha1"); err == nil {
			t.Errorf("%q is accepted", info)
		}
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	body := []byte("## Acceptance\n\n- [ ] first *one*\n- [x] second\n  - [X] nested `code`\n- plain\n\n```\n- [ ] example\n```\n\n1. [ ] numbered\n")
	want := []Task{{"first one", false}, {"second", true}, {"nested code", true}, {"numbered", false}}
	if diff := cmp.Diff(want, Tasks(body)); diff != "" {
		t.Error(diff)
	}
}

func TestRemarks(t *testing.T) {
	t.Parallel()
	body := []byte("One {>> first <<} and {>>second\nover `two` lines<<}.\n\n`{>> span <<}` {>> open `<<}` shut <<}\n\n```\n{>> block <<}\n```\n\n    {>> indented <<}\n\n{>> never closed\n")
	want := []Remark{{"first", 1}, {"second over `two` lines", 1}, {"open `<<}` shut", 4}}
	if diff := cmp.Diff(want, Remarks(body)); diff != "" {
		t.Error(diff)
	}
	if got := Remarks([]byte("no remark >> here <<")); got != nil {
		t.Errorf("got %v", got)
	}
}
