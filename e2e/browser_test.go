package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/example"
)

// chromium returns the path of the browser: TRAILS_CHROMIUM, or the first that is installed. The headless shell
// is preferred, because it needs half the processor time.
func chromium(t testing.TB) string {
	t.Helper()
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	if name := os.Getenv("TRAILS_CHROMIUM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	absent(t, "no Chromium; install it, or set TRAILS_CHROMIUM to its path")
	return ""
}

// richGraph makes a file with everything that has its own look on a page: twelve types, one of them abstract; a
// node with many values and many referrers; long texts, right-to-left texts and invisible characters; a
// statement that the schema does not declare; a deleted node.
func richGraph(t *testing.T) string {
	t.Helper()
	var schema, data strings.Builder
	schema.WriteString("base: \"urn:rich:\"\ntypes:\n  Thing: {abstract: true, label: name, properties: {name: {type: string, description: What it is called}}}\n")
	for _, name := range []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa", "Lambda"} {
		low := strings.ToLower(name)
		schema.WriteString("  " + name + `: {extends: Thing, description: "One of twelve", properties: {` +
			low + "Text: {type: string}, " + low + "State: {type: string, one_of: [new, old]}, " + low + "Size: {type: string, one_of: [xs, s, m, l, xl, xxl]}, " +
			low + "Done: {type: boolean}, " + low + "Day: {type: date}, " + low + "At: {type: datetime}, " + low + "Page: {type: uri}, " + low + "Vector: {type: vector, dim: 2}, " +
			low + "Tags: {type: string, many: true}, " + low + "To: {class: Thing, many: true}}}\n")
		fmt.Fprintf(&data, `{"type":%q,"id":"one","data":{"name":"The first %s",%q:["Alpha/one"]}}`+"\n", name, name, low+"To")
	}
	tags := make([]string, 60)
	for i := range tags {
		tags[i] = fmt.Sprintf("%q", fmt.Sprintf("tag number %d", i))
		fmt.Fprintf(&data, `{"type":"Beta","id":"b%d","data":{"name":"Beta %d","betaTo":["Alpha/one"]}}`+"\n", i, i)
	}
	fmt.Fprintf(&data, `{"type":"Alpha","id":"one","data":{"alphaText":%q,"alphaState":"new","alphaSize":"m","alphaDone":true,"alphaDay":"2024-02-29","alphaAt":"2024-02-29T12:30:00Z","alphaPage":"https://example.org/","alphaVector":[1,2],"alphaTags":[%s]}}`+"\n",
		strings.Repeat("A long text with שלום and a hidden \u202e mark. ", 40), strings.Join(tags, ","))
	file := filepath.Join(t.TempDir(), "rich.trails")
	must(t, "init", file, "--schema", write(t, "rich.yaml", schema.String()))
	must(t, "load", file, write(t, "rich.ndjson", data.String()))
	must(t, "update", file, `INSERT DATA { <urn:rich:Alpha/one> <urn:other:said> "something else" . <urn:other:who> <urn:other:sees> <urn:rich:Alpha/one> }`)
	must(t, "invoke", file, "kappa.delete", "id=one")
	return file
}

// TestThePagesInABrowser walks through the pages in a browser, see client/browser.mjs. TRAILS_SHOTS is a
// directory for its screenshots.
func TestThePagesInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one browser asks for one thing at a time, for minutes")
	}
	tools, browser := toolsOfNode(t), chromium(t)
	for _, name := range []string{"playwright-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(tools.modules, "node_modules", name)); err != nil {
			absent(t, "no driver of a browser: %v; install it with: make npm", err)
		}
	}
	const token = "sesame"
	file := filepath.Join(t.TempDir(), "example.trails")
	must(t, "init", file, "--schema", write(t, "example.yaml", string(example.Schema)))
	must(t, "load", file, write(t, "example.ndjson", string(example.Data)))
	open := openWeb(t, file)
	must(t, "policy", "set", file, "--starter") // for the token of the other server
	guarded, rich := openWeb(t, file, "TRAILS_MCP_TOKEN="+token, "TRAILS_MCP_SCOPES=runtime,builder"), openWeb(t, richGraph(t))
	out := tools.run(t, "client/browser.mjs", tools.modules, browser, trailsBinary, file, open.base, guarded.base, rich.base, token, os.Getenv("TRAILS_SHOTS"))
	if out.code != 0 || !strings.Contains(out.stdout, "checks passed") {
		t.Fatalf("exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	t.Log(out.stdout)
	must(t, "verify", file)
}
