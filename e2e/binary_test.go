package e2e_test

import (
	"bytes"
	"os"
	"testing"

	"trails/e2e/testrun"
)

// Templates call methods by names that are not known before a page is rendered. The linker keeps every exported method
// of every type where that can happen: 3 MB of the binary. The names of its functions tell what it kept.
func TestTheBinaryRendersNoTemplates(t *testing.T) {
	testrun.Alone(t)
	binary, err := os.ReadFile(trailsBinary)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(binary, []byte("main.run\x00")) {
		t.Fatal("the names of functions are not in the binary")
	}
	if bytes.Contains(binary, []byte("text/template.(*state).evalField\x00")) {
		t.Error("the binary renders templates: go build -ldflags=-dumpdep ./cmd/trails says who uses text/template")
	}
}
