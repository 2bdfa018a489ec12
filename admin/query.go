package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
)

// query is what stands behind the question mark of a page's address.
type query struct {
	url.Values
	wrong []fault.FieldError
}

// queryOf parses the query of an address. Any page takes a branch. An unknown parameter is an error, because ignoring it would show something
// else than requested.
func queryOf(r *http.Request, allowed ...string) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &query{Values: values}
	if err != nil {
		q.fail("query", fault.Pattern, r.URL.RawQuery, "the address does not parse")
	}
	for name := range values {
		if !slices.Contains(allowed, name) && name != "branch" && name != pictureParameter {
			q.fail(name, fault.Closed, values.Get(name), "this page has no parameter "+strconv.Quote(line(name)))
		}
	}
	return q
}

func (q *query) fail(field string, code fault.Code, value any, message string) {
	q.wrong = append(q.wrong, fault.FieldError{Field: field, Code: code, Message: message, Value: value})
}

// number returns a whole number, or the default when it is not given.
func (q *query) number(name string, missing, least, most int) int {
	if q.Get(name) == "" {
		return missing
	}
	n, err := strconv.Atoi(q.Get(name))
	switch {
	case err != nil:
		q.fail(name, fault.Datatype, q.Get(name), name+" is not a whole number")
	case n < least:
		q.fail(name, fault.MinValue, n, name+" is at least "+strconv.Itoa(least))
	case n > most:
		q.fail(name, fault.MaxValue, n, name+" is at most "+strconv.Itoa(most))
	default:
		return n
	}
	return missing
}

// word returns one of the allowed words, the first of them when it is not given.
func (q *query) word(name string, allowed ...string) string {
	if q.Get(name) == "" || slices.Contains(allowed, q.Get(name)) {
		return firstOf(q.Get(name), allowed[0])
	}
	q.fail(name, fault.OneOf, q.Get(name), name+" is one of "+strings.TrimPrefix(strings.Join(allowed, ", "), ", "))
	return allowed[0]
}

// err returns what is wrong, or nil.
func (q *query) err() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return fault.Arguments(q.wrong...)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
