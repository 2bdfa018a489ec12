package trails_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// named is what docs call by its package: `kg.Session.Commit`, `db/lower.Lower`.
var named = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.([A-Za-z]\\w*(?:\\.[A-Za-z]\\w*)?)`")

// The pages that lead through the code name functions, types and methods that exist.
func TestDocsNameWhatExists(t *testing.T) {
	testrun.Alone(t)
	exists, packages := map[string]bool{}, map[string]bool{}
	for _, s := range readSources(t) {
		packages[s.pkg] = true
		for _, d := range s.file.Decls {
			for _, name := range declared(d) {
				exists[s.pkg+"."+name] = true
			}
		}
	}
	found := 0
	for page, text := range documents(t) {
		if !strings.HasPrefix(page, "docs/") || strings.HasPrefix(page, "docs/decisions/") {
			continue // decisions tell of what was
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
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

// documents are the pages of the repository, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			pages[filepath.ToSlash(path)] = string(text)
		}
	}
	return pages
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	quoted  = regexp.MustCompile("`[^`\n]*`")
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	// unanchored is what GitHub leaves out of the anchor of a heading.
	unanchored = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// Every link of a document to a file, a folder or a heading leads somewhere.
func TestLinksOfDocsResolve(t *testing.T) {
	pages := documents(t)
	anchors := map[string]map[string]bool{}
	for page, text := range pages {
		anchors[page] = map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			anchor := unanchored.ReplaceAllString(strings.ToLower(m[1]), "")
			anchors[page][strings.ReplaceAll(anchor, " ", "-")] = true
		}
	}
	found := 0
	for page, text := range pages {
		text = quoted.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			file, anchor, anchored := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue // another host
			}
			found++
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if anchored && !anchors[target][anchor] {
				t.Errorf("%s links to %s, and %s has no such heading", page, m[1], target)
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d links were found", found)
	}
}

// The table of packages in the architecture has each package once.
func TestArchitectureHasEveryPackage(t *testing.T) {
	text := documents(t)["docs/architecture.md"]
	for pkg := range readHouse(t).allow {
		if n := strings.Count(text, "| `"+pkg+"` |"); n != 1 {
			t.Errorf("docs/architecture.md has a line for the package %s %d times", pkg, n)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| [^|]*\\| `([a-z/]+)` \\|").FindAllStringSubmatch(text, -1) {
		if info, err := os.Stat(m[1]); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md has a line for %s, which is no package", m[1])
		}
	}
}

// Every page under docs is reached from the README by links.
func TestEveryPageOfDocsIsReached(t *testing.T) {
	pages := documents(t)
	reached, next := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(next) > 0 {
		page := next[0]
		next = next[1:]
		for _, m := range linked.FindAllStringSubmatch(pages[page], -1) {
			file, _, _ := strings.Cut(m[1], "#")
			target := path.Join(path.Dir(page), file)
			if _, there := pages[target]; there && !reached[target] {
				reached[target] = true
				next = append(next, target)
			}
		}
	}
	for page := range pages {
		if strings.HasPrefix(page, "docs/") && !reached[page] {
			t.Errorf("no link leads to %s", page)
		}
	}
}

var decisionStatus = regexp.MustCompile(`(?m)^Status: (.+)$`)

// A decision that supersedes another one is named in that one's status, and every page stands in
// the table of decisions.
func TestDecisionsKnowWhatSupersedesThem(t *testing.T) {
	pages := documents(t)
	status := map[string]string{}
	for page, text := range pages {
		dir, name := path.Split(page)
		if dir != "docs/decisions/" || name == "README.md" {
			continue
		}
		m := decisionStatus.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s has no status", page)
			continue
		}
		status[name] = m[1]
		if !strings.Contains(pages["docs/decisions/README.md"], "]("+name+")") {
			t.Errorf("the table of decisions has no %s", name)
		}
	}
	pairs := 0
	for name, says := range status {
		for sentence := range strings.SplitSeq(says, ". ") {
			lower := strings.ToLower(sentence)
			if !strings.HasPrefix(lower, "supersedes") && !strings.HasPrefix(lower, "narrows") && !strings.Contains(lower, "replaces") && !strings.Contains(lower, " supersedes") {
				continue
			}
			for _, m := range linked.FindAllStringSubmatch(sentence, -1) {
				if pairs++; !strings.Contains(status[m[1]], "]("+name+")") {
					t.Errorf("%s says that it supersedes some of %s, whose status does not name it", name, m[1])
				}
			}
		}
	}
	if pairs < 10 {
		t.Errorf("only %d decisions that supersede others were found", pairs)
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
