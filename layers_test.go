// Package trails_test holds the house to LAYERS.txt: who may import whom, where
// SQL and the MCP SDK may be spoken, and which packages touch nothing outside.
// It parses the sources in-process; a test that runs the go command is cached wrongly.
package trails_test

import (
	"bufio"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

const module = "trails"

// house is LAYERS.txt, read.
type house struct {
	rows  []row
	allow map[string][]string // package → packages it may import
}

type row struct {
	kind     string // "row", "pure" or "kit"
	name     string
	packages []string
}

// place returns the index of the row in which pkg stands, -1 when in none.
func (h house) place(pkg string) int {
	return slices.IndexFunc(h.rows, func(r row) bool { return slices.Contains(r.packages, pkg) })
}

// source is one parsed file of the module.
type source struct {
	path string // slash-separated, relative to the root
	pkg  string // its directory; "." is the root
	test bool
	file *ast.File
	fset *token.FileSet
}

func (s source) String() string { return s.path }

// imports lists what the file imports.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

func TestEveryPackageImportsOnlyWhatItsLineAllows(t *testing.T) {
	testrun.Alone(t)
	h, files := readHouse(t), readSources(t)
	for _, s := range files {
		if s.test {
			continue
		}
		for _, imported := range s.imports() {
			pkg, ours := strings.CutPrefix(imported, module+"/")
			if ours && !slices.Contains(h.allow[s.pkg], pkg) {
				t.Errorf("%s: %s may not import %s", s, s.pkg, pkg)
			}
		}
	}
}

func TestNothingImportsUpwards(t *testing.T) {
	testrun.Alone(t)
	h := readHouse(t)
	for pkg, allowed := range h.allow {
		for _, a := range allowed {
			if h.place(a) > h.place(pkg) {
				t.Errorf("LAYERS.txt lets %s import %s, which stands above it", pkg, a)
			}
		}
	}
}

func TestLayersListExactlyThePackagesThatExist(t *testing.T) {
	testrun.Alone(t)
	h := readHouse(t)
	exist := map[string]bool{}
	for _, s := range readSources(t) {
		exist[s.pkg] = true
	}
	delete(exist, ".") // this file
	for pkg := range exist {
		if _, ok := h.allow[pkg]; !ok || h.place(pkg) < 0 {
			t.Errorf("%s needs a row and a line in LAYERS.txt", pkg)
		}
	}
	for pkg := range h.allow {
		if !exist[pkg] {
			t.Errorf("LAYERS.txt names %s, which does not exist", pkg)
		}
	}
}

func TestKitsAreImportedByTestsAlone(t *testing.T) {
	testrun.Alone(t)
	h := readHouse(t)
	isKit := func(pkg string) bool {
		place := h.place(pkg)
		return place >= 0 && h.rows[place].kind == "kit"
	}
	for _, s := range readSources(t) {
		if s.test || isKit(s.pkg) {
			continue
		}
		for _, imported := range s.imports() {
			if pkg, ours := strings.CutPrefix(imported, module+"/"); ours && isKit(pkg) {
				t.Errorf("%s imports %s, which is for tests", s, pkg)
			}
		}
	}
}

// homes says where a library may be spoken. Tests may use a driver to look
// behind the curtain. The MCP SDK serves in mcp, and is a client in gateway/upstream.
var homes = []struct {
	prefix  string
	home    []string
	inTests bool // the rule holds for tests too
}{
	{"database/sql", nil, false},
	{"modernc.org/sqlite", []string{"db"}, false},
	{"zombiezen.com/go/sqlite", []string{"db"}, false},
	{"github.com/modelcontextprotocol/go-sdk", []string{"mcp", "gateway"}, true},
	{"github.com/cedar-policy/cedar-go", []string{"auth/cedar"}, true},
	{"github.com/go-chi/chi", []string{"httpapi"}, true},
	{"github.com/pelletier/go-toml", []string{"hosts"}, true},
	{"github.com/tailscale/hujson", []string{"hosts"}, true},
	{"github.com/spf13/cobra", []string{"cmd"}, true},
	{"github.com/cayleygraph/quad", []string{"rdf"}, false}, // package rdf names its types
	{"github.com/yuin/goldmark", []string{"admin/markdown"}, true},
	{"maragu.dev/gomponents", []string{"admin/html"}, true}, // which lets pages use no unsafe part of it
	// They call methods by names that are not known before, so that the linker would keep all exported methods.
	{"text/template", nil, false},
	{"html/template", nil, false},
}

func TestLibrariesStayInTheirRooms(t *testing.T) {
	testrun.Alone(t)
	for _, s := range readSources(t) {
		for _, rule := range homes {
			if s.test && !rule.inTests {
				continue
			}
			if slices.ContainsFunc(rule.home, func(home string) bool { return within(s.pkg, home) }) {
				continue
			}
			for _, imported := range s.imports() {
				if within(imported, rule.prefix) {
					t.Errorf("%s imports %s, which belongs to %s", s, imported, cmp.Or(strings.Join(rule.home, ", "), "no package"))
				}
			}
		}
	}
}

// SQLite's private parts are reached in db/pager alone, and their names are listed in one file.
func TestPrivateNamesOfSQLiteStandInOneFile(t *testing.T) {
	testrun.Alone(t)
	linked := 0
	for _, s := range readSources(t) {
		for _, imported := range s.imports() {
			if private := imported == "unsafe" || imported == "modernc.org/sqlite/lib"; private && !s.test && s.pkg != "db/pager" {
				t.Errorf("%s imports %s, which belongs to db/pager", s, imported)
			}
		}
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n//go:linkname "); s.path == "db/pager/private.go" {
			linked = n
		} else if n > 0 {
			t.Errorf("%s links private names, which stand in db/pager/private.go", s)
		}
	}
	if linked == 0 {
		t.Error("no private name was found")
	}
}

// besideLeaf are the files that name the tables of statements outside db/leaf, with a reason each. A file that no
// longer does must go from here.
var besideLeaf = map[string]string{
	"db/file.go":            "a file is opened only if its tables and their indexes are there",
	"db/verify.go":          "the verifier reads the tables as they are, whatever the view",
	"db/verify_branches.go": "the same, for rows of branches",
	"db/verify_history.go":  "the same, for the statements of bulk commits",
	"db/verify_rows.go":     "the same, for each row",
	"db/verify_sample.go":   "the same, for some rows",
}

// The tables of statements have their names in db/leaf, and whoever reads or changes them asks there. SQL names them in
// migrations too, which make them, and SQL by hand in the kit that is measured beside it.
func TestTablesOfStatementsAreNamedInOneRoom(t *testing.T) {
	testrun.Alone(t)
	named := regexp.MustCompile(`\b(live|hist)(_pos|_osp|_g)?\b|autoindex_live`)
	inSQL := regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE|TABLE|VIEW|INDEXED BY)\b`)
	naming := map[string]bool{}
	for _, s := range readSources(t) {
		if s.test || s.pkg == "db/querykit" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if name := named.FindString(text); name == "" || name != text && !inSQL.MatchString(text) {
				return true
			}
			naming[s.path] = true
			if s.pkg != "db/leaf" && besideLeaf[s.path] == "" {
				t.Errorf("%s names a table of statements: %s", s.fset.Position(lit.Pos()), lit.Value)
			}
			return true
		})
	}
	for file := range besideLeaf {
		if !naming[file] {
			t.Errorf("%s does not name the tables of statements, and need not be listed", file)
		}
	}
	if !naming["db/leaf/leaf.go"] {
		t.Error("db/leaf names no table")
	}
}

// outside are the packages through which a program reaches files, clocks,
// networks and logs; time itself is allowed for its types.
var outside = []string{"os", "net", "log", "database/sql", "syscall", "io/ioutil", "golang.org/x/sys", "math/rand"}

// allowedOutside are pure parts of those: they parse and format.
var allowedOutside = []string{"net/url", "net/netip"}

func TestPurePackagesTouchNothingOutside(t *testing.T) {
	testrun.Alone(t)
	h := readHouse(t)
	for _, s := range readSources(t) {
		place := h.place(s.pkg)
		if s.test || place < 0 || h.rows[place].kind != "pure" {
			continue
		}
		for _, imported := range s.imports() {
			if slices.Contains(allowedOutside, imported) {
				continue
			}
			for _, o := range outside {
				if within(imported, o) {
					t.Errorf("%s: a pure package imports %s", s, imported)
				}
			}
		}
		for _, call := range clockReads(s) {
			t.Errorf("%s: a pure package reads the clock", call)
		}
		for _, start := range goroutines(s) {
			t.Errorf("%s: a pure package starts a goroutine, and make race leaves pure packages out", start)
		}
	}
}

// clocks are the functions of package time that look at one.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// clockReads lists the positions at which the file reads a clock.
func clockReads(s source) []token.Position {
	var found []token.Position
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, sel.Sel.Name) {
			found = append(found, s.fset.Position(sel.Pos()))
		}
		return true
	})
	return found
}

// goroutines lists the positions at which the file starts one.
func goroutines(s source) []token.Position {
	var found []token.Position
	ast.Inspect(s.file, func(n ast.Node) bool {
		if start, ok := n.(*ast.GoStmt); ok {
			found = append(found, s.fset.Position(start.Pos()))
		}
		return true
	})
	return found
}

// within reports whether an import path is prefix or lies below it.
func within(imported, prefix string) bool {
	return imported == prefix || strings.HasPrefix(imported, prefix+"/")
}

// readHouse reads LAYERS.txt.
func readHouse(t testing.TB) house {
	t.Helper()
	f, err := os.Open("LAYERS.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := house{allow: map[string][]string{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if err := h.add(lines.Text()); err != nil {
			t.Fatalf("LAYERS.txt:%d: %v", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return h
}

// add reads one line of LAYERS.txt.
func (h *house) add(line string) error {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	head, tail, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("no colon in %q", line)
	}
	words := strings.Fields(head)
	if len(words) == 2 && slices.Contains([]string{"row", "pure", "kit"}, words[0]) {
		h.rows = append(h.rows, row{words[0], words[1], strings.Fields(tail)})
		return nil
	}
	if len(words) != 1 {
		return fmt.Errorf("want one package before the colon, got %q", head)
	}
	allowed, err := h.expand(strings.Fields(tail))
	h.allow[words[0]] = allowed
	return cmp.Or(err, h.repeated(words[0]))
}

// expand replaces @row by the row's packages.
func (h *house) expand(words []string) ([]string, error) {
	out := []string{}
	for _, w := range words {
		name, isRow := strings.CutPrefix(w, "@")
		if !isRow {
			out = append(out, w)
			continue
		}
		i := slices.IndexFunc(h.rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no row %q", name)
		}
		out = append(out, h.rows[i].packages...)
	}
	return out, nil
}

// repeated complains about a package that stands in two rows.
func (h *house) repeated(pkg string) error {
	n := 0
	for _, r := range h.rows {
		if slices.Contains(r.packages, pkg) {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%s stands in %d rows, want 1", pkg, n)
	}
	return nil
}

// readSources parses every Go file of the module, bodies included.
func readSources(t testing.TB) []source {
	t.Helper()
	var files []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "node_modules" || name == "bin" || (name != "." && strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || name == "deps_pin.go" {
			return nil // deps_pin.go names the libraries for the module file and is never built
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(p)
		files = append(files, source{slash, path.Dir(slash), strings.HasSuffix(name, "_test.go"), file, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
