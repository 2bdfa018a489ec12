package admin

import (
	"strings"

	"trails/fault"
)

// mistake is the message of a mistake as a person reads it: the property that it begins with, or the several of a compound
// constraint, are called what people call them. Further names, such as those in what was advised, stay as they are.
func mistake(f fault.FieldError, called func(name string) string) string {
	before, rest := "", f.Message
	if after, named := strings.CutPrefix(rest, f.Node+": "); named && f.Node != "" {
		before, rest = f.Node+": ", after
	}
	names := strings.Split(f.Field, ",")
	rest, begins := strings.CutPrefix(rest, strings.Join(names, " and ")+" ")
	if !begins {
		return f.Message
	}
	for i, name := range names {
		names[i] = called(name)
	}
	return before + strings.Join(names, " and ") + " " + rest
}

// mistake is [mistake] where properties of any type may be meant.
func (p *palette) mistake(f fault.FieldError) string { return mistake(f, p.property) }

// mistakesIn are the messages of what is wrong with a call, in one line.
func mistakesIn(err error) string {
	var out []string
	for _, f := range fault.Of(err).Fields {
		out = append(out, f.Message)
	}
	return strings.Join(out, ". ")
}
