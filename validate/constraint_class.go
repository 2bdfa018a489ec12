package validate

import (
	"context"
	"strings"

	"trails/rdf"
)

// classConstraint asks that values are instances of a class or of a subclass of it
// (SHACL section 4.1.1).
type classConstraint struct{ class rdf.IRI }

func compileClass(p parameter) (constraint, error) {
	iri, err := p.iri()
	return classConstraint{iri}, err
}

func (c classConstraint) check(ctx context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		is, err := e.instanceOf(ctx, v, c.class)
		if err != nil {
			return err
		}
		if is {
			continue
		}
		if err := c.report(ctx, e, v); err != nil {
			return err
		}
	}
	return nil
}

// report says what the value is instead, since the way out depends on it.
func (c classConstraint) report(ctx context.Context, e *evaluation, v rdf.Term) error {
	types, err := e.typesOf(ctx, v)
	if err != nil {
		return err
	}
	name := e.shapes.className(c.class)
	want := "must refer to " + article(name)
	switch {
	case rdf.IsLiteral(v):
		e.report(classComponent, v, name, "%s, not to the text %s", want, e.show(v))
	case len(types) == 0:
		e.report(classComponent, v, name, "%s; %s does not exist or has no type", want, e.show(v))
	default:
		e.report(classComponent, v, name, "%s; %s is %s", want, e.show(v), e.classNames(types))
	}
	return nil
}

func (e *evaluation) classNames(types []rdf.IRI) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = article(e.shapes.className(t))
	}
	return shorten(strings.Join(names, " and "))
}
