package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"trails/capability"
	"trails/invoke"
)

// listCapabilities prints all capabilities, tools first: the descriptors, or one line each.
func (p *program) listCapabilities(tools invoke.Tools) error {
	return p.print(slices.Concat(tools.Descriptors, tools.Helpers), func(w io.Writer) error {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, part := range []struct {
			name string
			list []capability.Descriptor
		}{{"CAPABILITY", tools.Descriptors}, {"\nHELPER", tools.Helpers}} {
			fmt.Fprintf(tw, "%s\tSCOPE\tDOES\n", part.name)
			for _, d := range part.list {
				fmt.Fprintf(tw, "%s\t%s\t%s\n", d.ID, d.PolicyRequired.Scope, firstSentence(d.Description))
			}
		}
		return tw.Flush()
	})
}

// firstSentence is the first sentence, for a list.
func firstSentence(s string) string {
	const most = 90
	s, _, _ = strings.Cut(line(s), ". ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return strings.TrimSuffix(s, ".")
}

// describe prints one capability: its descriptor, or a table of arguments.
func (p *program) describe(d capability.Descriptor) error {
	return p.print(d, func(w io.Writer) error {
		fmt.Fprintf(w, "%s %s\n%s\n\n", d.ID, d.Version, line(d.Description))
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "ARGUMENT\tTYPE\tMUST\tMEANING")
		for _, f := range d.InputShape.Fields {
			name := cmp.Or(f.NodeType, string(f.Type))
			if f.Many {
				name += ", repeated"
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", f.Name, name, constraints(f), line(f.Description))
		}
		return tw.Flush()
	})
}

// constraints describes the constraints of a field in a few words.
func constraints(f capability.Field) string {
	var must []string
	if f.Required {
		must = append(must, "be given")
	}
	if len(f.OneOf) > 0 {
		words := make([]string, len(f.OneOf))
		for i, v := range f.OneOf {
			words[i] = fmt.Sprint(v)
		}
		must = append(must, "be one of "+strings.Join(words, "|"))
	}
	if f.Pattern != "" {
		must = append(must, "match "+f.Pattern)
	}
	must = appendBounds(must, "have length", f.MinLength, f.MaxLength)
	must = appendBounds(must, "be given times", f.MinCount, f.MaxCount)
	if f.MinValue != nil {
		must = append(must, fmt.Sprintf("be ≥ %v", f.MinValue))
	}
	if f.MaxValue != nil {
		must = append(must, fmt.Sprintf("be ≤ %v", f.MaxValue))
	}
	if f.HasValue != nil {
		must = append(must, fmt.Sprintf("be %v", f.HasValue))
	}
	if f.Unique {
		must = append(must, "be unique")
	}
	if f.Nullable {
		must = append(must, "or be null")
	}
	return line(strings.Join(must, ", "))
}

func appendBounds(must []string, what string, least, most *int) []string {
	switch {
	case least != nil && most != nil:
		return append(must, fmt.Sprintf("%s %d to %d", what, *least, *most))
	case least != nil:
		return append(must, fmt.Sprintf("%s ≥ %d", what, *least))
	case most != nil:
		return append(must, fmt.Sprintf("%s ≤ %d", what, *most))
	}
	return must
}

// capabilityHistory prints the versions of one capability.
func (p *program) capabilityHistory(ctx context.Context, e *invoke.Engine, name string) error {
	res, err := e.Call(ctx, p.call("capability_history", arguments{"id": name}))
	if err != nil {
		return err
	}
	var h struct {
		ID       string
		Version  *string
		Versions []struct {
			Version, Part, Time, Author, Program string
			Changes                              []struct{ Field, What, Part string }
		}
	}
	if err := json.Unmarshal(res.Structured, &h); err != nil {
		return fmt.Errorf("read the versions of %s: %w", name, err)
	}
	return p.print(res.Structured, func(w io.Writer) error {
		if h.Version == nil {
			fmt.Fprintf(w, "%s is gone\n", line(h.ID))
		}
		for _, v := range h.Versions {
			by := "program " + v.Program
			if v.Author != "" {
				by = v.Author
			}
			fmt.Fprintf(w, "%s  %s  by %s  %s\n", line(v.Version), line(v.Time), line(by), line(v.Part))
			for _, c := range v.Changes {
				fmt.Fprintf(w, "  %s %s (%s)\n", line(c.Field), line(c.What), line(c.Part))
			}
		}
		return nil
	})
}
