package admin_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/admin"
	"trails/fault"
	"trails/invoke"
)

// broken is an engine of which one capability fails.
type broken struct {
	*invoke.Engine
	capability string
	err        error
}

func (b broken) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	if c.Capability == b.capability {
		return invoke.Result{}, b.err
	}
	return b.Engine.Call(ctx, c)
}

func TestWhatBrokeOnOurSideIsShownByItsTraceAlone(t *testing.T) {
	f := newExample(t)
	secret := errors.New("disk I/O error at /home/ana/graph.trails")
	for name, err := range map[string]error{
		"a fault": fault.New(fault.Internal, "it failed").Because(secret).With("trace_id", "0123456789abcdef0123456789abcdef"),
		"another": secret,
	} {
		b := fixture{known(admin.New(broken{f.engine, "entities_list", err}, admin.Options{})), f.engine}
		a := b.get(t, "/admin/types/Component", 500)
		if strings.Contains(a.text, "disk") || strings.Contains(a.text, "/home") {
			t.Errorf("%s: the page tells the cause", name)
		}
		if name == "a fault" {
			says(t, a, "Something broke on our side", "Trace 0123456789abcdef0123456789abcdef")
		}
		checkPage(t, name, a)
	}
}

func TestAPageIsShownWithoutItsFrameWhenThatCannotBeHad(t *testing.T) {
	f := newExample(t)
	b := fixture{known(admin.New(broken{f.engine, "health", errors.New("away")}, admin.Options{})), f.engine}
	says(t, b.get(t, "/admin/commits", 200), "The example")
}

func TestFaultsKeepTheirStatus(t *testing.T) {
	f := newExample(t)
	for kind, status := range map[fault.Kind]int{
		fault.Denied: 403, fault.Exhausted: 429, fault.TimedOut: 408, fault.Unusable: 503, fault.Unauthenticated: 401,
	} {
		b := fixture{known(admin.New(broken{f.engine, "commits_find", fault.New(kind, "said %s", "plainly")}, admin.Options{})), f.engine}
		a := b.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/commits", nil))
		if a.StatusCode != status {
			t.Errorf("%s: got %d, want %d", kind, a.StatusCode, status)
		}
		says(t, a, "said plainly")
	}
}
