package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tendril/internal/testkit"
)

func openForReading(t *testing.T) (*testkit.Repository, *Repo) {
	t.Helper()
	tk := testkit.Repo(t)
	tk.Write("a/b/c.txt", "deep\n")
	tk.Write("top.txt", "")
	tk.Commit("files")
	repo, err := Open(t.Context(), tk.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	return tk, repo
}

func TestObjectsAreReadByOneProcess(t *testing.T) {
	t.Parallel()
	_, repo := openForReading(t)
	if _, err := repo.Object(t.Context(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	first := repo.shared.reader.live
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if data, err := repo.File(t.Context(), "HEAD", "a/b/c.txt"); err != nil || string(data) != "deep\n" {
					t.Errorf("read %q, %v", data, err)
				}
			}
		})
	}
	all.Wait()
	if live := repo.shared.reader.live; live != first {
		t.Errorf("process %v became %v", first, live)
	}
}

func TestFileTellsWhatIsNotThereFromWhatIsEmpty(t *testing.T) {
	t.Parallel()
	_, repo := openForReading(t)
	for path, want := range map[string]bool{"top.txt": true, "a/b/c.txt": true, "a": false, "a/b": false, "a/b/c.txt/d": false, "none": false, "a/none/c": false} {
		data, err := repo.File(t.Context(), "HEAD", path)
		if err != nil || (data != nil) != want {
			t.Errorf("%s: %q, %v; want a file: %v", path, data, err, want)
		}
	}
	if _, err := repo.File(t.Context(), "refs/heads/none", "top.txt"); !errors.Is(err, ErrNoObject) {
		t.Errorf("a commit that is not there: %v", err)
	}
}

func TestALostTreeIsAnErrorAndNoMissingFile(t *testing.T) {
	t.Parallel()
	tk, repo := openForReading(t)
	id := tk.Git("rev-parse", "HEAD:a/b")
	if err := os.Remove(filepath.Join(tk.Dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.File(t.Context(), "HEAD", "a/b/c.txt"); !errors.Is(err, ErrNoObject) {
		t.Errorf("the tree is lost: %v", err)
	}
}

func TestADamagedObjectIsTold(t *testing.T) {
	t.Parallel()
	tk, repo := openForReading(t)
	id := tk.Git("rev-parse", "HEAD:a/b/c.txt")
	file := filepath.Join(tk.Dir, ".git", "objects", id[:2], id[2:])
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("no object"), 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := repo.Object(t.Context(), id)
	if err == nil || !strings.Contains(err.Error(), id) || Advice(err) != damaged {
		t.Errorf("said %v, and advised %q", err, Advice(err))
	}
	if _, err := repo.Object(t.Context(), "HEAD"); err != nil {
		t.Errorf("others are read on: %v", err)
	}
}

func TestADeadReaderIsReplaced(t *testing.T) {
	t.Parallel()
	_, repo := openForReading(t)
	for range 3 {
		if _, err := repo.Object(t.Context(), "HEAD"); err != nil {
			t.Fatal(err)
		}
		if err := repo.shared.reader.live.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	repo.Close()
	if _, err := repo.Object(t.Context(), "HEAD"); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	_, repo := openForReading(t)
	ctx, cancel := context.WithCancel(t.Context())
	batch, err := repo.Batch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 10_000)
	for i := range names {
		names[i] = "HEAD:a/b/c.txt"
	}
	err = batch.Each(names, func(i int, _ Object) error {
		if i == 100 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := batch.Get("HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("a question after the end: %v", err)
	}
	if _, err := repo.Object(t.Context(), "HEAD"); err != nil {
		t.Errorf("others read on: %v", err)
	}
}

func TestManyObjectsInOneRound(t *testing.T) {
	t.Parallel()
	tk, repo := openForReading(t)
	want := map[string]string{}
	var names []string
	for i := range 300 {
		text := fmt.Sprintf("%d\n%0*d", i, i*500, i)
		name := fmt.Sprintf("HEAD:many/%d", i)
		tk.Write(fmt.Sprintf("many/%d", i), text)
		want[name] = text
		names = append(names, name, fmt.Sprintf("HEAD:many/%d none", i))
	}
	tk.Commit("many")
	batch, err := repo.Batch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	err = batch.Each(names, func(i int, o Object) error {
		if text, ok := want[names[i]]; ok != (o.ID != "") || string(o.Data) != text {
			t.Errorf("%s: %d bytes", names[i], len(o.Data))
		}
		if i == 500 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
	infos, err := batch.Infos(names)
	if err != nil {
		t.Fatal(err)
	}
	for i, info := range infos {
		if text, ok := want[names[i]]; ok && (info.Type != "blob" || info.Size != int64(len(text))) || !ok && info.ID != "" {
			t.Errorf("%s: %+v", names[i], info)
		}
	}
}
