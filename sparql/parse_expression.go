package sparql

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// expression reads ConditionalOrExpression.
func (p *parser) expression() Expr {
	p.enter()
	defer p.leave()
	left, n := p.conjunction(), 0
	for p.accept("||") {
		p.link(&n, "operands")
		left = Call{Or, []Expr{left, p.conjunction()}}
	}
	return left
}

func (p *parser) conjunction() Expr {
	left, n := p.relational(), 0
	for p.accept("&&") {
		p.link(&n, "operands")
		left = Call{And, []Expr{left, p.relational()}}
	}
	return left
}

var comparisons = []Func{Equal, NotEqual, Less, Greater, LessOrEqual, GreaterOrEqual}

// relational reads RelationalExpression: one comparison at most.
func (p *parser) relational() Expr {
	at := p.tok.start
	left := p.additive()
	for _, f := range comparisons {
		if p.accept(string(f)) {
			return p.placeExpr(Call{f, []Expr{left, p.additive()}}, at)
		}
	}
	switch {
	case p.accept("IN"):
		return p.placeExpr(Call{In, append([]Expr{left}, p.arguments()...)}, at)
	case p.accept("NOT"):
		p.expect("IN")
		return p.placeExpr(Call{NotIn, append([]Expr{left}, p.arguments()...)}, at)
	}
	return left
}

// additive reads AdditiveExpression. The sign of a number behind an operand is an
// operator: ?x -1 subtracts one.
func (p *parser) additive() Expr {
	at := p.tok.start
	left, n := p.multiplicative(), 0
	for {
		if n > 0 {
			p.placeExpr(left, at)
		}
		p.link(&n, "operands")
		switch {
		case p.accept("+"):
			left = Call{Add, []Expr{left, p.multiplicative()}}
		case p.accept("-"):
			left = Call{Subtract, []Expr{left, p.multiplicative()}}
		case p.tok.kind == number && !rdf.IsDigit(p.tok.text[0]) && p.tok.text[0] != '.':
			f := Add
			if p.tok.text[0] == '-' {
				f = Subtract
			}
			p.tok.text = p.tok.text[1:]
			left = Call{f, []Expr{left, p.multiplicative()}}
		default:
			return left
		}
	}
}

func (p *parser) multiplicative() Expr {
	at := p.tok.start
	left, n := p.unary(), 0
	for {
		if n > 0 {
			p.placeExpr(left, at)
		}
		p.link(&n, "operands")
		switch {
		case p.accept("*"):
			left = Call{Multiply, []Expr{left, p.unary()}}
		case p.accept("/"):
			left = Call{Divide, []Expr{left, p.unary()}}
		default:
			return left
		}
	}
}

func (p *parser) unary() Expr {
	at := p.tok.start
	switch {
	case p.accept("!"):
		return p.placeExpr(Call{Not, []Expr{p.primary()}}, at)
	case p.accept("-"):
		return p.placeExpr(Call{Negate, []Expr{p.primary()}}, at)
	case p.accept("+"):
		return p.placeExpr(Call{Plus, []Expr{p.primary()}}, at)
	}
	return p.primary()
}

// primary reads PrimaryExpression.
func (p *parser) primary() Expr {
	at := p.tok.start
	switch {
	case p.tok.kind == variable:
		return p.placeExpr(VarExpr{p.takeVar()}, at)
	case p.isLiteral():
		return TermExpr{p.literal()}
	case p.isIRI():
		iri := p.iri()
		if p.is("(") {
			return p.placeExpr(Cast{iri, p.functionArguments(iri)}, at)
		}
		return TermExpr{iri}
	case p.is("("):
		return p.bracketed()
	case p.tok.kind == symbol && rdf.IsLetter(p.tok.text[0]):
		return p.builtIn()
	}
	p.failExpected("an expression")
	return TermExpr{}
}

func (p *parser) bracketed() Expr {
	p.expect("(")
	e := p.expression()
	p.expect(")")
	return e
}

// functionArguments reads ArgList. DISTINCT is refused: it is for custom aggregates, which are not supported.
func (p *parser) functionArguments(iri rdf.IRI) []Expr {
	p.expect("(")
	if p.is("DISTINCT") {
		p.failHere("<" + string(iri) + "> is no aggregate; only these take DISTINCT")
	}
	return p.restOfList()
}

// arguments reads ExpressionList.
func (p *parser) arguments() []Expr {
	p.expect("(")
	return p.restOfList()
}

func (p *parser) restOfList() []Expr {
	if p.accept(")") {
		return nil
	}
	args := []Expr{p.expression()}
	for p.accept(",") {
		args = append(args, p.expression())
	}
	p.expect(")")
	return args
}

// builtIn reads BuiltInCall.
func (p *parser) builtIn() Expr {
	at, name := p.tok.start, p.tok.text
	switch name {
	case "NOT":
		p.next()
		p.expect("EXISTS")
		return Exists{Not: true, Op: p.group().whole()}
	case "EXISTS":
		p.next()
		return Exists{Op: p.group().whole()}
	}
	if isAggregate(name) {
		return p.aggregate()
	}
	arity, ok := Functions[Func(name)]
	if !ok {
		message := "expected an expression, found " + p.found() + ", which is no function"
		if called := strings.HasPrefix(strings.TrimSpace(p.text[p.tok.end:]), "("); called && cureOf(p.text, at) == "" {
			var names []string
			for known := range Functions {
				names = append(names, string(known))
			}
			slices.Sort(names)
			message += fault.DidYouMean(name, names)
		}
		p.failHere(message)
		return TermExpr{}
	}
	p.next()
	args := p.arguments()
	p.checkArity(name, args, arity, at)
	return p.placeExpr(Call{Func(name), args}, at)
}

func (p *parser) checkArity(name string, args []Expr, arity Arity, at int) {
	if p.failed != nil {
		return
	}
	if len(args) < arity.Min || arity.Max >= 0 && len(args) > arity.Max {
		p.failFrom(at, name+" takes "+arity.String()+", not "+strconv.Itoa(len(args)))
		return
	}
	if Func(name) == Bound {
		if _, ok := args[0].(VarExpr); !ok {
			p.failFrom(at, "BOUND takes a variable")
		}
	}
}

// WrongPattern returns what is wrong with the flags, the pattern or the replacement of a call of REGEX or REPLACE, as
// far as they are constants (err:FORX0001 to err:FORX0004 of XPath Functions). A call with such a mistake is an error
// for each solution.
func WrongPattern(c Call) error {
	last, ok := map[Func]int{"REGEX": 2, "REPLACE": 3}[c.Func]
	if !ok {
		return nil
	}
	pattern, fixed := stringConstant(c.Args[1])
	flags, replacement := "", ""
	if len(c.Args) > last {
		if flags, ok = stringConstant(c.Args[last]); !ok {
			return nil
		}
	}
	if _, err := xsd.Pattern("", flags); err != nil {
		return fmt.Errorf("%s: the flags %.100q cannot be used: %w", c.Func, flags, err)
	}
	groups := 0
	if fixed {
		compiled, err := xsd.Pattern(pattern, flags)
		if err == nil {
			re := regexp.MustCompile(compiled)
			if groups = re.NumSubexp(); c.Func == "REPLACE" && re.MatchString("") {
				err = errors.New("it matches the empty text, which REPLACE does not allow; + in the place of * may be meant")
			}
		}
		if err != nil {
			return fmt.Errorf("%s: the pattern %.100q cannot be used: %w", c.Func, pattern, err)
		}
	}
	if c.Func == "REPLACE" && !strings.Contains(flags, "q") {
		replacement, _ = stringConstant(c.Args[2])
		if _, err := xsd.Replacement(replacement, groups); err != nil {
			return fmt.Errorf("REPLACE: the replacement %.100q cannot be used: %w", replacement, err)
		}
	}
	return nil
}

func stringConstant(e Expr) (string, bool) {
	t, ok := e.(TermExpr)
	if !ok || rdf.DatatypeOf(t.Term) != rdf.XSDString {
		return "", false
	}
	return rdf.Lexical(t.Term), true
}

// String says how many arguments.
func (a Arity) String() string {
	switch {
	case a.Max < 0:
		return "any number of arguments"
	case a.Min == a.Max:
		return fault.Counted(a.Min, "argument")
	}
	return strconv.Itoa(a.Min) + " to " + fault.Counted(a.Max, "argument")
}

// constraint reads Constraint: an expression in brackets, or a call.
func (p *parser) constraint() Expr {
	at := p.tok.start
	switch {
	case p.is("("):
		return p.bracketed()
	case p.isIRI():
		iri := p.iri()
		if !p.is("(") {
			p.failExpected("'(' and the function's arguments")
		}
		return p.placeExpr(Cast{iri, p.functionArguments(iri)}, at)
	case p.tok.kind == symbol && rdf.IsLetter(p.tok.text[0]):
		return p.builtIn()
	}
	p.failExpected("an expression in brackets or a function call")
	return TermExpr{}
}

var aggregateFuncs = map[string]AggregateFunc{
	"COUNT": Count, "SUM": Sum, "MIN": Min, "MAX": Max, "AVG": Avg, "SAMPLE": Sample, "GROUP_CONCAT": GroupConcat,
}

func isAggregate(name string) bool { _, ok := aggregateFuncs[name]; return ok }

// aggregate reads Aggregate. Aggregates do not nest, and are allowed in SELECT, HAVING and ORDER BY only.
func (p *parser) aggregate() Expr {
	at := p.tok.start
	a := Aggregate{Func: aggregateFuncs[p.tok.text]}
	counted := p.aggregates
	if counted == nil {
		p.failHere("an aggregate cannot stand here: only in SELECT, HAVING and ORDER BY, and not inside another")
		return a
	}
	*counted++
	p.aggregates = nil
	p.next()
	p.expect("(")
	a.Distinct = p.accept("DISTINCT")
	if a.Func != Count || !p.accept("*") {
		a.Expr = p.expression()
	}
	if a.Func == GroupConcat {
		a.Separator = p.separator()
	}
	p.expect(")")
	p.aggregates = counted
	return p.placeExpr(a, at)
}

func (p *parser) separator() string {
	if !p.accept(";") {
		return " "
	}
	p.expect("SEPARATOR")
	p.expect("=")
	return p.take(stringToken, "a string")
}
