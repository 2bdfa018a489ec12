package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The parts of CycloneDX 1.6 that are used here (https://cyclonedx.org/docs/1.6/json/).
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		SerialNumber string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     bomMetadata  `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		PURL       string     `json:"purl"`
		Hashes     []bomHash  `json:"hashes,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	bomHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// bill returns the bill of materials of a binary, from the go command's build information: the linked modules
// with checksums, and the standard library.
func bill(path, version string, program []byte, date time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(program))
	own := golang("application", info.Main.Path, version)
	own.Hashes = []bomHash{{"SHA-256", sum}}
	for _, s := range info.Settings {
		own.Properties = append(own.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b := bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		SerialNumber: uuid.NewSHA1(uuid.NameSpaceURL, []byte("sha256:"+sum)).URN(),
		Metadata:     bomMetadata{date.Format(time.RFC3339), own},
		Components:   []component{golang("library", "std", strings.TrimPrefix(info.GoVersion, "go"))},
	}
	for _, m := range info.Deps {
		b.Components = append(b.Components, module(m))
	}
	depends := dependency{Ref: own.Ref}
	for _, c := range b.Components {
		depends.DependsOn = append(depends.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{depends}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// module returns a linked module, or its replacement.
func module(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := golang("library", m.Path, m.Version)
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// golang returns a component with a package URL of type golang.
func golang(kind, path, version string) component {
	purl := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}
