package projecttest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ThingSchema returns the JSON Schema that the W3C publishes for Thing Descriptions. The suites contain that of
// the next version. It differs only in the required context: here the contexts of versions 1.0 and 1.1 are
// required, which the schema also defines.
func ThingSchema(t testing.TB, suites string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suites, "wot", "td-json-schema-validation.json"))
	if err != nil {
		t.Fatal(err)
	}
	const next = `"const": "https://www.w3.org/ns/wot-next/td"`
	if !bytes.Contains(text, []byte(next)) {
		t.Fatalf("the schema does not ask for %s", next)
	}
	return Compile(t, bytes.ReplaceAll(text, []byte(next), []byte(`"enum": ["https://www.w3.org/2022/wot/td/v1.1", "https://www.w3.org/2019/wot/td/v1"]`)))
}

// CheckOpenAPI checks a document against the JSON Schema of OpenAPI 3.1, and has another implementation read it
// and resolve its references.
func CheckOpenAPI(t testing.TB, text []byte) {
	t.Helper()
	standard, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(datamodel.OpenAPI31SchemaData)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", standard); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	read, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read.BuildV3Model(); err != nil {
		t.Error(err)
	}
}
