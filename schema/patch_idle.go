package schema

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Idle is a step of a patch that has no effect.
type Idle struct {
	// Step is the number of the step, from 1. Part means that another part of it has an effect.
	Step int
	Part bool
	// Word and Name identify it, such as alter_property and Task.due.
	Word, Name string
	// Why explains it to a person.
	Why string
}

// touch is what a step is about, by current names.
type touch struct {
	step                int
	word, typ, property string
	words               []string // the altered keys
	same                bool     // it sets what is already set
}

// touch records what the step is about. Earlier steps with the old name get the new one.
func (p *patcher) touch(name string, value *yaml.Node) {
	typ, property, _ := strings.Cut(name, ".")
	t := touch{step: p.step, word: p.word.word, typ: typ, property: property, same: p.same}
	switch t.word {
	case "prefixes":
		t.typ, t.property = name, ""
	case "alter_type", "alter_property":
		if t.words = keysOf(value); value.Kind == yaml.ScalarNode {
			t.words = []string{"type"}
		}
		for _, twins := range twinWords {
			if slices.Contains(t.words, twins[0]) || slices.Contains(t.words, twins[1]) {
				t.words = append(t.words, twins[0], twins[1])
			}
		}
	}
	p.touched = append(p.touched, t)
	for i := range p.touched {
		switch t := &p.touched[i]; {
		case t.word == "prefixes":
		case p.word.word == "rename_type" && t.typ == typ:
			t.typ = value.Value
		case p.word.word == "rename_property" && t.typ == typ && t.property == property:
			t.property = strings.TrimPrefix(value.Value, typ+".")
		}
	}
}

// says reports whether a mapping has this value for a key, or no such key if the value is null.
func says(n *yaml.Node, key string, value *yaml.Node) bool {
	is := member(n, key)
	if is == nil || value.Tag == tagNull {
		return is == nil && value.Tag == tagNull
	}
	return sameTree(is, value)
}

func sameTree(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.Tag == b.Tag && slices.EqualFunc(a.Content, b.Content, sameTree)
}

// shows reports whether a difference may result from the step.
func (t touch) shows(st Step) bool {
	if t.word == "prefixes" {
		from, to := st.From, st.To
		before, isPrefixes := from.(map[string]string)
		if !isPrefixes {
			return false
		}
		was, had := before[t.typ]
		is, has := to.(map[string]string)[t.typ]
		return was != is || had != has
	}
	if t.word == "move_before" { // adding and removing changes the order, too
		if t.property == "" {
			return st.Kind == AddType || st.Kind == DropType || st.Kind == RenameType || st.Kind == ChangeOrder && st.Type == ""
		}
		return st.Type == t.typ && (st.Kind == AddType || st.Kind == AddProperty || st.Kind == DropProperty || st.Kind == ChangeOrder)
	}
	if st.Type != t.typ || st.Kind == ChangeOrder {
		return false
	}
	switch t.word {
	case "add_type", "drop_type":
		return true
	case "rename_type":
		return st.Kind == RenameType || st.Kind == AddType || st.Kind == DropType
	}
	if st.Kind == AddType || st.Kind == DropType {
		return true
	}
	if st.Property != t.property {
		return false
	}
	switch t.word {
	case "alter_type", "alter_property":
		return st.Kind == AddProperty || st.Kind == DropProperty || slices.Contains(t.words, st.What())
	}
	return true
}

// idle are the steps that cause no difference between the schemas.
func (p *patcher) idle(steps []Step, after *Schema) (idle []Idle) {
	about := map[int]int{}
	for _, t := range p.touched {
		about[t.step]++
		if !t.same && slices.ContainsFunc(steps, t.shows) {
			continue
		}
		name, there := t.typ, after.Type(t.typ) != nil
		if t.property != "" {
			name += "." + t.property
			there = there && after.Property(after.Type(t.typ), t.property) != nil
		}
		one := Idle{Step: t.step, Word: t.word, Name: name, Why: "it is so already"}
		if comesOrGoes := strings.HasPrefix(t.word, "add_") || strings.HasPrefix(t.word, "drop_"); comesOrGoes || !there && t.word != "prefixes" {
			one.Why = "another step takes it back"
		}
		idle = append(idle, one)
	}
	for i := range idle {
		about[idle[i].Step]--
	}
	for i := range idle {
		idle[i].Part = about[idle[i].Step] > 0
	}
	return idle
}

// String says what changes nothing, and why.
func (i Idle) String() string { return fmt.Sprintf("%s %s: %s", i.Word, i.Name, i.Why) }
