package admin

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"trails/auth"
	"trails/fault"
	"trails/sparql"
)

// sparqlFault is why a query has no answer, in the contract's words.
type sparqlFault struct {
	Status  int
	Title   string
	Message string
	Fields  []fault.FieldError
	Trace   string
	// Line and Column are where the text breaks the grammar; 0 when it does not.
	Line, Column int
	Quote        quote
	// Added is how many lines with its name and description were put before the text to store it. They are not in the
	// editor, and Line counts them.
	Added int
	// Mutate is where an update can be made, when the text is one.
	Mutate string
}

// quote is a line of the text around one place.
type quote struct{ Before, At, After string }

// quoted is how much of a line stands on each side of the place.
const quoted = 60

// mutateMost is how much text the form of mutate is opened with.
const mutateMost = 4 << 10

func (s *site) sparqlFaultOf(w http.ResponseWriter, r *http.Request, v sparqlView, err error) *sparqlFault {
	f := fault.Of(err)
	shown := s.failureOf(w, r, f)
	out := &sparqlFault{Status: shown.Status, Title: "The query was not answered", Message: shown.Message, Fields: shown.Fields}
	if f.Kind == fault.Internal {
		out.Title, out.Trace = headings[http.StatusInternalServerError], shown.Trace
		return out
	}
	if v.Do != "" {
		out.Title = "Nothing was stored"
	}
	if _, notUpdate := sparql.ParseUpdate(v.Query, sparql.Options{Base: auth.Base(r) + "/sparql"}); notUpdate == nil && v.Do == "" {
		// Updates are made elsewhere: this page reads.
		out.Title, out.Message = "This is an update", "This page only reads. The form of mutate runs updates, with a dry run before."
		out.Mutate = capabilityURL("mutate")
		if len(v.Query) <= mutateMost {
			out.Mutate = formURL("mutate", "update", v.Query)
		}
		return out
	}
	line, hasLine := f.Details["line"].(int)
	column, hasColumn := f.Details["column"].(int)
	if hasLine && hasColumn {
		out.Title, out.Line, out.Column = "The query does not parse", line, column
	}
	for i := range out.Fields {
		one := &out.Fields[i]
		one.Source = strings.TrimPrefix(strings.TrimPrefix(one.Source, "queries[0]"), ", ")
		if place := placed.FindStringSubmatch(one.Source + " " + one.Message); place != nil && out.Line == 0 {
			out.Line, _ = strconv.Atoi(place[1])
			out.Column, _ = strconv.Atoi(firstOf(place[2], "1"))
		}
	}
	if out.Line > 0 {
		out.Quote = quoteAt(v.Query, out.Line, out.Column)
	}
	return out
}

// placed is how a problem of a stored query says where it is.
var placed = regexp.MustCompile(`line (\d+)(?:, column (\d+))?`)

// quoteAt takes the line apart at a place, which counts characters from 1. At the
// end of a line there is nothing to mark, and a space stands for it.
func quoteAt(text string, lineNumber, column int) quote {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if lineNumber < 1 || lineNumber > len(lines) {
		return quote{}
	}
	runes := []rune(lines[lineNumber-1])
	at := max(0, min(column-1, len(runes)))
	q := quote{Before: string(runes[max(0, at-quoted):at]), At: " "}
	if at > quoted {
		q.Before = "…" + q.Before
	}
	if at < len(runes) {
		q.At, q.After = string(runes[at]), string(runes[at+1:min(len(runes), at+1+quoted)])
	}
	if at+1+quoted < len(runes) {
		q.After += "…"
	}
	return q
}
