package builtin_test

import (
	"encoding/json"
	"testing"
	"time"

	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/sparql/sparqltest"
)

// farTooLong is when a text that may take 100 ms has got stuck, on the slowest machine.
const farTooLong = time.Minute

// TestHostileTextsAreAnsweredOrToldWhy sends each text twice: for an answer that is
// bounded, and for a stream.
func TestHostileTextsAreAnsweredOrToldWhy(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred texts")
	}
	e := invoketest.Example(t)
	for _, h := range sparqltest.HostileTexts() {
		t.Run(h.Name, func(t *testing.T) {
			for _, stream := range []bool{false, true} {
				if stream && h.Update {
					continue
				}
				begun := time.Now()
				err := hostile(t, e, h, stream)
				if took := time.Since(begun); took > farTooLong {
					t.Errorf("took %s", took)
				}
				if !h.Ends(err) {
					t.Errorf("got %.300v", err)
				}
			}
		})
	}
	if got := e.Must(t, "query", queryArgs("ASK {}", nil)); got["boolean"] != true {
		t.Errorf("after all of that: %v", got)
	}
}

func hostile(t *testing.T, e *invoketest.Engine, h sparqltest.Hostile, stream bool) error {
	capability, argument := "query", "query"
	if h.Update {
		capability, argument = "mutate", "update"
	}
	args, err := json.Marshal(map[string]any{argument: h.Text, "timeout_ms": 100})
	if err != nil {
		t.Fatal(err)
	}
	c := invoke.Call{Capability: capability, Args: args, Principal: invoketest.Ana, Via: "test"}
	if stream {
		c.Output = &counter{}
	}
	_, err = e.Call(t.Context(), c)
	return err
}
