package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// embedding is the program in docs/guide/embedding.md.
const embedding = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"trails/auth/policy"
	"trails/kg"
)

func main() {
	ctx, me := context.Background(), policy.Local("ana", "")
	schema := []byte("types: {Note: {properties: {title: {type: string, required: true}}}}")
	if err := kg.Create(ctx, os.Args[1], kg.CreateOptions{Schema: schema, By: me}); err != nil {
		log.Fatal(err)
	}
	g, err := kg.Open(ctx, os.Args[1], kg.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	fmt.Println(g.Base())
}
`

// TestAProgramOutsideEmbedsTheGraph follows the guide: a module of its own, in one workspace with a clone of
// this one.
func TestAProgramOutsideEmbedsTheGraph(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	guide, err := os.ReadFile("../docs/guide/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), embedding) {
		t.Error("the guide has another program")
	}
	clone, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(embedding), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "notes.trails")
	for _, args := range [][]string{{"mod", "init", "example.org/notes"}, {"work", "init", ".", clone}, {"run", ".", file}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if args[0] == "run" && strings.TrimSpace(string(out)) != "urn:trails:notes:" {
			t.Errorf("the program says %q", out)
		}
	}
	if out := must(t, "verify", file); !strings.Contains(out, "is sound") {
		t.Errorf("verify says %s", out)
	}
}
