package admin_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"trails/admin"
	"trails/invoke"
	"trails/kg/load"
)

const benchSchema = `
types:
  Thing:
    label: name
    key: name
    iri: key
    properties:
      name: {type: string, required: true}
      rank: {type: integer, required: true}
      day: {type: date}
      kind: {type: string, one_of: [fish, bird, mammal, insect, plant]}
      note: {type: string}
      other: {type: string}
      likes: {class: Thing}
      follows: {class: Thing, many: true}
`

// benchThings makes a million statements; all things follow thing 0.
const benchThings = 100_000

func benchData() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []string{"fish", "bird", "mammal", "insect", "plant"}
	var b bytes.Buffer
	for i := range benchThings {
		fmt.Fprintf(&b, `{"type":"Thing","id":"t%[1]d","data":{"name":"t%[1]d","rank":%[2]d,"day":"20%02[3]d-05-17","kind":%[4]q,"note":"what is said of %[1]d","other":"more of %[1]d","likes":"t%[5]d","follows":["t0","t%[6]d"]}}`+"\n",
			i, random.IntN(1000), 10+random.IntN(15), kinds[random.IntN(len(kinds))], random.IntN(i/10+1), 1+random.IntN(benchThings-1))
	}
	return b.Bytes()
}

// BenchmarkPages renders pages of a graph of a million statements, each with all of
// its calls: what a reader waits for, but for the connection.
func BenchmarkPages(b *testing.B) {
	f := newFixture(b, []byte(benchSchema), admin.Options{})
	_, err := f.engine.Call(b.Context(), invoke.Call{
		Capability: "load", Principal: principal, Via: "go", Args: []byte(`{"data":"","format":"ndjson"}`),
		Inputs: []load.Input{{Name: "things.ndjson", Reader: bytes.NewReader(benchData())}},
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, page := range []struct{ name, path string }{
		{"overview", "/admin"},
		{"list", "/admin/types/Thing"},
		{"list filtered", "/admin/types/Thing?where=kind%3Dbird"},
		{"list deep", "/admin/types/Thing?offset=50000"},
		{"instance", "/admin/types/Thing/t77777"},
		{"instance that all follow", "/admin/types/Thing/t0"},
		{"history", "/admin/types/Thing/t77777/history"},
		{"graph", "/admin/types/Thing/t77777/graph"},
		{"commits", "/admin/commits"},
		{"schema", "/admin/schema"},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				f.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, page.path, nil))
				if w.Code != http.StatusOK {
					b.Fatalf("%s: %d", page.path, w.Code)
				}
			}
		})
	}
}
