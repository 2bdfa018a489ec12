package tools_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/builtin"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// A resource of a server is followed by the id of its card, as a call of its reader.
func TestResourcesOfServersAreFollowed(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "watched", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	s.AddResource(&mcp.Resource{URI: "w://readme", Name: "readme"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		t.Error("it was read")
		return &mcp.ReadResourceResult{}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "w://file/{path}", Name: "file"}, nil)
	pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }})
	t.Cleanup(pool.Close)
	offer := tools.New(pool, embed.Open(embed.Config{}), false)
	e := invoketest.New(t, people, invoke.Config{
		Providers: builtin.Options{Upstreams: pool, Gateway: offer}.Providers(),
	})
	follow := func(address string, updated func()) (func(), error) {
		return offer.Follow(t.Context(), e, invoke.Call{Principal: invoketest.Ana, Via: "test"}, address, updated)
	}
	const readme = "resource::watched:readme#"
	if _, err := follow(readme+"00000000", nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("where the file names no server: %v", err)
	}
	e.Must(t, "trails.meta.gateway.add", `{"definition":`+gateway.Server{Name: "watched", HTTP: serve(t, s)}.Text()+`}`)
	var told atomic.Int32
	for address, touched := range map[string]string{
		idOf(t, e, "resource_browse", "readme"):               "w://readme",
		idOf(t, e, "resource_browse", "file") + "?path=a%20b": "w://file/a%20b",
	} {
		told.Store(0)
		stop, err := follow(address, func() { told.Add(1) })
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		for deadline := time.Now().Add(10 * time.Second); told.Load() == 0; time.Sleep(20 * time.Millisecond) {
			if err := s.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: touched}); err != nil || time.Now().After(deadline) {
				t.Fatalf("%s: nobody is told, %v", address, err)
			}
		}
		stop()
	}
	for address, want := range map[string]gateway.Code{
		readme + "00000000":                              gateway.ResourceNotFound,
		idOf(t, e, "resource_browse", "file"):            gateway.ArgsInvalid,
		idOf(t, e, "resource_browse", "readme") + "?x=y": gateway.ArgsInvalid,
	} {
		if _, err := follow(address, nil); fault.Of(err).Details["error"] != want {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
	for _, address := range []string{"w://readme", "trails://schema", "watched:readme#00000000", "resource::%zz"} {
		if _, err := follow(address, nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", address, err)
		}
	}
	id := idOf(t, e, "resource_browse", "readme")
	e.Govern(t, `permit (principal, action, resource); forbid (principal, action, resource == Capability::"resource_read");`)
	bot := invoke.Call{Principal: invoketest.Nobody, Via: "test"}
	if _, err := offer.Follow(t.Context(), e, bot, id, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("who may not read it: %v", err)
	}
	seen := 0
	for _, a := range e.Activities(t) {
		if a.Capability == "resource_read" && a.Outcome == "ok" {
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("provenance has %d", seen)
	}
}
