package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"trails/httpapi"
	"trails/kg/fault"
)

func TestListenRefusesWhatOthersCouldReach(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "10.1.2.3:0", "example.org:80"} {
		ln, err := httpapi.Listen(t.Context(), addr)
		if err == nil {
			_ = ln.Close()
		}
		if !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("Listen(%q): got %v, want a refusal", addr, err)
		}
	}
	for _, addr := range []string{"", "localhost", "127.0.0.1"} {
		if _, err := httpapi.Listen(t.Context(), addr); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("Listen(%q): got %v, want a refusal", addr, err)
		}
	}
}

func TestServeLetsACallInFlightFinish(t *testing.T) {
	ln, err := httpapi.Listen(t.Context(), "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	started, finish := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-finish
		_, _ = io.WriteString(w, "done")
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- httpapi.New(&fakeEngine{}, httpapi.Options{Admin: h}).Serve(ctx, ln) }()
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + ln.Addr().String() + "/admin")
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-started
	stop()
	close(finish)
	if got := <-answer; got != "done" {
		t.Errorf("got %q, want done", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
