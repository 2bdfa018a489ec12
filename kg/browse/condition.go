package browse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// Path leads from the nodes of a type to values: one property, or several, of which all but the last are references.
type Path []*schema.Property

// maxPath bounds the properties of a path.
const maxPath = 4

// String is the names of the properties with dots between.
func (p Path) String() string {
	names := make([]string, len(p))
	for i, property := range p {
		names[i] = property.Name
	}
	return strings.Join(names, ".")
}

// Label is the path in the names for people, "" if none of its properties has a label: Customer › Full name.
func (p Path) Label() string {
	if !slices.ContainsFunc(p, func(p *schema.Property) bool { return p.Label != "" }) {
		return ""
	}
	titles := make([]string, len(p))
	for i, property := range p {
		titles[i] = cmp.Or(property.Label, property.Name)
	}
	return strings.Join(titles, " › ")
}

// Last is the property that has the values.
func (p Path) Last() *schema.Property { return p[len(p)-1] }

// Many reports whether a node may have several values at its end.
func (p Path) Many() bool { return slices.ContainsFunc(p, (*schema.Property).Many) }

func (p Path) predicates() []rdf.IRI {
	list := make([]rdf.IRI, len(p))
	for i, property := range p {
		list[i] = property.IRI
	}
	return list
}

// PathOf reads a path from a type: names of properties with dots between. The error has no
// field yet.
func (s *Reader) PathOf(t *schema.Type, text string) (Path, *fault.FieldError) {
	names := strings.Split(text, ".")
	wrong := func(known []string, format string, args ...any) *fault.FieldError {
		return &fault.FieldError{Code: fault.Closed, Value: text, Constraint: known, Message: fmt.Sprintf(format, args...)}
	}
	if len(names) > maxPath || len(text) > maxPart {
		text = ""
		return nil, wrong(nil, "a path has at most %d properties and %d bytes", maxPath, maxPart)
	}
	var path Path
	for i, name := range names {
		if i > 0 {
			if t = s.schema.Type(path.Last().Class); t == nil {
				return nil, wrong(nil, "%s is no reference to a type, so nothing follows it in %q", path, text)
			}
		}
		p := s.schema.Property(t, name)
		if p == nil {
			message, known := s.schema.NoProperty(t, name)
			return nil, wrong(known, "%s", message)
		}
		path = append(path, p)
	}
	return path, nil
}

// Op is how a condition compares values.
type Op string

// The operators. If a node has several values, one must match; with OpNot none may be equal, and with OpEmpty there
// must be none. OpContains and OpStarts ignore case.
const (
	OpIs       Op = "="
	OpNot      Op = "!="
	OpLess     Op = "<"
	OpAtMost   Op = "<="
	OpGreater  Op = ">"
	OpAtLeast  Op = ">="
	OpIn       Op = "in"
	OpContains Op = "contains"
	OpStarts   Op = "starts"
	OpEmpty    Op = "is_empty"
	OpNotEmpty Op = "not_empty"
)

// Ops are all operators.
var Ops = []Op{OpIs, OpNot, OpLess, OpAtMost, OpGreater, OpAtLeast, OpIn, OpContains, OpStarts, OpEmpty, OpNotEmpty}

// opsFor returns the operators for the values of a property.
func opsFor(p *schema.Property) []Op {
	datatype := schema.Datatypes[p.Datatype]
	return slices.DeleteFunc(slices.Clone(Ops), func(op Op) bool {
		switch op {
		case OpLess, OpAtMost, OpGreater, OpAtLeast:
			return !datatype.Ordered && datatype.IRI != rdf.XSDString
		case OpContains, OpStarts:
			return !datatype.Text || p.Class != ""
		case OpIs, OpNot, OpIn, OpEmpty, OpNotEmpty:
		}
		return false
	})
}

func wordsOf(ops []Op) []string {
	words := make([]string, len(ops))
	for i, op := range ops {
		words[i] = string(op)
	}
	return words
}

// Condition selects nodes by their values at the end of a path.
type Condition struct {
	Path Path
	Op   Op
	// Values are the operands: none for OpEmpty and OpNotEmpty, at least one for OpIn, and one for the others.
	Values []rdf.Term
	// Until, unless it is nil, makes an OpIs a period: at least the value, and before Until.
	Until rdf.Term
}

// maxOperands bounds the values of a condition with in.
const maxOperands = 1000

// ConditionOf makes a condition from an operator ("" is =) and a JSON value, nil if there is none. The fields of
// errors are op and value. For dates and times a year or a month is a period ("2023", "2023-04"), as is a day for
// times: = is within it, and the other operators compare with its beginning or end.
func (s *Reader) ConditionOf(path Path, op string, value any) (Condition, []fault.FieldError) {
	c, p := Condition{Path: path, Op: Op(op)}, path.Last()
	if op == "" {
		c.Op = OpIs
	}
	fits := opsFor(p)
	if !slices.Contains(fits, c.Op) {
		op = op[:min(len(op), maxPart)]
		wrong := fault.FieldError{Field: "op", Code: fault.OneOf, Value: op, Constraint: fits}
		switch {
		case !slices.Contains(Ops, c.Op):
			wrong.Message = fmt.Sprintf("there is no operator %q for %s%s", op, path, fault.OrOf(op, "takes", wordsOf(fits)))
		case p.Class != "":
			wrong.Message = fmt.Sprintf("%s does not fit %s, a reference, which takes %s; compare a property of what it refers to, as in %s.%s",
				op, path, strings.Join(wordsOf(fits), ", "), path, s.exampleProperty(p.Class))
		default:
			wrong.Message = fmt.Sprintf("%s does not fit %s, which is %s and takes %s", op, path, p.Datatype, strings.Join(wordsOf(fits), ", "))
		}
		return c, []fault.FieldError{wrong}
	}
	operands := []any{value}
	switch c.Op {
	case OpEmpty, OpNotEmpty:
		if value != nil {
			return c, []fault.FieldError{{Field: "value", Code: fault.MaxCount, Value: value, Constraint: 0, Message: op + " takes no value"}}
		}
		return c, nil
	case OpIn:
		list, isList := value.([]any)
		if operands = list; !isList || len(list) == 0 || len(list) > maxOperands {
			return c, []fault.FieldError{{Field: "value", Code: fault.Shape, Message: fmt.Sprintf("in takes a list of 1 to %d values", maxOperands)}}
		}
	case OpContains, OpStarts:
		text, isText := value.(string)
		if !isText || text == "" || len(text) > maxPart {
			return c, []fault.FieldError{{Field: "value", Code: fault.Datatype, Message: fmt.Sprintf("%s takes a text of at most %d bytes", op, maxPart)}}
		}
		c.Values = []rdf.Term{rdf.String(text)}
		return c, nil
	case OpIs, OpNot, OpLess, OpAtMost, OpGreater, OpAtLeast:
		if value == nil {
			return c, []fault.FieldError{{Field: "value", Code: fault.Required, Message: fmt.Sprintf("%s takes a value; is_empty asks for nodes without one", c.Op)}}
		}
	}
	if text, isText := value.(string); isText {
		if from, until, is := s.period(p, text); is && c.inPeriod(from, until) {
			return c, nil
		}
	}
	var wrong []fault.FieldError
	for i, one := range operands {
		if text, isText := one.(string); isText && p.IsLang() {
			one = p.WordValue(text)
		}
		term, problem := s.schema.Term(p, one)
		if problem != nil {
			if problem.Field = "value"; c.Op == OpIn {
				problem.Field = fmt.Sprintf("value[%d]", i)
			}
			wrong = append(wrong, *problem)
			continue
		}
		c.Values = append(c.Values, term)
	}
	return c, wrong
}

// inPeriod makes the condition one on a period of dates or times, if its operator and path can have one.
func (c *Condition) inPeriod(from, until rdf.Term) bool {
	switch c.Op {
	case OpIs:
		if c.Path.Many() { // two of several values could be at its two ends
			return false
		}
		c.Values, c.Until = []rdf.Term{from}, until
	case OpLess, OpAtLeast:
		c.Values = []rdf.Term{from}
	case OpAtMost:
		c.Op, c.Values = OpLess, []rdf.Term{until}
	case OpGreater:
		c.Op, c.Values = OpAtLeast, []rdf.Term{until}
	case OpNot, OpIn, OpContains, OpStarts, OpEmpty, OpNotEmpty:
		return false
	}
	return true
}

// period reads a year, a month or, for times, a day in UTC, as a part of a date: 2023, 2023-04. until is the first date or
// time after it.
func (s *Reader) period(p *schema.Property, text string) (from, until rdf.Term, is bool) {
	datatype := schema.Datatypes[p.Datatype].IRI
	layout := map[rdf.IRI]string{rdf.XSDDate: time.DateOnly, rdf.XSDDateTime: time.RFC3339}[datatype]
	if layout == "" {
		return nil, nil, false
	}
	for _, part := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		at, err := time.Parse(part.layout, text)
		if err != nil || part.layout == layout {
			continue
		}
		write := func(t time.Time) rdf.Term { return rdf.Literal(t.Format(layout), datatype) }
		return write(at), write(at.AddDate(part.years, part.months, part.days)), true
	}
	return nil, nil, false
}

// maxPart bounds the operand of OpContains and OpStarts.
const maxPart = 1000

// exampleProperty is a property with which nodes of a type can be distinguished.
func (s *Reader) exampleProperty(typeName string) string {
	t := s.schema.Type(typeName)
	if label := s.schema.LabelOf(t); label != "" {
		return label
	}
	if all := s.schema.PropertiesOf(t); len(all) > 0 {
		return all[0].Name
	}
	return "name"
}

// stored converts the condition for package db: one condition, or two for a period.
func (c Condition) stored() []db.Condition {
	if c.Until != nil {
		until := Condition{Path: c.Path, Op: OpLess, Values: []rdf.Term{c.Until}}
		from := Condition{Path: c.Path, Op: OpAtLeast, Values: c.Values}
		return append(from.stored(), until.stored()...)
	}
	out := db.Condition{Path: c.Path.predicates(), Operands: c.Values, None: c.Op == OpNot || c.Op == OpEmpty}
	out.Strings = c.Path.Last().IsPlainOrLang()
	switch c.Op {
	case OpIs, OpNot, OpIn:
		out.Test = db.Equal
	case OpContains:
		out.Test = db.Contains
	case OpStarts:
		out.Test = db.Begins
	case OpEmpty, OpNotEmpty:
		out.Test = db.Any
	case OpLess, OpAtMost, OpGreater, OpAtLeast:
		out.Test = db.Test(c.Op)
	}
	return []db.Condition{out}
}
