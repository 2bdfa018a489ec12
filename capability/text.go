package capability

import (
	"strconv"

	"trails/text/jsontext"
)

// MarshalJSON writes all fourteen fields, without HTML escapes; absent lists are empty ones.
// It is what encoding/json makes of the structs by their tags, in a fraction of the time: a
// process that opens a file writes all of its descriptors, to know which of them changed.
func (d Descriptor) MarshalJSON() ([]byte, error) {
	w := writing{b: append(make([]byte, 0, 4096), '{')}
	w.text("id", d.ID)
	w.text("version", d.Version)
	w.text("description", d.Description)
	w.shape("input_shape", d.InputShape)
	w.shape("output_shape", d.OutputShape)
	w.texts("preconditions", d.Preconditions)
	w.text("side_effects", string(d.SideEffects))
	w.text("cost_estimate", string(d.CostEstimate))
	w.open("policy_required")
	w.text("scope", string(d.PolicyRequired.Scope))
	w.text("action", string(d.PolicyRequired.Action))
	w.truth("remote", d.PolicyRequired.Remote)
	w.truth("upstream", d.PolicyRequired.Upstream)
	w.b = append(w.b, '}')
	w.bool("idempotent", d.Idempotent)
	w.text("reasoning", string(d.Reasoning))
	w.texts("deprecates", d.Deprecates)
	w.text("assurance", string(d.Assurance))
	w.bool("consent_required", d.ConsentRequired)
	return append(w.b, '}'), w.err
}

// writing writes a JSON object, and keeps the first error of a value.
type writing struct {
	b   []byte
	err error
}

// name writes the name of a member.
func (w *writing) name(name string) {
	if last := w.b[len(w.b)-1]; last != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

// open begins a member that is an object.
func (w *writing) open(name string) {
	w.name(name)
	w.b = append(w.b, '{')
}

func (w *writing) text(name, value string) {
	w.name(name)
	w.b = jsontext.AppendText(w.b, value)
}

func (w *writing) bool(name string, value bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, value)
}

func (w *writing) texts(name string, list []string) {
	w.name(name)
	if list == nil {
		w.b = append(w.b, "[]"...)
		return
	}
	w.list(list)
}

func (w *writing) list(list []string) {
	if list == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.array(len(list), func(i int) { w.b = jsontext.AppendText(w.b, list[i]) })
}

// array writes n elements.
func (w *writing) array(n int, element func(i int)) {
	w.b = append(w.b, '[')
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		element(i)
	}
	w.b = append(w.b, ']')
}

// The following methods leave out empty members.

func (w *writing) someText(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

func (w *writing) truth(name string, value bool) {
	if value {
		w.bool(name, true)
	}
}

func (w *writing) int(name string, value *int) {
	if value != nil {
		w.name(name)
		w.b = strconv.AppendInt(w.b, int64(*value), 10)
	}
}

func (w *writing) value(name string, value any) {
	if value != nil {
		w.name(name)
		w.any(value)
	}
}

// any writes a value of a field.
func (w *writing) any(value any) {
	switch value := value.(type) {
	case string:
		w.b = jsontext.AppendText(w.b, value)
	case bool:
		w.b = strconv.AppendBool(w.b, value)
	default:
		text, err := jsontext.Marshal(value)
		if w.err == nil {
			w.err = err
		}
		w.b = append(w.b, text...)
	}
}

func (w *writing) shape(name string, s Shape) {
	w.open(name)
	w.fields(s.Fields)
	w.someText("node_type", s.NodeType)
	if len(s.UniqueTogether) > 0 {
		w.name("unique_together")
		w.array(len(s.UniqueTogether), func(i int) { w.list(s.UniqueTogether[i]) })
	}
	w.bool("closed", s.Closed)
	w.b = append(w.b, '}')
}

func (w *writing) fields(fields []Field) {
	w.name("fields")
	if fields == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.array(len(fields), func(i int) { w.field(&fields[i]) })
}

func (w *writing) field(f *Field) {
	w.b = append(w.b, '{')
	w.text("name", f.Name)
	w.someText("description", f.Description)
	w.text("type", string(f.Type))
	w.truth("required", f.Required)
	w.truth("many", f.Many)
	w.int("min_count", f.MinCount)
	w.int("max_count", f.MaxCount)
	w.int("min_length", f.MinLength)
	w.int("max_length", f.MaxLength)
	w.someText("pattern", f.Pattern)
	if len(f.OneOf) > 0 {
		w.name("one_of")
		w.array(len(f.OneOf), func(i int) { w.any(f.OneOf[i]) })
	}
	w.value("min_value", f.MinValue)
	w.value("max_value", f.MaxValue)
	w.value("has_value", f.HasValue)
	w.truth("unique", f.Unique)
	w.someText("node_type", f.NodeType)
	w.int("dim", f.Dim)
	w.truth("nullable", f.Nullable)
	w.truth("needed", f.Needed)
	w.value("default", f.Default)
	w.someText("scope", string(f.Scope))
	w.truth("rare", f.Rare)
	w.truth("brief", f.Brief)
	if len(f.Fields) > 0 {
		w.fields(f.Fields)
	}
	if len(f.Cells) > 0 {
		w.name("cells")
		w.array(len(f.Cells), func(i int) {
			w.b = append(w.b, '{')
			w.text("name", f.Cells[i].Name)
			w.someText("says", f.Cells[i].Says)
			if len(f.Cells[i].Types) > 0 {
				w.name("types")
				w.list(f.Cells[i].Types)
			}
			w.b = append(w.b, '}')
		})
	}
	w.b = append(w.b, '}')
}
