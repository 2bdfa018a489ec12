package remote_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"trails/fault"
	"trails/kg/remote"
)

func TestJSONIsPostedWithItsKeyToOneAddressOnly(t *testing.T) {
	reached := false
	there := answering(t, func(http.ResponseWriter, *http.Request) { reached = true })
	here := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != "POST" || string(body) != `{"a":1}` || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cookie") != "" {
			t.Errorf("%s %q %v, %v", r.Method, body, r.Header, err)
		}
		w.Header().Set("Set-Cookie", "a=b")
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, there.URL, http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/", http.StatusPermanentRedirect)
		case "/no":
			http.Error(w, "said by the endpoint", http.StatusTeapot)
		case "/much":
			_, _ = io.WriteString(w, strings.Repeat("x", 101))
		case "/slow":
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w, r.Header.Get("Authorization"))
		}
	})
	c := client(t, remote.Limits{Answer: 100, Time: 300 * time.Millisecond}, hostOf(here))
	for _, key := range []string{"", "k"} {
		want := strings.TrimSuffix("Bearer "+key, "Bearer ")
		if got, err := c.Post(t.Context(), here.URL, key, []byte(`{"a":1}`)); err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	for path, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"/away": {fault.Unusable, "answered 307"}, "/round": {fault.Unusable, "answered 308"}, "/no": {fault.InvalidData, "answered 418 I'm a teapot"},
		"/much": {fault.TooLarge, "more than 100 bytes"}, "/slow": {fault.TimedOut, "within 300ms"},
	} {
		_, err := c.Post(t.Context(), here.URL+path, "k", []byte(`{"a":1}`))
		if f := fault.Of(err); err == nil || f.Kind != want.kind || !strings.Contains(f.Message, want.says) || strings.Contains(f.Message, "said by") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.Post(t.Context(), there.URL, "k", nil); !fault.Is(err, fault.Denied) || reached {
		t.Errorf("another host: %v, reached: %t", err, reached)
	}
}
