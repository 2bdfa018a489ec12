package schema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
	"trails/text/quote"
)

// Limits on a schema from outside.
const (
	maxSource     = 1 << 20 // bytes of YAML
	maxTypes      = 1000
	maxProperties = 1000 // of one type, inherited ones included
	maxList       = 100  // names in extends, key and a unique group; groups of a type
	maxName       = 128
	maxSnake      = 57 // a tool's name has 64 characters, "_create" among them
)

// MaxLabel is the longest [Property.Label], in characters.
const MaxLabel = 80

var (
	typeName     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	propertyName = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)
	prefixName   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// isTypeName is typeName without a regular expression, for speed.
func isTypeName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isUpper(c) && (i == 0 || !isLower(c) && !rdf.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}

// reservedProperties are the arguments of every generated tool that are not properties.
var reservedProperties = []string{"id", "iri", "type", "branch", "at", "message", "if_commit", "dry_run", "allow_mass_change"}

// ReservedProperty reports whether a name is not allowed for properties.
func ReservedProperty(name string) bool { return slices.Contains(reservedProperties, name) }

// FreeTypeName reports whether a name is allowed for types.
func FreeTypeName(name string) bool {
	c := checker{s: new(Schema)}
	c.typeName(&Type{Name: name}, "")
	return len(c.problems) == 0
}

// reservedTools are the snake names whose tools would collide with built-in ones.
var reservedTools = map[string]string{"branches": "branches_create"}

// checker collects every problem of a schema.
type checker struct {
	s        *Schema
	where    func(path string) string  // returns the place of a path in the source; may be nil
	patterns map[string]*regexp.Regexp // those that compile
	problems []fault.FieldError
}

// check returns all that is wrong with s.
func (s *Schema) check(where func(string) string) []fault.FieldError {
	c := &checker{s: s, where: where, patterns: map[string]*regexp.Regexp{}}
	c.base()
	c.prefixes()
	if len(s.Types) > maxTypes {
		c.report("types", fault.MaxCount, len(s.Types), maxTypes, "there are %d types; at most %d are allowed", len(s.Types), maxTypes)
		return c.problems
	}
	c.distinctTypes()
	for _, t := range s.Types {
		c.typ(t)
	}
	return c.problems
}

// maxPath is how many characters of the path of a mistake its text has.
const maxPath = 500

func (c *checker) report(path string, code fault.Code, value, constraint any, format string, args ...any) {
	source := ""
	if c.where != nil {
		source = c.where(path)
	}
	c.problems = append(c.problems, fault.FieldError{
		Field: path, Code: code, Message: quote.Line(path, maxPath) + ": " + fmt.Sprintf(format, args...),
		Value: value, Constraint: constraint, Source: source,
	})
}

func (c *checker) base() {
	if c.s.Base == "" {
		c.report("base", fault.Required, nil, nil, "the schema has no base; give the IRI that names begin with, such as urn:trails:example:")
		return
	}
	if err := CheckIRI(c.s.Base); err != nil {
		c.report("base", fault.NodeKind, c.s.Base, nil, "%v", err)
	}
}

func (c *checker) prefixes() {
	for _, prefix := range slices.Sorted(maps.Keys(c.s.Prefixes)) {
		namespace, path := c.s.Prefixes[prefix], "prefixes."+prefix
		if !prefixName.MatchString(prefix) {
			c.report(path, fault.Pattern, prefix, prefixName.String(), "the prefix must match %s", prefixName)
		}
		if err := CheckIRI(namespace); err != nil {
			c.report(path, fault.NodeKind, namespace, nil, "%v", err)
		}
	}
}

// distinctTypes refuses two types with one name, one IRI or one tool name.
func (c *checker) distinctTypes() {
	names, iris, ids, snakes := map[string]string{}, map[rdf.IRI]string{}, map[string]string{}, map[string]string{}
	for _, t := range c.s.Types {
		path, snake := "types."+t.Name, SnakeName(t.Name)
		switch {
		case names[t.Name] != "":
			c.report(path, fault.Unique, t.Name, nil, "the type is declared twice; merge the two")
		case snakes[snake] != "":
			c.report(path, fault.Unique, t.Name, nil, "%s and %s would both have the tool %s_create; rename one", snakes[snake], t.Name, snake)
		case iris[t.IRI] != "":
			c.report(path+".rdf_type", fault.Unique, string(t.IRI), nil, "%s has the IRI %s already; give another", iris[t.IRI], t.IRI)
		case ids[t.ids()] != "":
			c.report(path+".ids", fault.Unique, t.ids(), nil, "the nodes of %s have IRIs that begin with %s%s/ already; give other ids, such as ids: %s2", ids[t.ids()], c.s.Base, t.ids(), t.Name)
		}
		names[t.Name], iris[t.IRI], ids[t.ids()], snakes[snake] = t.Name, t.Name, t.Name, t.Name
	}
}

func (c *checker) typ(t *Type) {
	path := "types." + t.Name
	c.typeName(t, path)
	if err := CheckIRI(string(t.IRI)); err != nil && c.s.Base != "" {
		c.report(path+".rdf_type", fault.NodeKind, string(t.IRI), nil, "%v", err)
	}
	if !utf8.ValidString(t.Description) {
		c.report(path+".description", fault.Datatype, nil, nil, "the text is not valid UTF-8")
	}
	c.extends(t, path)
	c.inherited(t, path)
	for _, p := range t.Properties {
		c.property(p, path+".properties."+p.Name)
	}
	c.label(t, path)
	c.key(t, path)
	c.unique(t, path)
	c.mint(t, path)
}

func (c *checker) typeName(t *Type, path string) {
	snake := SnakeName(t.Name)
	if t.IDs != "" && (!isTypeName(t.IDs) || len(t.IDs) > maxName) {
		c.report(path+".ids", fault.Pattern, t.IDs, typeName.String(), "ids stands for the type's name in IRIs, and must match %s, at most %d characters", typeName, maxName)
	}
	switch {
	case !isTypeName(t.Name):
		c.report(path, fault.Pattern, t.Name, typeName.String(), "a type's name must match %s, such as AttackPattern", typeName)
	case len(snake) > maxSnake:
		c.report(path, fault.MaxLength, t.Name, maxSnake, "the name gives tools longer than 64 characters; shorten it to %d", maxSnake)
	case reservedTools[snake] != "":
		c.report(path, fault.Unique, t.Name, nil, "the type's tools would meet the built-in %s; rename it", reservedTools[snake])
	case strings.HasPrefix(snake, "trails_meta"):
		c.report(path, fault.Unique, t.Name, nil, "names that begin with TrailsMeta belong to the built-in tools; rename it")
	}
}

func (c *checker) extends(t *Type, path string) {
	path += ".extends"
	for i, name := range t.Extends {
		super := c.s.byName[name]
		switch {
		case super == nil:
			c.report(path, fault.Class, name, nil, "there is no type %q%s", name, didYouMean(name, c.s.names()))
		case slices.Contains(t.Extends[:i], name):
			c.report(path, fault.Unique, name, nil, "%s is listed twice", name)
		case super == t || slices.Contains(c.s.Supertypes(super), t):
			c.report(path, fault.Shape, name, nil, "%s extends %s, which extends %s: a type cannot extend itself; cut the circle", t.Name, name, t.Name)
		}
	}
}

// inherited refuses a name or predicate that is declared twice in t's chain of supertypes.
func (c *checker) inherited(t *Type, path string) {
	owner := map[*Property]*Type{}
	for _, super := range c.s.Supertypes(t) {
		for _, p := range super.Properties {
			owner[p] = super
		}
	}
	all := c.s.PropertiesOf(t)
	if len(all) > maxProperties {
		c.report(path+".properties", fault.MaxCount, nil, maxProperties, "the type has more than %d properties, inherited ones included; split it", maxProperties)
		return
	}
	for _, p := range all {
		byName, byIRI := c.s.Property(t, p.Name), c.s.PropertyByIRI(t, p.IRI)
		switch {
		case c.s.inheritsBoth(t, p, byName) || byName == p && c.s.inheritsBoth(t, p, byIRI):
			// reported for the supertype itself
		case byName != p:
			switch {
			case owner[byName] == nil:
				c.report(path+".properties."+p.Name, fault.Unique, p.Name, nil, "the property is declared twice; merge the two")
			case owner[p] == nil:
				c.report(path+".properties."+p.Name, fault.Unique, p.Name, nil, "%s inherits %s from %s; rename it or drop it here", t.Name, p.Name, owner[byName].Name)
			default:
				c.report(path+".extends", fault.Unique, p.Name, nil, "%s would inherit %s from both %s and %s; rename one", t.Name, p.Name, owner[byName].Name, owner[p].Name)
			}
		case byIRI != p:
			c.report(path+".properties."+p.Name, fault.Unique, string(p.IRI), nil, "%s and %s have the same predicate %s; give one another", byIRI.Name, p.Name, p.IRI)
		}
	}
}

// inheritsBoth reports whether properties a and b are inherited from one supertype.
func (s *Schema) inheritsBoth(t *Type, a, b *Property) bool {
	return a != b && slices.ContainsFunc(s.Supertypes(t), func(super *Type) bool {
		all := s.PropertiesOf(super)
		return slices.Contains(all, a) && slices.Contains(all, b)
	})
}

func (c *checker) label(t *Type, path string) {
	if t.Label == "" {
		return
	}
	if p := c.named(t, path+".label", t.Label); p != nil && p.isReference() {
		c.report(path+".label", fault.Datatype, t.Label, nil, "%s is a reference; a label is text that people read", t.Label)
	}
}

func (c *checker) key(t *Type, path string) {
	path += ".key"
	for i, name := range t.Key {
		if slices.Contains(t.Key[:i], name) {
			c.report(path, fault.Unique, name, nil, "%s is listed twice", name)
			continue
		}
		p := c.named(t, path, name)
		if p != nil && !p.Required() {
			c.report(path, fault.Required, name, nil, "the key property %s must be required; add required: true", name)
		}
		if p != nil && p.Datatype == wordVector {
			c.report(path, fault.Datatype, name, nil, "%s is a vector, which cannot identify an entity", name)
		}
		if p != nil && p.IsLang() {
			c.report(path, fault.Datatype, name, nil, "%s is text with a language, which cannot identify an entity: an id has no language", name)
		}
	}
}

func (c *checker) unique(t *Type, path string) {
	path += ".unique"
	for i, group := range t.Unique {
		if i > 0 && slices.Equal(group, t.Unique[i-1]) {
			c.report(path, fault.Unique, group, nil, "the group %s is listed twice", strings.Join(group, ", "))
		}
		if len(group) < 2 {
			c.report(path, fault.MinCount, group, 2, "a group has two or more properties; for one, write unique: true on the property")
		}
		for j, name := range group {
			if slices.Contains(group[:j], name) {
				c.report(path, fault.Unique, name, nil, "%s is listed twice in one group", name)
			}
			c.named(t, path, name)
		}
	}
}

// named returns t's single-valued property with this name, or reports that there is none.
func (c *checker) named(t *Type, path, name string) *Property {
	p := c.s.Property(t, name)
	switch {
	case p == nil:
		c.report(path, fault.Class, name, nil, "%s has no property %q%s", t.Name, name, didYouMean(name, propertyNames(c.s.PropertiesOf(t))))
	case p.Many():
		c.report(path, fault.MaxCount, name, 1, "%s takes many values; only a single-valued property can stand here", name)
	}
	return p
}

func propertyNames(properties []*Property) []string {
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.Name
	}
	return names
}

var mints = []string{string(MintUUIDv7), string(MintContent), string(MintKey), string(MintPreserve)}

func (c *checker) mint(t *Type, path string) {
	path += ".iri"
	switch {
	case t.Mint != "" && !slices.Contains(mints, string(t.Mint)):
		c.report(path, fault.OneOf, string(t.Mint), mints, "%q is no way to mint IRIs%s (for the class's own IRI write rdf_type)", t.Mint, didYouMean(string(t.Mint), mints))
	case c.s.MintOf(t) == MintKey && len(c.s.KeyOf(t)) == 0:
		c.report(path, fault.Required, string(MintKey), nil, "iri: key needs a key; name the properties with key: […]")
	}
}
