package kg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/stored"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/schema"
	"trails/text/quote"
)

// QueryText is the text of a stored query, not yet parsed.
type QueryText struct {
	// Name is its id, unless the text has another, and identifies it in errors.
	Name, Text string
}

// QueryChange is a request to store queries, replacing those with the same ids, and to remove others.
type QueryChange struct {
	Add    []QueryText
	Remove []string
	// Check, when set, refuses for reasons unknown to the graph, such as the name of a tool.
	Check func([]*stored.Query) error
	// Set carries all but the edits.
	Set ChangeSet
}

// Stored returns the stored queries in the order of their ids.
func (s *Snapshot) Stored() []stored.Kept { return s.compiled.stored }

// ChangeQueries stores and removes queries as one commit: all of them or, when one is
// wrong, none. It returns those that it stored.
func (s *Session) ChangeQueries(ctx context.Context, c QueryChange) ([]*stored.Query, Result, error) {
	var spool change.Spool
	defer spool.Close()
	var added []*stored.Query
	prepare := func(ctx context.Context, _ *db.Writer, before *compiled) error {
		var problems []fault.FieldError
		var err error
		if added, problems, err = readQueries(ctx, c.Add, before.checker()); err != nil {
			return err
		}
		texts, names := map[string]string{}, map[string]string{}
		for _, k := range before.stored {
			texts[k.ID] = k.Text
			replaced := slices.ContainsFunc(added, func(q *stored.Query) bool { return q.ID == k.ID })
			if k.Err == nil && !replaced && !slices.Contains(c.Remove, k.ID) {
				names[capability.ToolName(k.Query.Capability())] = k.ID
			}
		}
		for _, q := range added {
			name := capability.ToolName(q.Capability())
			if other, taken := names[name]; taken {
				problems = append(problems, fault.FieldError{Field: "id", Code: fault.Unique, Value: q.Capability(), Source: q.ID,
					Message: fmt.Sprintf("id: %s would have the tool name %s, which the stored query %s has; rename one", q.ID, name, other)})
			}
			names[name] = q.ID
		}
		for _, id := range c.Remove {
			if _, there := texts[id]; !there {
				problems = append(problems, fault.FieldError{Field: "names", Code: fault.HasValue, Value: id,
					Message: fmt.Sprintf("there is no stored query %q%s", id, fault.DidYouMean(id, idsOf(before.stored)))})
			}
		}
		if len(problems) > 0 {
			return fault.Invalid(problems)
		}
		if c.Check != nil {
			if err := c.Check(added); err != nil {
				return err
			}
		}
		for _, id := range c.Remove {
			if err := editQuery(&spool, id, texts[id], ""); err != nil {
				return err
			}
		}
		for _, q := range added {
			if err := editQuery(&spool, q.ID, texts[q.ID], q.Text); err != nil {
				return err
			}
		}
		return nil
	}
	result, err := s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: c.Set, prepare: prepare})
	return added, result, err
}

// editQuery replaces one text by another; "" is none.
func editQuery(spool *change.Spool, id, was, text string) error {
	if was != "" && was != text {
		if err := editQuads(spool, change.Retract, stored.QuadsOf(id, was)...); err != nil {
			return err
		}
	}
	if text == "" {
		return nil
	}
	return editQuads(spool, change.Assert, stored.QuadsOf(id, text)...)
}

// carryQueries makes edits of what a change of the schema does to the stored queries.
func carryQueries(ctx context.Context, spool *change.Spool, kept []stored.Kept, head *schema.Schema, patched schema.Patched) ([]stored.Carried, error) {
	carried, err := stored.Carry(ctx, kept, head, patched)
	if err != nil {
		return nil, err
	}
	for _, one := range carried {
		if one.Text != one.Was {
			if err := editQuery(spool, one.ID, one.Was, one.Text); err != nil {
				return nil, err
			}
		}
	}
	return carried, nil
}

// breaks is the refusal of a schema change that breaks stored queries; otherwise says what can be done besides
// changing them.
func breaks(fields []fault.FieldError, otherwise string) error {
	for i := range fields {
		fields[i].Message = fault.Add(fields[i].Message, "; correct or remove the stored query first"+otherwise)
	}
	return fault.Invalid(fields)
}

// broken is all that breaks in stored queries.
func broken(all []stored.Carried) (fields []fault.FieldError) {
	for _, one := range all {
		fields = append(fields, one.Broken...)
	}
	return fields
}

// readQueries parses texts under a schema and checks them. Every problem has the name of its text.
func readQueries(ctx context.Context, texts []QueryText, c stored.Checker) (all []*stored.Query, problems []fault.FieldError, err error) {
	from := map[string]string{}
	for i, t := range texts {
		name := t.Name
		if name == "" {
			name = fmt.Sprintf("queries[%d]", i)
		}
		q, err := stored.Parse(t.Text, t.Name, c.Schema)
		if err == nil {
			err = searchesOf(q, c.Schema)
		}
		var fields []fault.FieldError
		if err != nil {
			if fields = fault.Of(err).Fields; len(fields) == 0 {
				fields = []fault.FieldError{{Field: "query", Code: fault.Shape, Message: fault.Of(err).Message}}
			}
		} else if fields, err = c.Refused(ctx, q); err != nil {
			return nil, nil, err
		}
		for _, f := range fields {
			f.Source = strings.TrimSuffix(name+", "+f.Source, ", ")
			problems = append(problems, f)
		}
		if len(fields) > 0 {
			continue
		}
		if other, taken := from[q.ID]; taken {
			problems = append(problems, fault.FieldError{Field: "id", Code: fault.Unique, Value: q.ID, Source: name,
				Message: fmt.Sprintf("id: %s is the name of %s, too; rename one", q.ID, other)})
			continue
		}
		from[q.ID] = name
		all = append(all, q)
	}
	return all, problems, nil
}

func idsOf(kept []stored.Kept) []string {
	ids := make([]string, len(kept))
	for i, k := range kept {
		ids[i] = k.ID
	}
	return ids
}

// maxBroken is how many stored queries that do not fit the schema any more are named.
const maxBroken = 5

// unfit tells which stored queries read what the schema had before and has not now, or has by another name: a merge may bring
// the schema from one side and leave the query as the other has it.
func unfit(ctx context.Context, before, now *compiled) (sentences []string, err error) {
	carried, err := stored.Carry(ctx, now.stored, before.schema, before.schema.Towards(now.schema))
	for _, one := range carried {
		problem := "it reads names that are others now"
		if len(one.Broken) > 0 {
			problem = quote.Line(one.Broken[0].Message, maxSaid)
		}
		if len(sentences) == maxBroken {
			return append(sentences, "so it is with further stored queries; doctor names them all"), err
		}
		sentences = append(sentences, fmt.Sprintf("the stored query %s does not fit the schema any more: %s; store it anew, or change the schema", one.ID, problem))
	}
	return sentences, err
}
