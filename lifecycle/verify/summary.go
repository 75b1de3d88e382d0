package verify

import (
	"context"
	"path"
	"strings"

	"tendril/internal/git"
	"tendril/plans"
	"tendril/worktree"
)

// summarise counts a diff for a person: without what is generated, and how many of the files are tests.
func summarise(ctx context.Context, ws *worktree.Workspace, files []worktree.FileStat) plans.DiffSummary {
	marked := markedGenerated(ctx, ws, files)
	var s plans.DiffSummary
	for _, f := range files {
		if marked[f.Path] || looksGenerated(f.Path) {
			s.Generated = append(s.Generated, f.Path)
			continue
		}
		s.Files, s.Added, s.Deleted = s.Files+1, s.Added+f.Added, s.Deleted+f.Deleted
		if looksLikeTest(f.Path) {
			s.Tests++
		}
	}
	return s
}

// markedGenerated asks git for the attribute by which forges fold generated files. Without an answer nothing is left out.
func markedGenerated(ctx context.Context, ws *worktree.Workspace, files []worktree.FileStat) map[string]bool {
	if len(files) == 0 {
		return nil
	}
	var paths strings.Builder
	for _, f := range files {
		paths.WriteString(f.Path + "\x00")
	}
	out, err := ws.Repo.Do(ctx, git.Call{Args: []string{"-C", ws.Path, "check-attr", "-z", "--stdin", "linguist-generated"}, Stdin: []byte(paths.String())})
	if err != nil {
		return nil
	}
	marked := map[string]bool{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if v := fields[i+2]; v == "set" || v == "true" {
			marked[fields[i]] = true
		}
	}
	return marked
}

var (
	generatedNames = map[string]bool{
		"package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "bun.lock": true, "bun.lockb": true, "npm-shrinkwrap.json": true,
		"go.sum": true, "Cargo.lock": true, "poetry.lock": true, "uv.lock": true, "Pipfile.lock": true, "Gemfile.lock": true, "composer.lock": true,
		"flake.lock": true, "mix.lock": true, "pubspec.lock": true, "Package.resolved": true, "gradle.lockfile": true,
	}
	generatedEnds = []string{".pb.go", "_pb2.py", ".pb.cc", ".pb.h", ".min.js", ".min.css", ".js.map", ".css.map", "_generated.go", ".gen.go", ".g.dart", ".snap"}
	vendored      = []string{"vendor/", "node_modules/", "third_party/"}
)

// looksGenerated goes by the name.
func looksGenerated(p string) bool {
	if generatedNames[path.Base(p)] {
		return true
	}
	for _, end := range generatedEnds {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	for _, dir := range vendored {
		if strings.HasPrefix(p, dir) || strings.Contains(p, "/"+dir) {
			return true
		}
	}
	return false
}

// looksLikeTest goes by the name, as test runners do.
func looksLikeTest(p string) bool {
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") ||
		strings.HasSuffix(stem, "_spec") || strings.HasSuffix(base, ".txtar") {
		return true
	}
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		switch dir {
		case "test", "tests", "__tests__", "spec", "specs", "testdata", "e2e":
			return true
		}
	}
	return false
}
