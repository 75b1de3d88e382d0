package verify

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"tendril/internal/git"
	"tendril/worktree"
)

const (
	// maxBlob is the greatest file that is looked into, in bytes.
	maxBlob = 256 << 20
	// maxHistory is how many objects of the branch's earlier commits are looked into at most.
	maxHistory = 20_000
	// regular and gitlink begin a file's and a submodule's mode.
	regular, gitlink = "100", "160000"
)

// finds are what the contents of changed files gave.
type finds struct{ markers, secrets, binaries []string }

// look reads the changed files and, with history, what earlier commits of the branch held and its head does not.
func (r *run) look(ctx context.Context, files []worktree.FileStat, history bool) (finds, error) {
	var f finds
	batch, err := r.Workspace.Repo.Batch(ctx)
	if err != nil {
		return f, err
	}
	defer func() { _ = batch.Close() }() // everything was read, or the error is known
	var blobs []string
	for _, file := range files {
		if file.Status != "D" && file.NewMode != gitlink {
			blobs = append(blobs, file.NewBlob)
		}
	}
	sizes, err := blobSizes(batch, blobs)
	if err != nil {
		return f, err
	}
	f.binaries = bigBinaries(files, sizes)
	seen := map[string]bool{}
	for _, file := range files {
		size, is := sizes[file.NewBlob]
		switch {
		case !is || seen[file.NewBlob]:
			continue
		case size > maxBlob:
			f.secrets = append(f.secrets, fmt.Sprintf("%s: too large to look into (%d MB)", file.Path, size>>20))
		default:
			if err := r.lookInto(ctx, batch, file, &f); err != nil {
				return f, err
			}
		}
		seen[file.NewBlob] = true
	}
	if !history {
		return f, nil
	}
	return f, r.lookBack(ctx, batch, seen, &f)
}

// lookInto compares one file with what it was.
func (r *run) lookInto(ctx context.Context, batch *git.Batch, file worktree.FileStat, f *finds) error {
	now, err := batch.Get(file.NewBlob)
	if err != nil {
		return err
	}
	found := r.redact.Find(now.Data)
	marks := markers(now.Data)
	if len(found) == 0 && (len(marks) == 0 || file.Binary) {
		return nil
	}
	var before []byte
	if file.OldMode != "000000" && file.OldMode != gitlink {
		o, err := batch.Get(file.OldBlob)
		if err != nil {
			return err
		}
		before = o.Data
	}
	if !file.Binary && strings.HasPrefix(file.NewMode, regular) && len(marks) > len(markers(before)) {
		for _, line := range marks {
			f.markers = append(f.markers, fmt.Sprintf("%s:%d", file.Path, line))
		}
	}
	added, err := worktree.Added(ctx, r.Workspace.Repo, r.Base, found)
	for _, s := range added {
		f.secrets = append(f.secrets, fmt.Sprintf("%s:%d: %s", file.Path, s.Line, s.Rule))
	}
	return err
}

// blobSizes returns the sizes, in bytes, of those objects that are blobs and are here.
func blobSizes(batch *git.Batch, ids []string) (map[string]int64, error) {
	infos, err := batch.Infos(ids)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, info := range infos {
		if info.Type == "blob" {
			sizes[info.ID] = info.Size
		}
	}
	return sizes, nil
}

// lookBack looks for secrets in what earlier commits of the branch held: a merge would publish them with the rest.
func (r *run) lookBack(ctx context.Context, batch *git.Batch, seen map[string]bool, f *finds) error {
	out, err := r.Workspace.Repo.Run(ctx, "rev-list", "--objects", "--no-object-names", "--filter=object:type=blob", "--filter-provided-objects",
		"refs/heads/"+r.Workspace.Branch, "--not", r.Base)
	if err != nil {
		return err
	}
	ids := strings.Fields(out)
	if len(ids) > maxHistory {
		f.secrets = append(f.secrets, fmt.Sprintf("the branch's history holds %d files, too many to look into", len(ids)))
		return nil
	}
	sizes, err := blobSizes(batch, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if size, is := sizes[id]; !is || seen[id] || size > maxBlob {
			continue
		}
		o, err := batch.Get(id)
		if err != nil {
			return err
		}
		added, err := worktree.Added(ctx, r.Workspace.Repo, r.Base, r.redact.Find(o.Data))
		if err != nil {
			return err
		}
		if len(added) == 0 {
			continue
		}
		path, err := r.whose(ctx, id)
		if err != nil {
			return err
		}
		for _, s := range added {
			f.secrets = append(f.secrets, fmt.Sprintf("%s:%d: %s, in an earlier commit of this branch", path, s.Line, s.Rule))
		}
	}
	return nil
}

// whose names the file that a blob was in an earlier commit.
func (r *run) whose(ctx context.Context, blob string) (string, error) {
	out, err := r.Workspace.Repo.Run(ctx, "log", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "-z", "--find-object="+blob,
		r.Base+"..refs/heads/"+r.Workspace.Branch)
	if err != nil {
		return "", err
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i++ {
		if strings.HasPrefix(strings.TrimLeft(fields[i], "\n"), ":") {
			return fields[i+1], nil
		}
	}
	return blob, nil
}

// markers returns the lines (from 1) that a merge writes around a conflict. The line of equal signs alone is no sign: it
// underlines headings, too.
func markers(text []byte) []int {
	if !bytes.Contains(text, []byte("<<<<<<< ")) && !bytes.Contains(text, []byte(">>>>>>> ")) {
		return nil
	}
	var lines []int
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			lines = append(lines, n)
		}
	}
	return lines
}
