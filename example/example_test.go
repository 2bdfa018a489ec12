package example_test

import (
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
