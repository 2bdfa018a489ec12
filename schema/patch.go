package schema

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"trails/fault"
)

// Patched is a schema after a patch.
type Patched struct {
	// Schema is the schema that the steps lead to.
	Schema *Schema
	// Renamed is the schema before the patch, with its types and properties at the same indexes but with their new
	// names; removed ones keep their names. It is the schema itself if nothing is renamed.
	Renamed *Schema
	// Idle are the steps, or parts of steps, without an effect.
	Idle []Idle
}

// patchWord is the first word of a step.
type patchWord struct {
	word, example string
	// lists means that names follow, one or a list; otherwise it is a mapping by name.
	lists bool
	take  func(p *patcher, name string, value *yaml.Node)
}

var patchWords = []patchWord{
	{word: "add_type", example: "add_type: {Task: {label: title, properties: {title: {type: string, required: true}}}}", take: (*patcher).addType},
	{word: "alter_type", example: "alter_type: {Task: {label: title, key: null}}", take: (*patcher).alterType},
	{word: "drop_type", example: "drop_type: Task", lists: true, take: (*patcher).dropType},
	{word: "rename_type", example: "rename_type: {Task: Job}", take: (*patcher).renameType},
	{word: "add_property", example: "add_property: {Task.due: date}", take: (*patcher).addProperty},
	{word: "alter_property", example: "alter_property: {Task.state: {one_of: [open, done], default: null}}", take: (*patcher).alterProperty},
	{word: "drop_property", example: "drop_property: Task.due", lists: true, take: (*patcher).dropProperty},
	{word: "rename_property", example: "rename_property: {Task.due: deadline}", take: (*patcher).renameProperty},
	{word: "move_before", example: "move_before: {Task.due: title}", take: (*patcher).moveBefore},
	{word: "prefixes", example: `prefixes: {ex: "http://example.org/", old: null}`, take: (*patcher).prefix},
}

// Patch returns the schema after the steps of a patch in YAML: a list, each member one of
//
//	add_type: {Task: {label: title, properties: {title: string}}}
//	alter_type: {Task: {key: [title], label: null}}
//	drop_type: [Task, Note]
//	rename_type: {Task: Job}
//	add_property: {Task.due: date}
//	alter_property: {Task.state: {one_of: [open, done], default: null}}
//	drop_property: Task.due
//	rename_property: {Task.due: deadline}
//	move_before: {Task.due: title}
//	prefixes: {ex: "http://example.org/"}
//
// Types and properties are in the words of [ParseYAML]. Altering sets the given keys, and removes those that are
// null. Steps are applied in order, and the schema must be valid after the last one. Text that is not YAML is
// fault.Malformed; one over 1 MiB, or one that makes a schema over 1 MiB, is fault.TooLarge. All invalid steps, and
// all errors of the resulting schema, are returned at once as fault.InvalidData, with "step N", counted from 1, as
// Source.
func (s *Schema) Patch(src []byte) (Patched, error) {
	steps, err := parseDocument("patch", src)
	if err != nil {
		return Patched{}, err
	}
	list := steps.Content
	if steps.Kind == yaml.MappingNode {
		list = []*yaml.Node{steps} // a single step need not be in a list
	} else if steps.Kind != yaml.SequenceNode {
		return Patched{}, fault.New(fault.Malformed, "the patch must be a list of steps, such as - %s", patchWords[0].example)
	}
	was := s.YAML()
	p, err := newPatcher(s, was)
	if err != nil {
		return Patched{}, err
	}
	for i, step := range list {
		p.takeStep(i+1, step)
	}
	p.noteNames()
	after := p.schema(p.root, s.Base)
	if problems := append(p.problems, after.check(p.source)...); len(problems) > 0 {
		for i := range problems {
			p.attribute(&problems[i])
		}
		return Patched{}, fault.Invalid(problems)
	}
	if size := len(after.YAML()); size > maxSource && size > len(was) {
		return Patched{}, fault.New(fault.TooLarge, "the schema would have %d bytes of YAML; at most %d are allowed", size, maxSource)
	}
	patched := Patched{Schema: after}
	if patched.Renamed, err = p.renamed(was); err != nil {
		return Patched{}, err
	}
	patched.Idle = p.idle(patched.Steps(s), after)
	return patched, nil
}

// patcher applies the steps of a patch to the schema as a YAML tree, in which the line of a node is the number of the
// step that set it, 0 for the original.
type patcher struct {
	*decoder
	head *Schema
	root *yaml.Node
	// keys maps nodes of the tree to original names.
	keys map[*yaml.Node]origin
	// about maps the name of a type or property to the last step about it.
	about map[string]int
	// gone maps removed names to the step that removed them.
	gone map[string]int
	// touched is what the steps are about.
	touched []touch

	step int
	word patchWord
	same bool // the step sets what is already set
}

// origin is the original name of a type or property.
type origin struct{ typ, property string }

func newPatcher(head *Schema, text []byte) (*patcher, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read the schema that was written: %w", err)
	}
	p := &patcher{
		decoder: &decoder{place: "step %d", lines: map[string]int{}},
		head:    head, root: document.Content[0],
		keys: map[*yaml.Node]origin{}, about: map[string]int{}, gone: map[string]int{},
	}
	place(p.root, 0)
	for key, t := range pairs(member(p.root, "types")) {
		p.keys[key] = origin{typ: key.Value}
		for property := range pairs(member(t, "properties")) {
			p.keys[property] = origin{key.Value, property.Value}
		}
	}
	return p, nil
}

// place marks a node and its content as set by a step.
func place(n *yaml.Node, step int) {
	n.Line = step
	for _, child := range n.Content {
		place(child, step)
	}
}

func (p *patcher) takeStep(number int, n *yaml.Node) {
	place(n, number)
	p.step, p.word = number, patchWord{}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		p.refuse("", fault.Datatype, "a step is one word and what it is about, such as %s", patchWords[4].example)
		return
	}
	word, about := n.Content[0].Value, n.Content[1]
	i := slices.IndexFunc(patchWords, func(w patchWord) bool { return w.word == word })
	if i < 0 {
		p.refuse("", fault.Closed, "there is no step %q%s", word, didYouMean(word, stepWords()))
		return
	}
	p.word = patchWords[i]
	switch {
	case p.word.lists && about.Kind != yaml.MappingNode && about.Tag != tagNull:
		for _, name := range p.list(word, about) {
			p.take(name, nil)
		}
	case p.word.word == "add_type" && misshapen(about):
		p.refuse("", fault.Datatype, "write it as %s", p.word.example)
	case !p.word.lists && about.Kind == yaml.MappingNode && len(about.Content) > 0:
		for name, value := range p.members(word, about, nil) {
			p.take(name, value)
		}
	default:
		p.refuse("", fault.Datatype, "write it as %s", p.word.example)
	}
}

// misshapen reports that types are not mappings by name, or the properties of one are not, as in
// {name: Task, properties: [title]}.
func misshapen(types *yaml.Node) bool {
	for i := 1; i < len(types.Content); i += 2 {
		t := types.Content[i]
		properties := member(t, "properties")
		if t.Kind != yaml.MappingNode && t.Tag != tagNull || properties != nil && properties.Kind != yaml.MappingNode && properties.Tag != tagNull {
			return true
		}
	}
	return false
}

func (p *patcher) take(name string, value *yaml.Node) {
	p.same = false
	p.word.take(p, name, value)
	p.touch(name, value)
	for part := range strings.SplitSeq(name, ".") {
		p.about[part] = p.step
	}
}

func stepWords() []string {
	words := make([]string, len(patchWords))
	for i, w := range patchWords {
		words[i] = w.word
	}
	return words
}

// refuse reports an error of the step about name.
func (p *patcher) refuse(name string, code fault.Code, format string, args ...any) {
	about := strings.TrimSpace(p.word.word + " " + name)
	message := fmt.Sprintf(format, args...)
	if about != "" {
		message = about + ": " + message
	}
	f := fault.FieldError{Field: about, Code: code, Message: message, Source: fmt.Sprintf(p.place, p.step)}
	if name != "" {
		f.Value = name
	}
	p.problems = append(p.problems, f)
}

// attribute assigns an error of the resulting schema to the step that causes it.
func (p *patcher) attribute(f *fault.FieldError) {
	name, _ := f.Value.(string)
	if step := p.gone[name]; f.Code == fault.Class && step > 0 {
		f.Message = fmt.Sprintf("%s: it names %s, which step %d takes away; put before it - %s", f.Field, name, step, p.letGo(strings.Split(f.Field, ".")))
		f.Source = fmt.Sprintf(p.place, step)
	}
	if f.Source != "" {
		return
	}
	names := strings.Split(f.Field, ".")
	for _, name := range append(names, name) {
		if step := p.about[name]; step > 0 {
			f.Source = fmt.Sprintf(p.place, step)
		}
	}
}

// letGo is a step that makes a place of the schema stop referring to what later steps remove.
func (p *patcher) letGo(path []string) string {
	if len(path) > 4 { // types.Task.properties.owner.class
		return fmt.Sprintf("alter_property: {%s.%s: {class: null, type: %s}}", path[1], path[3], wordIRI)
	}
	t, word := member(branch(p.root, "types"), path[1]), path[2]
	words := word + ": null"
	switch is := member(t, word); {
	case word == "key" && member(t, "iri") != nil:
		words += ", iri: null"
	case is != nil && is.Kind == yaml.SequenceNode:
		var left []string
		for _, one := range is.Content {
			var names []string // of a group, or the one
			rewrite(one, func(name string) string { names = append(names, name); return name })
			text := strings.Join(names, ", ")
			if one.Kind == yaml.SequenceNode {
				text = "[" + text + "]"
			}
			if !slices.ContainsFunc(names, func(name string) bool { return p.gone[name] > 0 }) {
				left = append(left, text)
			}
		}
		if len(left) > 0 {
			words = fmt.Sprintf("%s: [%s]", word, strings.Join(left, ", "))
		}
	}
	return fmt.Sprintf("alter_type: {%s: {%s}}", path[1], words)
}

func (p *patcher) addType(name string, value *yaml.Node) {
	types := branch(p.root, "types")
	if i := index(types, name); i >= 0 {
		p.refuse(name, fault.Unique, "there is a type %s already; take alter_type, add_property or another name", name)
		return
	}
	insert(types, name, value, p.step)
}

// typeNamed returns the index of a type among all types; it reports an unknown one.
func (p *patcher) typeNamed(name string) (types *yaml.Node, at int) {
	types = branch(p.root, "types")
	if at = index(types, name); at < 0 {
		p.refuse(name, fault.Class, "there is no type %q%s", name, didYouMean(name, keysOf(types)))
		return types, at
	}
	types.Content[at].Line = p.step
	return types, at
}

func (p *patcher) alterType(name string, value *yaml.Node) {
	types, at := p.typeNamed(name)
	if at < 0 {
		return
	}
	words := slices.DeleteFunc(slices.Clone(typeKeys), func(word string) bool { return word == "properties" })
	if member(value, "properties") != nil {
		p.refuse(name, fault.Closed, "properties have steps of their own: add_property, alter_property, drop_property")
		return
	}
	p.alter(mappingAt(types, at), "types."+name, value, words)
}

func (p *patcher) dropType(name string, _ *yaml.Node) {
	if types, at := p.typeNamed(name); at >= 0 {
		types.Content = slices.Delete(types.Content, at, at+2)
		p.gone[name] = p.step
	}
}

// renameType renames a type, and all references to it. Its nodes keep their IRIs.
func (p *patcher) renameType(name string, value *yaml.Node) {
	types, at := p.typeNamed(name)
	now := p.text(p.word.word+"."+name, value)
	if at < 0 || now == "" || now == name {
		return
	}
	key := types.Content[at]
	switch was := p.keys[key].typ; {
	case index(types, now) >= 0:
		p.refuse(name, fault.Unique, "there is a type %s already", now)
		return
	case was != "" && was != now && p.head.Type(now) != nil:
		p.refuse(name, fault.Unique, "%s is there until this patch is applied; rename in the patch or the migration after it", now)
		return
	}
	p.about[now] = p.step
	renameType(types, at, now)
}

func renameType(types *yaml.Node, at int, now string) {
	key, t := types.Content[at], mappingAt(types, at)
	was := key.Value
	key.Value = now
	ids := was
	if n := member(t, "ids"); n != nil {
		ids = n.Value
	}
	remove(t, "ids")
	if ids != now {
		insert(t, "ids", textNode(ids), key.Line)
	}
	for _, t := range pairs(types) {
		rewrite(member(t, "extends"), func(name string) string { return other(name, was, now) })
		for _, property := range pairs(member(t, "properties")) {
			class, word := member(property, "class"), member(property, "type")
			rewrite(class, func(name string) string { return other(name, was, now) })
			if class == nil && (word == nil || word.Value != wordIRI) {
				continue // its values are no references
			}
			for _, key := range []string{"one_of", "has_value", "default"} {
				rewrite(member(property, key), func(ref string) string {
					if id, ok := strings.CutPrefix(ref, was+"/"); ok {
						return now + "/" + id
					}
					return ref
				})
			}
		}
	}
}

// propertyNamed returns a type's own properties and the index of one; it reports an unknown one.
func (p *patcher) propertyNamed(path string) (typeName string, properties *yaml.Node, at int) {
	typeName, name, t := p.owner(path)
	if t == nil {
		return typeName, nil, -1
	}
	properties = branch(t, "properties")
	if at = index(properties, name); at >= 0 {
		properties.Content[at].Line = p.step
		return typeName, properties, at
	}
	problem := fmt.Sprintf("%s has no property %q", typeName, name)
	if own := p.head.Type(typeName); own != nil && p.head.Property(own, name) != nil {
		for _, super := range p.head.Supertypes(own) {
			if slices.ContainsFunc(super.Properties, func(q *Property) bool { return q.Name == name }) {
				problem = fmt.Sprintf("%s inherits it; change %s.%s", typeName, super.Name, name)
			}
		}
	} else {
		problem += didYouMean(name, keysOf(properties))
	}
	p.refuse(path, fault.Class, "%s", problem)
	return typeName, properties, at
}

// owner reads Type.property, and returns the type's tree; nil when there is none.
func (p *patcher) owner(path string) (typeName, name string, t *yaml.Node) {
	typeName, name, ok := strings.Cut(path, ".")
	if !ok || name == "" {
		p.refuse(path, fault.Pattern, "a property is named with its type: %s", p.word.example)
		return "", "", nil
	}
	types, at := p.typeNamed(typeName)
	if at < 0 {
		return "", "", nil
	}
	return typeName, name, mappingAt(types, at)
}

func (p *patcher) addProperty(path string, value *yaml.Node) {
	typeName, name, t := p.owner(path)
	if t == nil {
		return
	}
	properties := branch(t, "properties")
	if index(properties, name) >= 0 {
		p.refuse(path, fault.Unique, "%s has a property %s already; take alter_property or another name", typeName, name)
		return
	}
	insert(properties, name, value, p.step)
}

// twinWords are pairs of keys that express the same.
var twinWords = [][2]string{{"type", "class"}, {"required", "min_count"}, {"many", "max_count"}}

// alterProperty sets and removes keys of a property. A key replaces its twin.
func (p *patcher) alterProperty(path string, value *yaml.Node) {
	typeName, properties, at := p.propertyNamed(path)
	if at < 0 {
		return
	}
	if value.Kind == yaml.ScalarNode && value.Tag != tagNull {
		value = &yaml.Node{Kind: yaml.MappingNode, Line: p.step, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "type", Line: p.step}, value}}
	}
	property := mappingAt(properties, at)
	words := len(property.Content)
	for _, twins := range twinWords {
		for i, word := range twins {
			if member(value, word) != nil && member(value, twins[1-i]) == nil {
				remove(property, twins[1-i])
			}
		}
	}
	twinGone := len(property.Content) < words
	p.alter(property, "types."+typeName+".properties."+properties.Content[at].Value, value, keyNames)
	p.same = p.same && !twinGone
}

// alter sets the keys of n that value has, and removes those that are null in it.
func (p *patcher) alter(n *yaml.Node, path string, value *yaml.Node, words []string) {
	if value.Kind != yaml.MappingNode || len(value.Content) == 0 {
		p.refuse(strings.TrimPrefix(path, "types."), fault.Datatype, "say what to alter, such as %s", p.word.example)
		return
	}
	p.same = true
	for word, v := range p.members(path, value, words) {
		p.same = p.same && says(n, word, v)
		remove(n, word)
		if v.Tag != tagNull {
			insert(n, word, v, p.step)
		}
	}
}

func (p *patcher) dropProperty(path string, _ *yaml.Node) {
	if _, properties, at := p.propertyNamed(path); at >= 0 {
		p.gone[properties.Content[at].Value] = p.step
		properties.Content = slices.Delete(properties.Content, at, at+2)
	}
}

// renameProperty renames a property, and the references of its type and subtypes to it.
func (p *patcher) renameProperty(path string, value *yaml.Node) {
	typeName, properties, at := p.propertyNamed(path)
	now := strings.TrimPrefix(p.text(p.word.word+"."+path, value), typeName+".")
	if at < 0 || now == "" || now == properties.Content[at].Value {
		return
	}
	from := p.keys[properties.Content[at]]
	own := p.head.Type(from.typ)
	switch {
	case index(properties, now) >= 0:
		p.refuse(path, fault.Unique, "%s has a property %s already", typeName, now)
		return
	case own != nil && from.property != now && p.head.Property(own, now) != nil:
		p.refuse(path, fault.Unique, "%s.%s is there until this patch is applied; rename in the patch or the migration after it", own.Name, now)
		return
	}
	p.about[now] = p.step
	renameProperty(branch(p.root, "types"), typeName, properties.Content[at], now)
}

func renameProperty(types *yaml.Node, typeName string, key *yaml.Node, now string) {
	was := key.Value
	key.Value = now
	family := map[string]bool{typeName: true}
	for size := 0; size < len(family); {
		size = len(family)
		for key, t := range pairs(types) {
			rewrite(member(t, "extends"), func(super string) string {
				if family[super] {
					family[key.Value] = true
				}
				return super
			})
		}
	}
	for key, t := range pairs(types) {
		for _, word := range []string{"label", "key", "unique"} {
			if family[key.Value] {
				rewrite(member(t, word), func(name string) string { return other(name, was, now) })
			}
		}
	}
}

// moveBefore moves a type before another, or a property before another one of its type.
func (p *patcher) moveBefore(path string, value *yaml.Node) {
	before := p.text(p.word.word+"."+path, value)
	var among *yaml.Node
	var at int
	if typeName, _, ok := strings.Cut(path, "."); ok {
		_, among, at = p.propertyNamed(path)
		before = strings.TrimPrefix(before, typeName+".")
	} else {
		among, at = p.typeNamed(path)
	}
	if at < 0 || before == "" {
		return
	}
	if index(among, before) < 0 {
		p.refuse(path, fault.Class, "there is no %q to move it before%s", before, didYouMean(before, keysOf(among)))
		return
	}
	moved := slices.Clone(among.Content[at : at+2])
	if p.same = moved[0].Value == before || index(among, before) == at+2; p.same {
		return
	}
	among.Content = slices.Delete(among.Content, at, at+2)
	among.Content = slices.Insert(among.Content, index(among, before), moved...)
}

func (p *patcher) prefix(name string, value *yaml.Node) {
	prefixes := branch(p.root, "prefixes")
	if index(prefixes, name) < 0 && value.Tag == tagNull {
		p.refuse(name, fault.Class, "there is no prefix %q%s", name, didYouMean(name, keysOf(prefixes)))
		return
	}
	p.same = says(prefixes, name, value)
	remove(prefixes, name)
	if value.Tag != tagNull {
		insert(prefixes, name, value, p.step)
	}
}

// noteNames records the former names of renamed properties.
func (p *patcher) noteNames() {
	for _, t := range pairs(branch(p.root, "types")) {
		properties := member(t, "properties")
		for i, name := range keysOf(properties) {
			if from := p.keys[properties.Content[2*i]].property; from != "" && from != name {
				noteName(properties, 2*i, from, p.step)
			}
		}
	}
}

// namesOnce are the former names of a property, if it was called from before: a name used again starts a new list.
func namesOnce(names []string, from, now string) []string {
	if at := slices.Index(names, now); at >= 0 {
		return names[:at:at]
	}
	if slices.Contains(names, from) {
		return names
	}
	return append(slices.Clip(names), from)
}

// noteName adds a name to those that the property at i had.
func noteName(properties *yaml.Node, i int, from string, step int) {
	property := mappingAt(properties, i)
	var names []string
	rewrite(member(property, "was"), func(name string) string {
		names = append(names, name)
		return name
	})
	names = namesOnce(names, from, properties.Content[i].Value)
	remove(property, "was")
	if len(names) > 0 {
		insert(property, "was", nameList(names), step)
	}
}

// renamed is the original schema with the new names of its types and properties.
func (p *patcher) renamed(text []byte) (*Schema, error) {
	fresh, err := newPatcher(p.head, text)
	if err != nil {
		return nil, err
	}
	names := make(map[origin]string, len(p.keys))
	types := branch(p.root, "types")
	for key, t := range pairs(types) {
		names[p.keys[key]] = key.Value
		for property := range pairs(member(t, "properties")) {
			names[p.keys[property]] = property.Value
		}
	}
	changed := false
	types = branch(fresh.root, "types")
	for i := 0; i < len(types.Content); i += 2 {
		of := types.Content[i].Value
		properties := member(types.Content[i+1], "properties")
		for j, name := range keysOf(properties) {
			if now := names[origin{of, name}]; now != "" && now != name {
				renameProperty(types, of, properties.Content[2*j], now)
				noteName(properties, 2*j, name, 0)
				changed = true
			}
		}
	}
	for i := 0; i < len(types.Content); i += 2 {
		if now := names[origin{typ: fresh.keys[types.Content[i]].typ}]; now != "" && now != types.Content[i].Value {
			renameType(types, i, now)
			changed = true
		}
	}
	if !changed {
		return p.head, nil
	}
	s := fresh.schema(fresh.root, p.head.Base)
	if problems := append(fresh.problems, s.check(nil)...); len(problems) > 0 {
		for i := range problems {
			p.attribute(&problems[i])
			problems[i].Message = fault.Add(problems[i].Message, "; what stands against a new name goes in the patch before")
		}
		return nil, fault.Invalid(problems)
	}
	s.foreign = p.head.foreign
	return s, nil
}
