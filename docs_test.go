package trails_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// named is what docs call by its package: `kg.Session.Commit`, `db/lower.Lower`.
var named = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.([A-Za-z]\\w*(?:\\.[A-Za-z]\\w*)?)`")

// The pages that lead through the code name functions, types and methods that exist.
func TestDocsNameWhatExists(t *testing.T) {
	exists, packages := map[string]bool{}, map[string]bool{}
	for _, s := range readSources(t) {
		packages[s.pkg] = true
		for _, d := range s.file.Decls {
			for _, name := range declared(d) {
				exists[s.pkg+"."+name] = true
			}
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if !packages[m[1]] {
				continue // a file, a command, another project
			}
			if found++; !exists[m[1]+"."+m[2]] {
				t.Errorf("%s names %s.%s, which does not exist", page, m[1], m[2])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d names were found", found)
	}
}

// declared lists the names of a declaration; methods and fields stand behind their type's.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if generic, ok := receiver.(*ast.IndexExpr); ok {
				receiver = generic.X
			}
			if id, ok := receiver.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					names = append(names, id.Name)
				}
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
				var members *ast.FieldList
				switch t := spec.Type.(type) {
				case *ast.StructType:
					members = t.Fields
				case *ast.InterfaceType:
					members = t.Methods
				}
				if members == nil {
					continue
				}
				for _, f := range members.List {
					for _, id := range f.Names {
						names = append(names, spec.Name.Name+"."+id.Name)
					}
				}
			}
		}
	}
	return names
}
