package rules

import (
	"go/ast"
	"go/token"
	"testing"
)

// selfEvident are methods that an interface of the standard library explains.
var selfEvident = map[string]bool{"Error": true, "Unwrap": true, "Is": true, "As": true}

func TestExportedNamesAreExplained(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, decl := range s.file.Decls {
			for _, name := range unexplained(decl) {
				t.Errorf("%s:%d: %s has no comment", s.path, s.fset.Position(name.Pos()).Line, name.Name)
			}
		}
	}
}

// unexplained are the exported names of a declaration without a comment.
func unexplained(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && !selfEvident[d.Name.Name] && exportedReceiver(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return nil
		}
		var names []*ast.Ident
		for _, spec := range d.Specs {
			names = append(names, unexplainedSpec(d, spec)...)
		}
		return names
	}
	return nil
}

// unexplainedSpec looks at one line of a declaration. Constants and variables may share the comment of their group.
func unexplainedSpec(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		alone := !d.Lparen.IsValid() && d.Doc != nil
		if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && !alone {
			return []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		if d.Doc != nil || s.Doc != nil || s.Comment != nil {
			return nil
		}
		var names []*ast.Ident
		for _, name := range s.Names {
			if name.IsExported() {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// exportedReceiver reports whether a function is no method, or one of an exported type.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return true
	}
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return false
		}
	}
}
