package invoke_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"trails/builtin"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/rdf"
)

// What runs in turn while others write much is begun anew when its snapshot gave way, unless a part
// of its output is out.
func TestWhatGaveWayIsBegunAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "way.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: []byte("types:\n  Note: {}\n"), By: invoketest.Ana}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), path, kg.Options{LongLog: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	// untilGivenWay reads until its snapshot gives way, the first time that it runs.
	untilGivenWay := func(ctx context.Context, r *invoke.Request) error {
		if runs++; runs > 1 {
			return nil
		}
		for {
			for _, err := range r.Snapshot.Match(ctx, rdf.Quad{}) {
				if err != nil {
					return err
				}
			}
		}
	}
	offer := invoke.Offer{Capabilities: []invoke.Capability{
		invoke.Define(capability.Descriptor{ID: "way.reads", Description: "Reads."}, func(ctx context.Context, r *invoke.Request, _ struct{}) (struct{}, error) {
			_, err := r.InTurn(ctx, func(ctx context.Context) (any, error) { return nil, untilGivenWay(ctx, r) })
			return struct{}{}, err
		}),
		invoke.Define(capability.Descriptor{ID: "way.streams", Description: "Reads, when a part of its answer is out."}, func(ctx context.Context, r *invoke.Request, _ struct{}) (struct{}, error) {
			_, err := r.InTurn(ctx, func(ctx context.Context) (any, error) {
				if _, err := r.Output.Write(make([]byte, 2<<20)); err != nil {
					return nil, err
				}
				return nil, untilGivenWay(ctx, r)
			})
			return struct{}{}, err
		}),
	}}
	e := invoke.New(g, invoke.Config{Version: "test", Providers: append(builtin.Providers(), invoke.Fixed(offer)), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { e.Close(context.Background()); g.Close() })
	for _, c := range []struct {
		capability string
		runs       int
		busy       bool
	}{{"way.reads", 2, false}, {"way.streams", 1, true}} {
		runs = 0
		ended := make(chan error, 1)
		go func() {
			_, err := e.Call(t.Context(), invoke.Call{Capability: c.capability, Args: json.RawMessage("{}"), Principal: invoketest.Ana, Output: io.Discard})
			ended <- err
		}()
		var err error
		for writing := true; writing; {
			select {
			case err = <-ended:
				writing = false
			default:
				if _, err := e.Call(t.Context(), invoke.Call{Capability: "note_create", Args: json.RawMessage("{}"), Principal: invoketest.Ana}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if runs != c.runs || fault.Is(err, fault.Busy) != c.busy || kg.GaveWay(err) != c.busy || !c.busy && err != nil {
			t.Errorf("%s ran %d times and ended with %v", c.capability, runs, err)
		}
	}
}
