package example_test

import (
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/example"
)

func TestTheStoryReads(t *testing.T) {
	testrun.Alone(t)
	steps := 0
	for s, err := range example.Story() {
		if err != nil {
			t.Fatal(err)
		}
		if steps++; s.Who == "" || s.Capability == "" || s.Message == "" || len(s.Arguments) == 0 {
			t.Errorf("step %d is not whole: %+v", steps, s)
		}
	}
	if steps == 0 {
		t.Error("nothing happens")
	}
}

func TestTheWholeIsTheDataAfterTheStory(t *testing.T) {
	testrun.Alone(t)
	whole, err := example.Whole()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(whole), `{"type":`); n != 58 { // which the overview of an empty graph says
		t.Errorf("%d nodes", n)
	}
	for has, want := range map[string]bool{
		`"id":"html"`: true, `"id":"xhtml-1.0"`: false, `"code":"R-013","priority":1,"status":"met"`: true, `"edge":"dependsOn","from":"Component/rdf","to":"Component/fault"`: true,
	} {
		if got := strings.Contains(string(whole), has); got != want {
			t.Errorf("%s is in the whole: %t, want %t", has, got, want)
		}
	}
}
