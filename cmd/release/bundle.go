package main

import (
	"crypto/sha256"
	_ "embed" // for icon
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"trails/capability/project"
)

const registryURI = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// manifest is manifest.json of a bundle, MCPB 0.3
// (https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md).
type manifest struct {
	ManifestVersion  string              `json:"manifest_version"`
	Name             string              `json:"name"`
	DisplayName      string              `json:"display_name"`
	Version          string              `json:"version"`
	Description      string              `json:"description"`
	LongDescription  string              `json:"long_description"`
	Author           author              `json:"author"`
	Icon             string              `json:"icon"`
	Repository       *repository         `json:"repository,omitempty"`
	Server           server              `json:"server"`
	ToolsGenerated   bool                `json:"tools_generated"`
	PromptsGenerated bool                `json:"prompts_generated"`
	Keywords         []string            `json:"keywords"`
	License          string              `json:"license"`
	Compatibility    compatibility       `json:"compatibility"`
	UserConfig       map[string]question `json:"user_config"`
}

type (
	author struct {
		Name string `json:"name"`
	}
	repository struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	server struct {
		Type       string    `json:"type"`
		EntryPoint string    `json:"entry_point"`
		Config     mcpConfig `json:"mcp_config"`
	}
	mcpConfig struct {
		Command   string             `json:"command"`
		Args      []string           `json:"args"`
		Overrides map[string]command `json:"platform_overrides,omitempty"`
	}
	command struct {
		Command string `json:"command"`
	}
	compatibility struct {
		Platforms []string `json:"platforms"`
	}
	question struct {
		Type        string `json:"type"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
	}
)

// processPlatform returns an operating system's name in Node.js, which manifests use.
func processPlatform(os string) string {
	if os == "windows" {
		return "win32"
	}
	return os
}

// bundles adds a bundle for each processor architecture, with the binaries for every operating system, because
// a manifest can distinguish only these. If the repository is known it also adds the registry entry that lists
// the bundles.
func (r *release) bundles(files map[string][]byte, wanted []platform, binary func(platform) string) error {
	type pack struct {
		Registry   string            `json:"registryType"`
		Identifier string            `json:"identifier"`
		SHA256     string            `json:"fileSha256"`
		Transport  map[string]string `json:"transport"`
	}
	var packages []pack
	for _, arch := range []string{"amd64", "arm64"} {
		of := slices.DeleteFunc(slices.Clone(wanted), func(p platform) bool { return p.Arch != arch })
		if len(of) == 0 {
			continue
		}
		text, err := json.MarshalIndent(r.manifest(of), "", "  ")
		if err != nil {
			return err
		}
		members := []member{{"manifest.json", append(text, '\n'), false}, {"icon.png", icon, false}}
		for _, p := range of {
			program, err := os.ReadFile(binary(p))
			if err != nil {
				return err
			}
			members = append(members, member{inBundle(p), program, true})
		}
		name := fmt.Sprintf("trails_%s_%s.mcpb", r.number(), arch)
		if files[name], err = zipped(members, r.date); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		packages = append(packages, pack{
			"mcpb", r.repository + "/releases/download/" + r.version + "/" + name, fmt.Sprintf("%x", sha256.Sum256(files[name])), map[string]string{"type": "stdio"},
		})
	}
	if r.repository == "" {
		return nil
	}
	u, err := url.Parse(r.repository)
	if err != nil {
		return err
	}
	owner, name, found := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !found || u.Host != "github.com" || strings.Contains(name, "/") {
		return fmt.Errorf("repository %s is not https://github.com/OWNER/NAME, by which the registry knows who publishes", r.repository)
	}
	// https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json
	text, err := json.MarshalIndent(struct {
		Schema      string            `json:"$schema"`
		Name        string            `json:"name"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Repository  map[string]string `json:"repository"`
		Version     string            `json:"version"`
		Icons       []iconEntry       `json:"icons"`
		Packages    []pack            `json:"packages"`
	}{
		registryURI, "io.github." + owner + "/" + name, project.ServerTitle, project.ServerDescription,
		map[string]string{"url": r.repository, "source": "github"}, r.number(),
		[]iconEntry{{"https://raw.githubusercontent.com/" + owner + "/" + name + "/" + r.version + "/cmd/release/icon.png", "image/png", []string{"512x512"}}},
		packages,
	}, "", "  ")
	files["server.json"] = append(text, '\n')
	return err
}

// icon is the icon of the pages (admin/static/icon.svg) in pixels.
//
//go:embed icon.png
var icon []byte

// iconEntry is an icon in the registry, which takes https addresses alone.
type iconEntry struct {
	Source string   `json:"src"`
	MIME   string   `json:"mimeType"`
	Sizes  []string `json:"sizes"`
}

// inBundle returns a binary's path in a bundle.
func inBundle(p platform) string { return "server/" + processPlatform(p.OS) + "/" + p.program() }

func (r *release) manifest(of []platform) manifest {
	m := manifest{
		ManifestVersion: "0.3", Name: "trails", DisplayName: project.ServerTitle, Version: r.number(), Description: project.ServerDescription,
		LongDescription: "One file holds a typed graph, its schema, its history and its provenance. Every write is validated, atomic and a commit that can be undone.\n\n" +
			"The file is one that there is: `trails init notes.trails --schema schema.yaml` makes it. Other programs may have it open at the same time.",
		Author: author{"The trails authors"}, Icon: "icon.png", ToolsGenerated: true, PromptsGenerated: true, License: "Apache-2.0",
		Keywords: []string{"knowledge graph", "rdf", "sparql", "shacl", "sqlite", "memory"},
		Server: server{Type: "binary", EntryPoint: inBundle(of[0]), Config: mcpConfig{
			Command: "${__dirname}/" + inBundle(of[0]), Args: []string{"mcp", "${user_config.file}"}, Overrides: map[string]command{},
		}},
		UserConfig: map[string]question{"file": {"file", "Graph", "A file that trails init has made", true}},
	}
	if r.repository != "" {
		m.Repository = &repository{"git", r.repository}
	}
	for _, p := range of {
		m.Compatibility.Platforms = append(m.Compatibility.Platforms, processPlatform(p.OS))
		m.Server.Config.Overrides[processPlatform(p.OS)] = command{"${__dirname}/" + inBundle(p)}
	}
	return m
}
