package plans

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"tendril/internal/md"
)

// RunBlocks returns the scripts that the script agent runs on an attempt (from 1), in the order of the text: the fenced
// blocks ```sh run, and ```sh run attempt=N of that attempt.
func RunBlocks(body []byte, attempt int) []string {
	var out []string
	for _, f := range md.Fences(body) {
		if run, only, err := runInfo(f.Info); err == nil && run && (only == 0 || only == attempt) {
			out = append(out, f.Text)
		}
	}
	return out
}

// runInfo reads an info string: whether the block is to be run, and on which attempt only (0: on each).
func runInfo(info string) (run bool, attempt int, err error) {
	words := strings.Fields(info)
	if len(words) < 2 || words[0] != "sh" || words[1] != "run" {
		return false, 0, nil
	}
	if len(words) == 2 {
		return true, 0, nil
	}
	value, ok := strings.CutPrefix(words[2], "attempt=")
	n, convErr := strconv.Atoi(value)
	if !ok || len(words) > 3 || convErr != nil || n < 1 {
		return false, 0, fmt.Errorf("a run block with %q, which says nothing", clip(strings.Join(words[2:], " ")))
	}
	return true, n, nil
}

// Task is one entry of a task list.
type Task struct {
	Text string
	Done bool
}

// Tasks returns the entries of the body's task lists.
func Tasks(body []byte) []Task {
	found := md.Tasks(body)
	out := make([]Task, len(found))
	for i, t := range found {
		out[i] = Task(t)
	}
	return out
}

// Remark is a reviewer's inline word in CriticMarkup, {>> like this <<}.
type Remark struct {
	Text string
	// Line is where it begins in the body, from 1.
	Line int
}

// Remarks returns the remarks of a body. What stands in code is an example and no remark.
func Remarks(body []byte) []Remark {
	open, shut := []byte("{>>"), []byte("<<}")
	if !bytes.Contains(body, open) {
		return nil
	}
	code := md.Code(body)
	find := func(what []byte, from int) int {
		for {
			i := bytes.Index(body[from:], what)
			if i < 0 {
				return -1
			}
			if !md.In(code, from+i) {
				return from + i
			}
			from += i + 1
		}
	}
	var out []Remark
	for at := 0; ; {
		start := find(open, at)
		if start < 0 {
			return out
		}
		end := find(shut, start+len(open))
		if end < 0 {
			return out
		}
		text := strings.Join(strings.Fields(string(body[start+len(open):end])), " ")
		out = append(out, Remark{Text: text, Line: md.LineAt(body, start)})
		at = end + len(shut)
	}
}
