package gateway_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trails/fault"
	"trails/gateway"
)

// placed is an object that has a member at the end of a path of members and lists.
func placed(path []string, member any) any {
	for _, name := range slices.Backward(path) {
		if name == "[]" {
			member = []any{member}
		} else {
			member = map[string]any{name: member}
		}
	}
	return member
}

// places visits every struct of a type, with the way there, and the names of its members.
func places(t reflect.Type, path []string, visit func(path, names []string, fields map[string]reflect.Type)) {
	switch t.Kind() {
	case reflect.Struct:
		var names []string
		fields := map[string]reflect.Type{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			names, fields[name] = append(names, name), t.Field(i).Type
		}
		visit(path, names, fields)
		for _, name := range names {
			places(fields[name], append(slices.Clone(path), name), visit)
		}
	case reflect.Map:
		places(t.Elem(), append(slices.Clone(path), "any:thing"), visit)
	case reflect.Slice:
		places(t.Elem(), append(slices.Clone(path), "[]"), visit)
	default:
	}
}

// Whatever a file keeps of servers is answered, at every place of it, with the members that there
// are, with the type that one must have, and with all that is wrong at once.
func TestWrongMembersAreAnsweredWithWhatThereIs(t *testing.T) {
	for _, kept := range []struct {
		of    reflect.Type
		parse func([]byte) error
	}{
		{reflect.TypeFor[gateway.Server](), func(text []byte) error { _, err := gateway.ParseServer(text); return err }},
		{reflect.TypeFor[gateway.Settings](), func(text []byte) error { _, err := gateway.ParseSettings(text); return err }},
	} {
		wrongAt := func(value any) (fields []fault.FieldError) {
			t.Helper()
			text, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			err = kept.parse(text)
			if !fault.Is(err, fault.InvalidData) || strings.Contains(err.Error(), "json:") {
				t.Errorf("%s: %v", text, err)
			}
			return fault.Of(err).Fields
		}
		tried := 0
		places(kept.of, nil, func(path, names []string, fields map[string]reflect.Type) {
			tried++
			at := strings.ReplaceAll(strings.Join(append(slices.Clone(path), "nothing_like_it"), "."), ".[]", "[0]")
			found := wrongAt(placed(path, map[string]any{"nothing_like_it": 1, names[0] + "x": 1}))
			i := slices.IndexFunc(found, func(f fault.FieldError) bool { return f.Field == at })
			if i < 0 || len(found) < 2 {
				t.Errorf("%s is not among %v", at, found)
				return
			}
			for _, name := range names {
				if name != "via" && !strings.Contains(found[i].Message, name) {
					t.Errorf("%s does not name %s: %s", at, name, found[i].Message)
				}
			}
			for name, of := range fields {
				var odd any = []any{[]any{}}
				if of.Kind() == reflect.Slice {
					odd = "text"
				}
				at := strings.ReplaceAll(strings.Join(append(slices.Clone(path), name), "."), ".[]", "[0]")
				found := wrongAt(placed(path, map[string]any{name: odd}))
				if !slices.ContainsFunc(found, func(f fault.FieldError) bool { return strings.HasPrefix(f.Field, at) && f.Code == fault.Datatype }) {
					t.Errorf("%s may be %v: %v", at, odd, found)
				}
			}
		})
		if tried == 0 {
			t.Error("nothing was tried")
		}
	}
	s, err := gateway.ParseServer([]byte(`{"name":"a","http":"http://127.0.0.1/mcp","timeout_ms":5e3,"concurrency":2.0,"sse":null}`))
	if err != nil || s.TimeoutMS != 5000 || s.Concurrency != 2 {
		t.Errorf("%+v (%v)", s, err)
	}
	for _, number := range []string{"1.5", "1e999999999", "99999999999999999999", `"5"`, "true"} {
		if _, err := gateway.ParseServer([]byte(`{"name":"a","http":"http://127.0.0.1/mcp","timeout_ms":` + number + `}`)); !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "integer") {
			t.Errorf("%s: %v", number, err)
		}
	}
}
