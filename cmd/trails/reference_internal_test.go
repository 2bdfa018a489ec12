package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"

	"trails/capability/project/projecttest"
	"trails/fault"
	"trails/httpapi"
	"trails/mcp"
)

// The reference of the guide is made from the tables of the code: kinds of faults and what each
// door makes of them, codes of fields, settings, and the constants that are limits. What it says
// between them stands in testdata/reference.tmpl.
func TestReferenceGolden(t *testing.T) {
	code := sources{root: filepath.Join("..", "..")}
	page, err := template.New("reference.tmpl").Funcs(template.FuncMap{
		"kinds": func() (string, error) { return code.kinds(t) },
		"codes": code.codes,
		"exits": func() string {
			var b strings.Builder
			for code, means := range ended {
				fmt.Fprintf(&b, "| %d | %s |\n", code, means)
			}
			return strings.TrimSpace(b.String())
		},
		"settings": func() string {
			var b strings.Builder
			for _, s := range settings {
				flag := ""
				if s.flag != "" {
					flag = "`" + s.flag + "`"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.name, flag, strings.ReplaceAll(s.means, "|", "\\|"))
			}
			return strings.TrimSpace(b.String())
		},
		"limit": code.limit,
		"ms": func(name string) (string, error) {
			v, _, err := code.value(name)
			if err != nil {
				return "", err
			}
			n, _ := constant.Int64Val(v)
			return lasting(time.Duration(n) * time.Millisecond), nil
		},
	}).ParseFiles(filepath.Join("testdata", "reference.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, nil); err != nil {
		t.Fatal(err)
	}
	projecttest.GoldenText(t, filepath.Join("..", "..", "docs", "guide", "reference.md"), out.String())
}

// Every variable that trails reads by its name stands in the table of settings, and every flag of
// the table is one of serve or mcp.
func TestSettingsAreAllThatIsRead(t *testing.T) {
	listed := map[string]bool{}
	var p program
	root := p.root()
	for _, s := range settings {
		listed[s.name] = true
		if s.flag == "" {
			continue
		}
		serve, _, err := root.Find([]string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		mcp, _, err := root.Find([]string{"mcp"})
		if err != nil {
			t.Fatal(err)
		}
		if name := strings.TrimPrefix(s.flag, "--"); serve.Flag(name) == nil && mcp.Flag(name) == nil {
			t.Errorf("%s names %s, which neither serve nor mcp has", s.name, s.flag)
		}
	}
	read := regexp.MustCompile(`^TRAILS_[A-Z_]*[A-Z]$`)
	code := sources{root: filepath.Join("..", "..")}
	found := map[string]bool{}
	for name := range code.strings(t, "cmd/trails") {
		if !read.MatchString(name) {
			continue
		}
		if found[name] = true; !listed[name] {
			t.Errorf("%s is read, and is not in the table of settings", name)
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("%s is in the table of settings, and nothing reads it", name)
		}
	}
}

// sources reads the constants of packages from their text.
type sources struct {
	root   string
	parsed map[string]map[string]ast.Expr
}

// files parses a package without its tests.
func (s *sources) files(pkg string) ([]*ast.File, error) {
	paths, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// strings are the texts in the package that are whole literals, but for those of the table itself.
func (s *sources) strings(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	files, err := s.files(pkg)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{"TRAILS_UPSTREAM_NAME": true, "TRAILS_TOKEN_NAME": true} // they are read by their beginning
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if list, is := n.(*ast.CompositeLit); is {
				if of, is := list.Type.(*ast.ArrayType); is {
					if elem, is := of.Elt.(*ast.Ident); is && elem.Name == "setting" {
						return false
					}
				}
			}
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					texts[text] = true
				}
			}
			return true
		})
	}
	return texts
}

// names are the values that a package gives to constants and variables, and to fields of options
// as `Options.Field` of any type: by assignment, or as what cmp.Or takes in the place of zero.
func (s *sources) names(pkg string) (map[string]ast.Expr, error) {
	if names, known := s.parsed[pkg]; known {
		return names, nil
	}
	files, err := s.files(pkg)
	if err != nil {
		return nil, err
	}
	names := map[string]ast.Expr{}
	field := func(e ast.Expr, value ast.Expr) {
		if sel, is := e.(*ast.SelectorExpr); is {
			if _, err := evaluate(value, nil); err == nil {
				names["."+sel.Sel.Name] = value
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						names[name.Name] = n.Values[i]
					}
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if len(n.Lhs) == len(n.Rhs) {
						field(left, n.Rhs[i])
						if call, is := n.Rhs[i].(*ast.CallExpr); is && len(call.Args) == 2 {
							field(call.Args[0], call.Args[1])
						}
					}
				}
			case *ast.KeyValueExpr:
				if call, is := n.Value.(*ast.CallExpr); is && len(call.Args) == 2 {
					field(call.Args[0], call.Args[1])
				}
			}
			return true
		})
	}
	if s.parsed == nil {
		s.parsed = map[string]map[string]ast.Expr{}
	}
	s.parsed[pkg] = names
	return names, nil
}

// value is that of `path/of/package.name`, or of `path/of/package.Type.Field`.
func (s *sources) value(name string) (constant.Value, ast.Expr, error) {
	dir, rest := filepath.Split(filepath.FromSlash(name))
	last, name2, ok := strings.Cut(rest, ".")
	if !ok {
		return nil, nil, fmt.Errorf("%s is no name of a constant", name)
	}
	names, err := s.names(filepath.ToSlash(dir) + last)
	if err != nil {
		return nil, nil, err
	}
	if _, field, is := strings.Cut(name2, "."); is {
		name2 = "." + field
	}
	expr := names[name2]
	if expr == nil {
		return nil, nil, fmt.Errorf("there is no constant %s", name)
	}
	v, err := evaluate(expr, names)
	return v, expr, err
}

// evaluate computes a constant of numbers, durations and other constants of its package.
func evaluate(e ast.Expr, names map[string]ast.Expr) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
	case *ast.ParenExpr:
		return evaluate(e.X, names)
	case *ast.Ident:
		if value := names[e.Name]; value != nil {
			return evaluate(value, names)
		}
	case *ast.SelectorExpr:
		if unit := map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}[e.Sel.Name]; unit != 0 {
			return constant.MakeInt64(int64(unit)), nil
		}
	case *ast.BinaryExpr:
		x, err := evaluate(e.X, names)
		if err != nil {
			return nil, err
		}
		y, err := evaluate(e.Y, names)
		if err != nil {
			return nil, err
		}
		if e.Op == token.SHL {
			by, _ := constant.Uint64Val(y)
			return constant.Shift(x, e.Op, uint(by)), nil
		}
		return constant.BinaryOp(x, e.Op, y), nil
	}
	return nil, fmt.Errorf("%T is no constant", e)
}

// limit is the value of a constant as people read it: a number, bytes where it is written with
// a shift, and a time where it is written with a unit.
func (s *sources) limit(name string) (string, error) {
	v, expr, err := s.value(name)
	if err != nil {
		return "", err
	}
	n, exact := constant.Int64Val(v)
	if !exact {
		return "", fmt.Errorf("%s is no integer", name)
	}
	shift, unit := false, false
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			shift = shift || n.Op == token.SHL
		case *ast.SelectorExpr:
			unit = true
		}
		return true
	})
	switch {
	case unit:
		return lasting(time.Duration(n)), nil
	case shift:
		units := []string{"bytes", "KiB", "MiB", "GiB"}
		at := 0
		for n >= 1<<10 && n%(1<<10) == 0 && at < len(units)-1 {
			n, at = n>>10, at+1
		}
		return fmt.Sprintf("%d %s", n, units[at]), nil
	}
	return grouped(n), nil
}

// lasting is a time in the greatest unit that it has no part of.
func lasting(d time.Duration) string {
	for _, unit := range []struct {
		time time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "s"}} {
		if n := d / unit.time; n > 0 && d%unit.time == 0 {
			switch {
			case unit.name == "s":
				return fmt.Sprintf("%d s", n)
			case n == 1:
				return "1 " + unit.name
			}
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}

// commented are the names of a constant block of package fault with the comments behind them.
func (s *sources) commented(first string) (names, comments []string, err error) {
	files, err := s.files("fault")
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		for _, d := range f.Decls {
			block, is := d.(*ast.GenDecl)
			if !is || block.Tok != token.CONST || block.Specs[0].(*ast.ValueSpec).Names[0].Name != first {
				continue
			}
			for _, spec := range block.Specs {
				value := spec.(*ast.ValueSpec)
				names = append(names, value.Names[0].Name)
				comments = append(comments, strings.TrimSpace(value.Comment.Text()))
			}
		}
	}
	if slices.Contains(comments, "") {
		return nil, nil, fmt.Errorf("of the block that begins with %s some have no comment", first)
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("package fault has no block that begins with %s", first)
	}
	return names, comments, nil
}

// kinds is the table of the kinds of faults at each door.
func (s *sources) kinds(t *testing.T) (string, error) {
	names, means, err := s.commented("Internal")
	if err != nil {
		return "", err
	}
	if len(names) != len(exitCodes) {
		t.Errorf("%d kinds have an exit code, and %d are declared", len(exitCodes), len(names))
	}
	var b strings.Builder
	for i := range names {
		k := fault.Kind(i)
		code, result := mcp.Code(k)
		told := strconv.FormatInt(code, 10)
		if result {
			told = "result with `isError`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %d |\n", k, means[i], httpapi.Status(k), strings.ReplaceAll(told, "-", "−"), exitCodes[k])
	}
	return strings.TrimSpace(b.String()), nil
}

// codes is the table of the codes of fields.
func (s *sources) codes() (string, error) {
	order, means, err := s.commented("Required")
	if err != nil {
		return "", err
	}
	names, err := s.names("fault")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, name := range order {
		v, err := evaluate(names[name], nil)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", constant.StringVal(v), means[i])
	}
	return strings.TrimSpace(b.String()), nil
}
