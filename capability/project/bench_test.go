package project_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/capability"
	"trails/capability/project"
	"trails/schema"
)

// many is what 667 types make: 2,001 capabilities.
func many(b *testing.B) (*schema.Schema, project.Listing) {
	b.Helper()
	var y strings.Builder
	y.WriteString("types:\n")
	for i := range 667 {
		fmt.Fprintf(&y, "  Kind%d:\n    description: A kind of thing.\n    properties:\n      name: {type: string, required: true, description: What people call it, min_length: 1}\n      state: {type: string, one_of: [draft, accepted, rejected]}\n      count: {type: integer, min_value: 0}\n      when: {type: datetime}\n      about: {class: Kind%d, many: true}\n", i, (i+1)%667)
	}
	s, err := schema.ParseYAML([]byte(y.String()), "http://example.org/")
	if err != nil {
		b.Fatal(err)
	}
	return s, project.Listing{Version: "v1", Descriptors: capability.ForSchema(s), Process: project.Process{Graph: "many", Token: true}, Base: "https://many.example"}
}

// One projection of one capability that nobody has asked for before.
func BenchmarkProjection(b *testing.B) {
	_, l := many(b)
	for _, v := range project.Encodings(l.Process) {
		b.Run(strings.ReplaceAll(strings.Trim(v.Name, "/"), "/", "-"), func(b *testing.B) {
			i := 0
			for b.Loop() {
				if _, err := v.Encode(l.Descriptors[i%len(l.Descriptors)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// A document of 2,001 capabilities: cold in a process that has not made it yet, warm after.
func BenchmarkDocument(b *testing.B) {
	_, l := many(b)
	for _, document := range []struct {
		name  string
		write func(project.Listing) ([]byte, error)
	}{
		{"openapi", func(l project.Listing) ([]byte, error) { return l.OpenAPI(routes) }},
		{"thing", project.Listing.Thing},
		{"manifest", project.Listing.Manifest},
	} {
		run := func(name string, cache func() *project.Cache) {
			b.Run(document.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					l.Cache = cache()
					text, err := document.write(l)
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(int64(len(text)))
				}
			})
		}
		run("cold", func() *project.Cache { return &project.Cache{} })
		warm := &project.Cache{}
		run("warm", func() *project.Cache { return warm })
	}
}

// A registry of 2,001 capabilities, from the schema on.
func BenchmarkRegistry(b *testing.B) {
	s, _ := many(b)
	for b.Loop() {
		if _, err := capability.New(capability.ForSchema(s)); err != nil {
			b.Fatal(err)
		}
	}
}
