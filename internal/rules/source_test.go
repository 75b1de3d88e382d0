package rules

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of docs/design.md's house: a file is read in one go, a function at a glance.
const (
	maxFileLines = 500
	maxFuncLines = 100
	medianFile   = 120
)

// source is one Go file.
type source struct {
	path  string // slash-separated, from the root
	lines int
	test  bool
	fset  *token.FileSet
	file  *ast.File
}

// sources parses every Go file of the repository, whatever system it is for.
func sources(t *testing.T) []source {
	t.Helper()
	top := root(t)
	var all []source
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path != top && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		data, err := readFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(rel), lines: bytes.Count(data, []byte("\n")), test: strings.HasSuffix(path, "_test.go"), fset: token.NewFileSet()}
		s.file, err = parser.ParseFile(s.fset, path, data, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	var lengths []int
	for _, s := range sources(t) {
		if s.lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, maxFileLines)
		}
		if !s.test {
			lengths = append(lengths, s.lines)
		}
	}
	slices.Sort(lengths)
	if median := lengths[len(lengths)/2]; median > medianFile {
		t.Errorf("half of the files have more than %d lines, which is more than %d", median, medianFile)
	}
}

func TestFunctionsAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue // A table of cases is as long as it is.
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := s.fset.Position(f.Pos()).Line, s.fset.Position(f.End()).Line
			if to-from+1 > maxFuncLines {
				t.Errorf("%s:%d: %s has %d lines, more than %d", s.path, from, f.Name.Name, to-from+1, maxFuncLines)
			}
		}
	}
}

func TestEveryPackageIsExplained(t *testing.T) {
	t.Parallel()
	explained := map[string]bool{}
	for _, s := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(s.path))
		explained[dir] = explained[dir] || s.file.Doc != nil && !s.test
	}
	for dir, ok := range explained {
		if !ok {
			t.Errorf("%s: no file has a package comment", dir)
		}
	}
}
