package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// servingOn starts a server on a new graph with these triples, which may reach the
// hosts allowed, and returns its address.
func servingOn(t *testing.T, triples string, allowed ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "g.trails")
	for _, args := range [][]string{{"init", file}, {"update", file, "INSERT DATA {" + triples + "}"}} {
		if out, code := ran(t, args...); code != exitDone {
			t.Fatalf("%v: %s", args, out)
		}
	}
	args := []string{"serve", file, "--addr", "127.0.0.1:0"}
	for _, host := range allowed {
		args = append(args, "--allow-remote", host)
	}
	cmd := exec.Command("trails", args...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if base := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); base != "" {
			return base
		}
	}
	t.Fatal("the server says no address")
	return ""
}

// ran runs the program and returns all that it says.
func ran(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out strings.Builder
	code := run(args, strings.NewReader(""), &out, &out, nil)
	return out.String(), code
}

// TestServersAskEachOther has one file ask a server, which asks another server, each
// only because it is allowed to.
func TestServersAskEachOther(t *testing.T) {
	far := servingOn(t, `<urn:a> <urn:name> "Anna" . <urn:b> <urn:name> "Bea" . _:x <urn:name> "nobody"`)
	host := strings.TrimPrefix(far, "http://")
	near := servingOn(t, `<urn:a> <urn:size> 1`, host)
	dir := t.TempDir()
	data := filepath.Join(dir, "data.ttl")
	if err := os.WriteFile(data, []byte(`<urn:a> <urn:here> true .`), 0o600); err != nil {
		t.Fatal(err)
	}
	query := `SELECT ?s ?size ?name { ?s <urn:here> true SERVICE <` + near + `/sparql> { ?s <urn:size> ?size SERVICE <` + far + `/sparql> { ?s <urn:name> ?name } } }`
	out, code := ran(t, "query", data, query, "-o", "csv", "--allow-remote", strings.TrimPrefix(near, "http://"))
	if code != exitDone || out != "s,size,name\r\nurn:a,1,Anna\r\n" {
		t.Errorf("exit %d: %s", code, out)
	}
	out, code = ran(t, "query", data, `ASK { SERVICE <`+far+`/sparql> { SERVICE <`+near+`/sparql> { ?s ?p ?o } } }`, "--allow-remote", host)
	if code == exitDone || !strings.Contains(out, "403 Forbidden") || !strings.Contains(out, "--allow-remote "+strings.TrimPrefix(near, "http://")) {
		t.Errorf("a server that may not: exit %d: %s", code, out)
	}

	file := filepath.Join(dir, "copy.trails")
	if out, code := ran(t, "init", file); code != exitDone {
		t.Fatal(out)
	}
	load := `LOAD <` + far + `/rdf-graphs?default> INTO GRAPH <urn:far>`
	if out, code = ran(t, "update", file, load); code != exitDenied || !strings.Contains(out, "--allow-remote "+host) {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code = ran(t, "update", file, load, "--allow-remote", host); code != exitDone || !strings.Contains(out, "+3 -0 quads") {
		t.Errorf("exit %d: %s", code, out)
	}
	out, code = ran(t, "query", file, `SELECT (COUNT(*) AS ?n) { GRAPH <urn:far> { ?s ?p ?o } SERVICE <`+far+`/sparql> { ?s ?p ?o } }`, "-o", "csv", "--allow-remote", host)
	if code != exitDone || out != "n\r\n2\r\n" {
		t.Errorf("a blank node there is none of here: exit %d: %s", code, out)
	}
}

func TestFilesAreRemovedWhenAQueryIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.ttl")
	if err := os.WriteFile(data, []byte(strings.Repeat("<urn:a> <urn:b> 1, 2, 3, 4, 5, 6, 7, 8, 9 .\n", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	slow := "SELECT (SUM(?a * ?b * ?c * ?d * ?e * ?f * ?g * ?h * ?i * ?j) AS ?n) {" + strings.Repeat("?s1 ?p1 ?a . ?s2 ?p2 ?b . ?s3 ?p3 ?c . ?s4 ?p4 ?d . ?s5 ?p5 ?e . ?s6 ?p6 ?f . ?s7 ?p7 ?g . ?s8 ?p8 ?h . ?s9 ?p9 ?i . ?sa ?pa ?j . ", 1) + "}"
	cmd := exec.Command("trails", "query", data, slow)
	cmd.Env = append(cmd.Environ(), "TMPDIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	made := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "trails-query-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	for made() == 0 && cmd.ProcessState == nil {
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Fatalf("it ended before: %v", err)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("it ends with %v", err)
	}
	if made() != 0 {
		t.Error("its files are left behind")
	}
}
