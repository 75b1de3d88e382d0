package logfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLinesAreWholeMaskedAndBounded(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "test.log")
	mask := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hush \"now\""), []byte("***")) }
	log, file, err := open(name, 1000, mask)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		log.Warn("say hush \"now\"", "plan", "0001-a", "err", errors.New("hush \"now\" too"), "seconds", 1.5)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	// The next process writes on.
	log, file, err = open(name, 1000, mask)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("again")
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(name + "*")
	if err != nil || len(files) != 1+Kept {
		t.Fatalf("files %v %v, want %d", files, err, 1+Kept)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || info.Size() > 1000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f, info, err)
		}
		data, err := os.ReadFile(f)
		if err != nil || strings.Contains(string(data), "hush") {
			t.Errorf("%s: %v\n%s", f, err, data)
		}
		for line := range bytes.Lines(data) {
			var one map[string]any
			if err := json.Unmarshal(line, &one); err != nil || one["level"] == "" || one["msg"] == "" {
				t.Errorf("%v: %s", err, line)
			}
		}
	}
	if data, err := os.ReadFile(name); err != nil || !bytes.HasSuffix(bytes.TrimSpace(data), []byte(`"msg":"again"}`)) {
		t.Errorf("%v: ends %s", err, data)
	}
}

// While no file can be begun lines are lost, and the files that were put aside stay what they are.
func TestAFileThatCannotBeBegun(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "test.log")
	f := &file{name: name, most: 10}
	if err := f.begin(); err != nil {
		t.Fatal(err)
	}
	write := func(line string) error { _, err := f.Write([]byte(line + "\n")); return err }
	if err := errors.Join(write("first line"), write("second one")); err != nil {
		t.Fatal(err)
	}
	f.name = filepath.Join(name, "below a file") // no file can be begun there
	for range 3 {
		if write("a third line") == nil {
			t.Fatal("written to nowhere")
		}
	}
	f.name = name
	if err := errors.Join(write("the fourth"), f.Close()); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{name: "second one\nthe fourth\n", name + ".1": "first line\n"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", file, got, err)
		}
	}
}
