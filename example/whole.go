package example

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// record is a node or an edge of the data.
type record struct {
	Type string         `json:"type,omitempty"`
	ID   string         `json:"id,omitempty"`
	Data map[string]any `json:"data,omitempty"`
	Edge string         `json:"edge,omitempty"`
	From string         `json:"from,omitempty"`
	To   string         `json:"to,omitempty"`
}

// keys are the properties that the ids of the types are made of.
var keys = map[string]string{"Component": "name", "Requirement": "code", "Decision": "number", "Standard": "name"}

// Whole returns the data as it is after the story, in the format of Data, for one load without the story's history. The
// story only sets values and adds to lists.
func Whole() ([]byte, error) {
	var order []string
	records := map[string]*record{}
	lines := json.NewDecoder(bytes.NewReader(Data))
	lines.UseNumber()
	for lines.More() {
		var r record
		if err := lines.Decode(&r); err != nil {
			return nil, fmt.Errorf("the example's data: %w", err)
		}
		name := r.Type + "/" + r.ID
		if r.Edge != "" {
			name = r.Edge + " " + r.From + " " + r.To
		}
		order, records[name] = append(order, name), &r
	}
	for step, err := range Story() {
		if err != nil {
			return nil, err
		}
		typeName, verb, _ := strings.Cut(step.Capability, ".")
		typeName = strings.ToUpper(typeName[:1]) + typeName[1:]
		data := maps.Clone(step.Arguments)
		id := data["id"]
		delete(data, "id")
		if verb == "create" {
			id = data[keys[typeName]]
		}
		name := fmt.Sprintf("%s/%v", typeName, id)
		switch verb {
		case "create":
			order, records[name] = append(order, name), &record{Type: typeName, ID: fmt.Sprint(id), Data: data}
		case "update":
			r := records[name]
			if r == nil {
				return nil, fmt.Errorf("the example's story changes %s, which is not there", name)
			}
			maps.Copy(r.Data, data)
		case "delete":
			delete(records, name)
		default:
			return nil, fmt.Errorf("the example's story has the step %s, which is not create, update or delete", step.Capability)
		}
	}
	var out bytes.Buffer
	write := json.NewEncoder(&out)
	for _, name := range order {
		if r := records[name]; r != nil {
			if err := write.Encode(r); err != nil {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}
