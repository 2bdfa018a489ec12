package trails_test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// faultText is the text of a fault in the source, with the arguments of its verbs.
type faultText struct {
	at, file, text string
	args           []ast.Expr
}

// tellers are the functions of the module that have a parameter named format or message, by
// package and name, with its place among the parameters.
func tellers(sources []source) map[string]int {
	found := map[string]int{}
	for _, s := range sources {
		for _, d := range s.file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			at := 0
			for _, p := range f.Type.Params.List {
				for _, name := range p.Names {
					if name.Name == "format" || name.Name == "message" {
						found[path.Base(s.pkg)+"."+f.Name.Name] = at
					}
					at++
				}
			}
		}
	}
	return found
}

// faultTexts reads the texts of all faults, and of the mistakes in fields, from the source.
func faultTexts(t testing.TB) (texts []faultText) {
	sources := readSources(t)
	sources = slices.DeleteFunc(sources, func(s source) bool {
		return s.test || strings.HasPrefix(s.path, "e2e/") || strings.HasPrefix(s.path, "sparql/naive/")
	})
	tells := tellers(sources)
	for _, s := range sources {
		add := func(text ast.Expr, args []ast.Expr) {
			if call, is := text.(*ast.CallExpr); is && nameOf(call.Fun) == "fmt.Sprintf" {
				text, args = call.Args[0], call.Args[1:]
			}
			texts = append(texts, faultText{s.fset.Position(text.Pos()).String(), s.path, literalOf(text), append([]ast.Expr{text}, args...)})
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := nameOf(n.Fun)
				i, is := tells[name]
				if !is {
					i, is = tells[path.Base(s.pkg)+"."+name[strings.LastIndexByte(name, '.')+1:]]
				}
				if is && len(n.Args) > i && !strings.Contains(strings.ToLower(name), "log.") {
					add(n.Args[i], n.Args[i+1:])
				}
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if kv, is := e.(*ast.KeyValueExpr); is && strings.HasSuffix(nameOf(n.Type), "FieldError") && nameOf(kv.Key) == "Message" {
						add(kv.Value, nil)
					}
				}
			}
			return true
		})
	}
	if len(texts) < 500 {
		t.Fatalf("%d texts of faults are in the source: they are not found any more", len(texts))
	}
	return texts
}

// nameOf is a name as the source has it, with the package or value before it.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// literalOf is what an expression has of literal text, with … for what it has besides.
func literalOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return literalOf(e.X) + literalOf(e.Y)
	case *ast.ParenExpr:
		return literalOf(e.X)
	}
	return "…"
}

// ownErrors are the files that put an error's text into a fault on purpose, and whose words it is.
// A place that is added here needs a text that says nothing of this machine or of how trails is made.
var ownErrors = map[string]string{
	"admin/form/entry.go":             "where the form's JSON breaks",
	"builtin/doctor.go":               "our words about what was found",
	"builtin/view/resource_list.go":   "our words about a filter",
	"capability/check.go":             "our words about an IRI",
	"db/query_scan.go":                "our words about a page",
	"db/verify.go":                    "what is wrong with the file, for who verifies it at its machine",
	"schema/check.go":                 "our words about the schema",
	"schema/check_property.go":        "our words about a property",
	"schema/yaml_property.go":         "where the caller's YAML breaks",
	"sparql/lexer.go":                 "our words about a token",
	"sparql/lint/compare.go":          "our words about an expression",
	"sparql/parse_terms.go":           "our words about a term",
	"sparql/results/json_read.go":     "where an answer of another server breaks",
	"sparql/results/xml_read.go":      "where an answer of another server breaks",
	"auth/oidc/oidc.go":               "where a token breaks, for the log",
	"auth/cedar/unreadable.go":        "where the caller's policies break",
	"builtin/brief/prompt_review.go":  "our words about an argument",
	"builtin/commits.go":              "our words about an argument",
	"builtin/history.go":              "our words about an argument",
	"builtin/node.go":                 "our words about an argument",
	"builtin/policy_explain.go":       "where the caller's YAML breaks",
	"builtin/query_params.go":         "our words about an argument",
	"builtin/verbs.go":                "our words about an argument",
	"capability/project/served.go":    "where the caller's JSON breaks",
	"capability/registry.go":          "where a regular expression breaks",
	"capability/stored/stored.go":     "where the caller's YAML breaks",
	"db/restore.go":                   "a fault of ours, or what verify found",
	"gateway/artifact/view.go":        "our words about a selector",
	"gateway/directory.go":            "our words about a tool of a server",
	"gateway/settings.go":             "where the caller's JSON breaks",
	"gateway/tools/primitive.go":      "our words about an argument",
	"gateway/tools/result.go":         "a fault of ours",
	"gateway/tools/view.go":           "a fault of ours",
	"gateway/upstream/call.go":        "what a server has said, without secrets",
	"httpapi/body.go":                 "where the caller's JSON breaks",
	"httpapi/graphstore.go":           "where the caller's address breaks",
	"httpapi/graphstore_documents.go": "where the caller's headers or parts break",
	"httpapi/invoke.go":               "where the caller's JSON or address breaks",
	"httpapi/negotiate.go":            "where the caller's address breaks",
	"httpapi/queries.go":              "where the caller's address breaks",
	"httpapi/resource.go":             "where the caller's address breaks",
	"httpapi/sparql.go":               "where the caller's address or form breaks",
	"invoke/commit.go":                "our words about an argument",
	"invoke/decode.go":                "where the caller's JSON breaks",
	"invoke/define.go":                "which argument is of another type",
	"kg/change/edit.go":               "where a statement breaks",
	"kg/change/entity.go":             "our words about an id",
	"kg/definitions.go":               "where a migration breaks",
	"kg/graph.go":                     "our words about a name",
	"kg/load/load.go":                 "our words about a type",
	"kg/load/ndjson.go":               "our words about a record",
	"kg/load/problems.go":             "our words about a line",
	"kg/load/table.go":                "where the caller's workbook breaks",
	"kg/query_remote.go":              "where a query or an answer of another server breaks",
	"kg/remote/remote.go":             "what became of a request to an address that the caller has named",
	"kg/remote/select.go":             "where an answer of another server breaks",
	"rdf/rdfio/jsonld_contexts.go":    "where the caller's JSON breaks",
	"rdf/rdfio/jsonld_write.go":       "where the caller's JSON breaks",
	"sparql/bind.go":                  "our words about a regular expression",
	"validate/constraint_value.go":    "where a regular expression breaks",
}

// An error of the system, of the file or of a library is kept by Error.Because, which callers are
// not told, and a path of this machine is a fault.Path. The command line may tell both.
func TestAFaultTellsItsCallerNothingOfTheMachine(t *testing.T) {
	testrun.Alone(t)
	foreign, place := regexp.MustCompile(`^(err|wrong|odd|lone)$`), regexp.MustCompile(`(?i)(^|\.)(path|dir|dest|temp|wal|backup)$`)
	used := map[string]bool{}
	for _, f := range faultTexts(t) {
		if strings.HasPrefix(f.file, "cmd/") {
			continue
		}
		if strings.Contains(f.text, "%w") {
			t.Errorf("%s: a fault keeps its cause by Because: %s", f.at, f.text)
		}
		for _, arg := range f.args {
			ast.Inspect(arg, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if is && nameOf(call.Fun) == "fault.Path" {
					return false
				}
				name := ""
				if e, is := n.(ast.Expr); is {
					name = nameOf(e)
				}
				switch {
				case foreign.MatchString(name) && ownErrors[f.file] == "":
					t.Errorf("%s: a fault says the text of an error: %s", f.at, f.text)
				case foreign.MatchString(name):
					used[f.file] = true
				case strings.HasPrefix(f.file, "db/") && place.MatchString(name):
					t.Errorf("%s: the path %s is no fault.Path: %s", f.at, name, f.text)
				}
				return true
			})
		}
	}
	for file := range ownErrors {
		if !used[file] {
			t.Errorf("%s puts the text of no error into a fault any more", file)
		}
	}
}

// A fault is read by whoever must act: its text begins with the thing, has no word of how trails
// is made, and does not call a thing invalid without saying what would be valid.
func TestTheTextOfAFaultIsForItsReader(t *testing.T) {
	testrun.Alone(t)
	inner := regexp.MustCompile(`(?i)\b(sqlite|rowid|goroutine|nil|struct|panic|(un)?marshal\w*|mutex|pointer|callback|EOF|syscall|errno|func|runtime error)\b|(?-i:%T)|%#v`)
	begins := regexp.MustCompile(`(?i)^(failed|error|could not|unable|invalid|illegal|bad|wrong|cannot)\b`)
	for _, f := range faultTexts(t) {
		if word := inner.FindString(f.text); word != "" {
			t.Errorf("%s: %q is a word of how trails is made: %s", f.at, word, f.text)
		}
		if begins.MatchString(f.text) && f.text != "invalid arguments:" { // the message of the contract, which the fields follow
			t.Errorf("%s: the thing comes first, then the rule: %s", f.at, f.text)
		}
	}
}

// Whatever is counted is said with its noun: fault.Counted knows the plural.
func TestNoTextSaysANounInBothNumbers(t *testing.T) {
	testrun.Alone(t)
	both, texts := regexp.MustCompile(`[a-z]\(s\)`), 0
	for _, s := range readSources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
				texts++
				if both.MatchString(lit.Value) {
					t.Errorf("%s: %s", s.fset.Position(lit.Pos()), lit.Value)
				}
			}
			return true
		})
	}
	if texts < 5000 {
		t.Fatalf("%d texts are in the source: they are not found any more", texts)
	}
}

// TestAQuestionEndsTheTextOfAFault: nothing stands behind "did you mean …?", as a second sign beside the first would.
func TestAQuestionEndsTheTextOfAFault(t *testing.T) {
	asked := 0
	verb := regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?[\d.]*[a-zA-Z]`)
	for _, text := range faultTexts(t) {
		if strings.Contains(text.text, "?;") || strings.Contains(text.text, "?.") {
			t.Errorf("%s: two signs are beside each other in %q", text.at, text.text)
		}
		places := verb.FindAllStringIndex(text.text, -1)
		for i, arg := range text.args[1:] {
			asks := false
			ast.Inspect(arg, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				asks = asks || is && strings.HasSuffix(nameOf(call.Fun), "DidYouMean")
				return true
			})
			if !asks || i >= len(places) {
				continue
			}
			asked++
			if places[i][1] != len(text.text) {
				t.Errorf("%s: the question is not at the end of %q", text.at, text.text)
			}
		}
	}
	if asked < 8 {
		t.Errorf("only %d questions were found", asked)
	}
}

// otherMessages are the files that add to a message which is none of a fault.
var otherMessages = map[string]string{
	"admin/form_show.go":             "a page",
	"invoke/invoketest/refusals.go":  "a fault as it is read",
	"kg/export.go":                   "a report",
	"kg/merge_clash.go":              "a clash, which asks nothing",
	"mcp/tools.go":                   "progress",
	"rdf/rdfio/jsonld_references.go": "a report",
}

// TestWhatIsAddedToAFaultStandsBeforeItsQuestion: fault.Add knows whether a text ends in "did you mean …?", and += does not.
func TestWhatIsAddedToAFaultStandsBeforeItsQuestion(t *testing.T) {
	adds := 0
	for _, s := range readSources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.ADD_ASSIGN && strings.HasSuffix(nameOf(n.Lhs[0]), ".Message") && otherMessages[s.path] == "" || n.Tok == token.ADD_ASSIGN && isIndexedMessage(n.Lhs[0]) {
					t.Errorf("%s: add to the text of a fault by fault.Add", s.fset.Position(n.Pos()))
				}
			case *ast.CallExpr:
				if nameOf(n.Fun) == "fault.Add" {
					adds++
				}
			}
			return true
		})
	}
	if adds < 10 {
		t.Errorf("only %d additions were found", adds)
	}
}

// isIndexedMessage reports whether an expression is fields[i].Message or the like.
func isIndexedMessage(e ast.Expr) bool {
	s, is := e.(*ast.SelectorExpr)
	if !is || s.Sel.Name != "Message" {
		return false
	}
	_, is = s.X.(*ast.IndexExpr)
	return is
}
