package project

import "slices"

// Hint is a member of a tool's _meta that a host reads, with a public account of it. Hosts that defer tools show their
// models only names at first, and a search finds the rest.
type Hint struct {
	Host   string
	Member string
	What   string
	Source string
	// of returns its value for a tool, nil for none.
	of func(id, title string) any
}

// Hints are the known hints, in the order of their members. Other hosts that defer tools (Codex, Copilot CLI, Kimi
// Code, VS Code) read none in a tool: they decide by their own configuration, and search names, titles and descriptions.
var Hints = []Hint{
	{"Claude Code", "anthropic/alwaysLoad", "shows the model the tool without a search", "https://github.com/software-mansion/argent/pull/120", alwaysLoaded},
	{"Claude Code", "anthropic/searchHint", "finds a deferred tool by these words, too", "https://github.com/software-mansion/argent/pull/120", searchedFor},
}

// core are the ids of the tools with which a model begins: those that find, read and write nodes of any type, and
// those that find and call the tools of a gateway.
var core = []string{"search", "get", "query", "create", "update", "tool_browse", "tool_execute"}

func alwaysLoaded(id, _ string) any {
	if slices.Contains(core, id) {
		return true
	}
	return nil
}

// searchedFor returns the title of a tool that has one of its own; derived titles only repeat the name.
func searchedFor(id, title string) any {
	if titles[id] == "" || slices.Contains(core, id) {
		return nil
	}
	return title
}

// titles are the titles of tools whose names say too little. People see them, and hosts search them: they contain the
// words by which others call the same. They cost a model nothing, because hosts do not show it titles.
var titles = map[string]string{
	"blame":           "Blame: who set or wrote each value of a node",
	"branches_create": "Create a branch: draft, proposal, sandbox",
	"branches_delete": "Delete a branch: discard a draft",
	"branches_list":   "List branches and drafts",
	"branches_merge":  "Merge a branch: accept a draft, resolve conflicts",
	"changes":         "Changes since a commit: feed, poll, follow",
	"commits_get":     "Show a commit and its changes",
	"commits_list":    "List commits: log of versions",
	"create":          "Create a node: add, insert, new record",
	"delete":          "Delete a node: remove a record",
	"describe":        "Describe a type: fields, properties, constraints, example",
	"diff":            "Diff: compare commits, versions, branches",
	"get":             "Get nodes: read, show, look up records",
	"health":          "Health: alive, status, version",
	"history":         "History: audit, who changed what, when, why",
	"link":            "Link nodes: relate, connect, add an edge",
	"list":            "List nodes of a type: filter, sort, page, count",
	"load":            "Load data in bulk: import CSV, JSON, RDF, Turtle",
	"mutate":          "SPARQL update: insert or delete triples in bulk",
	"query":           "SPARQL query: count, join, aggregate, graph patterns",
	"schema_apply":    "Apply a schema: add, rename or drop types and properties",
	"schema_get":      "Get the schema: types, data model, ontology",
	"search":          "Search nodes: full text, keywords, find by name",
	"snapshot":        "Snapshot: overview, statistics, counts by type",
	"tool_browse":     "Browse tools of other servers: find, search, discover",
	"tool_execute":    "Execute a tool: call, run, invoke by id",
	"tool_hydrate":    "Hydrate a tool: its arguments and input schema",
	"tool_view":       "View a large result that was kept: page, search, rest",
	"undo":            "Undo commits: revert, roll back, restore",
	"unlink":          "Unlink nodes: disconnect, remove an edge",
	"update":          "Update a node: change, edit, set values",
}
