package jsontext

import (
	"bytes"
	"encoding/json"
)

// Member is a name and value of an object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of an object in written order; ok is false if the text is no object.
func Members(text []byte) ([]Member, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	var out []Member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := Member{}
		m.Name, _ = name.(string)
		if d.Decode(&m.Value) != nil {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}
