package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// capabilityText returns the file of the capability.
func (c goCapability) capabilityText() string {
	imports := ""
	if slices.ContainsFunc(c.Members, func(m goMember) bool { return strings.Contains(m.Type, "json.Number") }) {
		imports = importJSON
	}
	if c.Writes {
		node := ""
		if c.Preserve {
			node = "ID: in.ID, "
		}
		return c.fill(writesText, "$Import", imports, "$Fields", c.fields(), "$Values", c.values(), "$Node", node)
	}
	return c.fill(readsText, "$Import", imports, "$Fields", c.fields(), "$Where", c.where())
}

// testText returns the file of the capability's test. It makes a call if the schema gives an example of one.
func (c goCapability) testText() string {
	if c.Example == "" {
		return c.fill(testText, "$Import", "", "$Call", "")
	}
	check := checkRead
	if c.Writes {
		check = checkWrite
	}
	call := c.fill(callText, "$Example", strconv.Quote(c.Example), "$Check", check)
	return c.fill(testText, "$Import", importJSON, "$Call", call)
}

// fill puts names of the capability, and pairs of a name and its text, into a text.
func (c goCapability) fill(text string, more ...string) string {
	return strings.NewReplacer(append([]string{
		"$Package", c.Package, "$File", c.File, "$In", c.In, "$Out", c.Out, "$Var", c.Var,
		"$ID", c.ID, "$Type", c.Type, "$Description", strconv.Quote(c.Description),
	}, more...)...).Replace(text)
}

// Parts of the texts that not all capabilities have. Each begins a line.
const (
	importJSON = `
	"encoding/json"`
	callText = `
	answer, err := call($Example)
	if err != nil {
		t.Fatal(err)
	}
	var out $Out
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		t.Fatal(err)
	}$Check`
	checkWrite = `
	if out.IRI == "" || out.Commit == nil {
		t.Errorf("nothing was made: %s", answer)
	}`
	checkRead = `
	if len(out.Nodes) > 0 || out.More {
		t.Errorf("nodes of a graph without any: %s", answer)
	}`
	listValue = `
	if len(in.$Go) > 0 {
		var all []any
		for _, v := range in.$Go {
			all = append(all, v)
		}
		values[$Name] = all
	}`
	optionalValue = `
	if in.$Go != nil {
		values[$Name] = *in.$Go
	}`
	requiredValue = `
	values[$Name] = in.$Go`
	whereText = `
	for _, has := range []struct {
		property string
		value    any
	}{$Rows
	} {
		path, wrong := r.Snapshot.PathOf(t, has.property)
		if wrong != nil {
			return out, fault.Argument(has.property, wrong.Code, has.value, wrong.Message)
		}
		condition, problems := r.Snapshot.ConditionOf(path, string(browse.OpIs), has.value)
		if len(problems) > 0 {
			return out, fault.Argument(has.property, problems[0].Code, has.value, problems[0].Message)
		}
		query.Where = append(query.Where, condition)
	}`
	whereRow = `
		{$Name, in.$Go},`
)

// fields returns the struct fields of the arguments, aligned as by gofmt.
func (c goCapability) fields() string {
	members := c.Members
	if c.Preserve {
		members = append([]goMember{{Go: "ID", Type: "string", Tag: "`json:\"id\" doc:\"The id of the new node.\"`"}}, members...)
	}
	if !c.Writes {
		members = append(slices.Clone(members), goMember{Go: "Limit", Type: "int", Tag: "`json:\"limit\" doc:\"How many at most.\" min:\"1\" max:\"1000\" default:\"20\"`"})
	}
	name, typ := 0, 0
	for _, m := range members {
		name, typ = max(name, len(m.Go)), max(typ, len(m.Type))
	}
	var b strings.Builder
	for _, m := range members {
		fmt.Fprintf(&b, "\n\t%-*s %-*s %s", name, m.Go, typ, m.Type, m.Tag)
	}
	return b.String()
}

// values returns the statements that take the values of the new node from the arguments.
func (c goCapability) values() string {
	var b strings.Builder
	for _, m := range c.Members {
		switch {
		case m.Many:
			b.WriteString(m.fill(listValue))
		case m.Pointer:
			b.WriteString(m.fill(optionalValue))
		default:
			b.WriteString(m.fill(requiredValue))
		}
	}
	return b.String()
}

// where returns the statements that make conditions of the arguments.
func (c goCapability) where() string {
	var rows strings.Builder
	for _, m := range c.Members {
		rows.WriteString(m.fill(whereRow))
	}
	if rows.Len() == 0 {
		return ""
	}
	return strings.Replace(whereText, "$Rows", rows.String(), 1)
}

func (m goMember) fill(text string) string {
	return strings.NewReplacer("$Name", strconv.Quote(m.Name), "$Go", m.Go).Replace(text)
}
