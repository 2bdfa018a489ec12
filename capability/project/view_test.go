package project_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"trails/capability"
	"trails/capability/project"
)

func TestViewsShowWhatDescriptorsSay(t *testing.T) {
	all := kinds(t)
	for _, v := range project.Encodings(project.Process{Remote: true}) {
		for _, d := range all {
			differences, err := v.Check(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range differences {
				t.Error(found)
			}
		}
	}
}

// Each sabotage changes one thing in what goes out, or lets the projector see another
// descriptor than it is asked for; the check names capability, view and field.
func TestASabotagedProjectorIsFound(t *testing.T) {
	all := fixture(t)
	create := all[slices.IndexFunc(all, func(d capability.Descriptor) bool { return d.ID == "sample.create" })]
	lie := func(change func(*capability.Descriptor)) func(project.Encoding) project.Encoding {
		return func(v project.Encoding) project.Encoding {
			encode := v.Encode
			v.Encode = func(d capability.Descriptor) ([]byte, error) {
				d.InputShape.Fields = slices.Clone(d.InputShape.Fields)
				d.OutputShape.Fields = slices.Clone(d.OutputShape.Fields)
				change(&d)
				return encode(d)
			}
			return v
		}
	}
	replace := func(old, now string) func(project.Encoding) project.Encoding {
		return func(v project.Encoding) project.Encoding {
			encode := v.Encode
			v.Encode = func(d capability.Descriptor) ([]byte, error) {
				text, err := encode(d)
				if !bytes.Contains(text, []byte(old)) {
					t.Errorf("%s has no %s: %s", v.Name, old, text)
				}
				return bytes.Replace(text, []byte(old), []byte(now), 1), err
			}
			return v
		}
	}
	field := func(name string, change func(*capability.Field)) func(project.Encoding) project.Encoding {
		return lie(func(d *capability.Descriptor) {
			i := slices.IndexFunc(d.InputShape.Fields, func(f capability.Field) bool { return f.Name == name })
			change(&d.InputShape.Fields[i])
		})
	}
	const both = "tools/list /capabilities /openapi.json /.well-known/wot"
	const schemas = "tools/list /openapi.json /.well-known/wot"
	const described = "/capabilities /openapi.json /.well-known/wot"
	for _, c := range []struct {
		what     string
		views    string
		sabotage func(project.Encoding) project.Encoding
		field    string
	}{
		{"another id", both, lie(func(d *capability.Descriptor) { d.ID = "sample.made" }), "id"},
		{"another name", "tools/list", replace(`"name":"sample_create"`, `"name":"sample_crate"`), "id"},
		{"another description", both, lie(func(d *capability.Descriptor) { d.Description += " Really." }), "description"},
		{"another idempotence", both, lie(func(d *capability.Descriptor) { d.Idempotent = !d.Idempotent }), "idempotent"},
		{"a harmless write", both, lie(func(d *capability.Descriptor) { d.SideEffects = capability.None }), "side_effects"},
		{"a call that stays here", "tools/list", replace(`"openWorldHint":false`, `"openWorldHint":true`), "policy_required"},
		{"a member of the input less", both, lie(func(d *capability.Descriptor) { d.InputShape.Fields = d.InputShape.Fields[1:] }), "input_shape"},
		{"a member of the output less", described, lie(func(d *capability.Descriptor) { d.OutputShape.Fields = d.OutputShape.Fields[1:] }), "output_shape"},
		{"an open input", both, lie(func(d *capability.Descriptor) { d.InputShape.Closed = false }), "input_shape"},
		{"nothing required", both, field("name", func(f *capability.Field) { f.Required = false }), "input_shape"},
		{"another type", both, field("name", func(f *capability.Field) { f.Type = capability.Integer }), "input_shape"},
		{"one value of many", both, field("tags", func(f *capability.Field) { f.Many = false }), "input_shape"},
		{"no pattern", schemas, replace(`"pattern":`, `"patten":`), "input_shape"},
		{"no bound", schemas, replace(`"minimum":`, `"minimal":`), "input_shape"},
		{"another choice", schemas, replace(`"enum":[`, `"enum":["anything",`), "input_shape"},
		{"an output that is closed", "tools/list", replace(`"outputSchema":{`, `"outputSchema":{"additionalProperties":false,`), "output_shape"},
		{"another cost", described, lie(func(d *capability.Descriptor) { d.CostEstimate = capability.CostConstant }), "cost_estimate"},
		{"another assurance", described, lie(func(d *capability.Descriptor) { d.Assurance = capability.AssuranceNone }), "assurance"},
		{"other reasoning", described, lie(func(d *capability.Descriptor) { d.Reasoning = "much" }), "reasoning"},
		{"another scope", described, lie(func(d *capability.Descriptor) { d.PolicyRequired.Scope = "dev" }), "policy_required"},
		{"consent", described, lie(func(d *capability.Descriptor) { d.ConsentRequired = !d.ConsentRequired }), "consent_required"},
		{"what must hold before", described, lie(func(d *capability.Descriptor) { d.Preconditions = []string{"Rain."} }), "preconditions"},
		{"what it replaces", described, lie(func(d *capability.Descriptor) { d.Deprecates = []string{"rain"} }), "deprecates"},
		{"another version", "/capabilities /openapi.json", replace(`"version":"`, `"version":"9`), "version"},
		{"another version", "/.well-known/wot", replace(`"trails:version":"`, `"trails:version":"9`), "version"},
		{"another address", "/.well-known/wot", replace(`"href":"invoke/sample.create"`, `"href":"invoke/sample.crate"`), "id"},
	} {
		for _, v := range project.Encodings(project.Process{Remote: true}) {
			if !strings.Contains(c.views, v.Name) {
				continue
			}
			found, err := c.sabotage(v).Check(create)
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			named := slices.ContainsFunc(found, func(d project.Difference) bool {
				return d.Capability == "sample.create" && d.Encoding == v.Name && strings.HasPrefix(d.Field, c.field)
			})
			if !named {
				t.Errorf("%s in %s: found %v", c.what, v.Name, found)
			}
		}
	}
}
