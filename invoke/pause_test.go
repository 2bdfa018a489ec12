package invoke_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"trails/builtin"
	"trails/capability"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/rdf"
)

// What reads for long pauses while somebody else calls.
func TestAQueryPausesForTheCallOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pause.db")
	invoketest.Create(t, path, kg.CreateOptions{Schema: []byte("types:\n  Note: {}\n"), By: invoketest.Ana})
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reading, paused := make(chan struct{}), make(chan time.Duration, 1)
	offer := invoke.Offer{Capabilities: []invoke.Capability{
		invoke.Define(capability.Descriptor{ID: "pause.reads", Description: "Reads until it has paused."}, func(ctx context.Context, r *invoke.Request, _ struct{}) (struct{}, error) {
			_, err := r.InTurn(ctx, func(ctx context.Context) (any, error) {
				close(reading)
				for began := time.Now(); r.Paused() == 0 && time.Since(began) < 30*time.Second; {
					for _, err := range r.Snapshot.Match(ctx, rdf.Quad{}) {
						if err != nil {
							return nil, err
						}
					}
				}
				paused <- r.Paused()
				return nil, nil
			})
			return struct{}{}, err
		}),
		invoke.Define(capability.Descriptor{ID: "pause.calls", Description: "Takes a while."}, func(context.Context, *invoke.Request, struct{}) (struct{}, error) {
			time.Sleep(30 * time.Millisecond)
			return struct{}{}, nil
		}),
	}}
	e := invoke.New(g, invoke.Config{Version: "test", Providers: append(builtin.Providers(), invoke.Fixed(offer)), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { e.Close(context.Background()); g.Close() })
	ended := make(chan error, 1)
	go func() {
		_, err := e.Call(t.Context(), invoke.Call{Capability: "pause.reads", Args: json.RawMessage("{}"), Principal: invoketest.Ana})
		ended <- err
	}()
	<-reading
	for {
		select {
		case p := <-paused:
			if p == 0 {
				t.Error("the query did not pause")
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "pause.calls", Args: json.RawMessage("{}"), Principal: flooder}); err != nil {
			t.Fatal(err)
		}
	}
}
