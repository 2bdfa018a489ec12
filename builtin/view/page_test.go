package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

func TestAListSaysWhichPartOfItThisIs(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for uri, want := range map[string]*invoke.Page{
		"trails://kg/Decision":                        {Limit: 100},
		"trails://kg/Decision?limit=3":                {Limit: 3, More: true},
		"trails://kg/Decision?limit=3&offset=3":       {Limit: 3, Offset: 3, More: true},
		"trails://kg/Decision?limit=3&offset=9999":    {Limit: 3, Offset: 9999},
		"trails://kg/Decision?where=number=1&limit=1": {Limit: 1},
		"trails://kg/Decision/1":                      nil,
		"trails://schema":                             nil,
	} {
		doc, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
		}
		if diff := cmp.Diff(want, doc.Page); diff != "" {
			t.Errorf("%s: %s", uri, diff)
		}
	}
}
