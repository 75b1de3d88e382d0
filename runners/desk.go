package runners

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
)

// DeskFolder is the folder in a worktree by which Tendril and an agent exchange files. It ignores itself, so that nothing
// in it is ever committed, and lies in the worktree so that an agent that may only edit there can write it.
const DeskFolder = ".tendril-run"

// What lies on the desk.
const (
	feedbackFile     = "feedback.md"
	summaryFile      = "summary.md"
	scopeRequestFile = "scope-request.md"
	memoryFolder     = "memory"
	findingsFolder   = "findings"
)

// Limits of what is read from the desk: an agent wrote it.
const (
	maxSummary = 64 << 10
	maxNote    = 32 << 10
	maxNotes   = 50
)

// prepareDesk lays out the desk for a run: a fresh feedback file (empty when nothing failed), folders for notes. The
// summary and the memory of earlier attempts stay, since they are about the same work; findings do not, since they were
// taken. Whatever an earlier agent put in place of the desk, a link to elsewhere say, goes: nothing is written through it.
func prepareDesk(dir string, feedback []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("worktree: %w", err)
	}
	defer func() { _ = root.Close() }() // only a handle
	if err := folderIn(root, DeskFolder); err != nil {
		return fmt.Errorf("%s: %w", DeskFolder, err)
	}
	desk, err := root.OpenRoot(DeskFolder)
	if err != nil {
		return fmt.Errorf("%s: %w", DeskFolder, err)
	}
	defer func() { _ = desk.Close() }() // only a handle
	if err := errors.Join(
		fileIn(desk, ".gitignore", []byte("*\n")),
		fileIn(desk, feedbackFile, feedback),
		desk.RemoveAll(scopeRequestFile),
		desk.RemoveAll(findingsFolder),
		folderIn(desk, findingsFolder),
		folderIn(desk, memoryFolder),
	); err != nil {
		return fmt.Errorf("%s: %w", DeskFolder, err)
	}
	return nil
}

// folderIn makes name a real folder.
func folderIn(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err == nil && !info.IsDir() {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// fileIn writes a new file in the place of whatever has its name.
func fileIn(root *os.Root, name string, content []byte) error {
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// onDesk is what an agent left on the desk.
type onDesk struct {
	summary, scopeRequest string
	// feedback is what the run was told of what failed before it.
	feedback         string
	memory, findings []Note
}

// readDesk reads it. A desk that is gone, or of which something cannot be read, has nothing there: it is the agent's word
// and never an error of ours. Links are not followed out of the desk, and only ordinary files are read.
func readDesk(dir string) onDesk {
	var d onDesk
	root, err := os.OpenRoot(dir)
	if err != nil {
		return d
	}
	defer func() { _ = root.Close() }() // only a handle
	if info, err := root.Lstat(DeskFolder); err != nil || !info.IsDir() {
		return d
	}
	desk, err := root.OpenRoot(DeskFolder)
	if err != nil {
		return d
	}
	defer func() { _ = desk.Close() }() // only a handle
	summary, _, _ := readIn(desk, summaryFile, maxSummary)
	request, _, _ := readIn(desk, scopeRequestFile, maxNote)
	d.summary, d.scopeRequest = summary, request
	d.feedback, _, _ = readIn(desk, feedbackFile, maxSummary)
	d.memory, d.findings = notesIn(desk, memoryFolder), notesIn(desk, findingsFolder)
	return d
}

// FeedbackIn is what the newest run in a worktree was told of what failed before it; empty where nothing did, or it is gone.
func FeedbackIn(dir string) string { return readDesk(dir).feedback }

// notesIn reads the notes of a folder, by name.
func notesIn(desk *os.Root, folder string) []Note {
	if info, err := desk.Lstat(folder); err != nil || !info.IsDir() {
		return nil
	}
	entries, err := fs.ReadDir(desk.FS(), folder)
	if err != nil {
		return nil
	}
	var notes []Note
	for _, e := range entries {
		if len(notes) == maxNotes || !noteName(e.Name()) {
			continue
		}
		text, cut, ok := readIn(desk, path.Join(folder, e.Name()), maxNote)
		if ok && text != "" {
			notes = append(notes, Note{Name: e.Name(), Text: text, Cut: cut})
		}
	}
	slices.SortFunc(notes, func(a, b Note) int { return strings.Compare(a.Name, b.Name) })
	return notes
}

// noteName reports whether a note may be called so: words for people, not a way to another place.
func noteName(name string) bool {
	return len(name) <= 100 && !strings.HasPrefix(name, ".") && strings.HasSuffix(strings.ToLower(name), ".md") &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`/\:`, r) })
}

// readIn reads an ordinary file, at most limit bytes of it.
func readIn(root *os.Root, name string, limit int) (text string, cut, ok bool) {
	// A pipe would be waited for, a link would lead elsewhere.
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return "", false, false
	}
	f, err := root.Open(name)
	if err != nil {
		return "", false, false
	}
	defer func() { _ = f.Close() }() // read only
	content, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return "", false, false
	}
	cut = len(content) > limit
	content = bytes.TrimSpace(bytes.ToValidUTF8(content[:min(len(content), limit)], []byte("\uFFFD")))
	return string(content), cut, true
}
