package upstream

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestATimeToComeBackIsReadAsServersWriteIt(t *testing.T) {
	for said, want := range map[string]float64{
		"": 0, "soon": 0, "-5": 0, "0": 0, "NaN": 0, "7": 7, "1.5": 1.5, "1e400": 86400, "99999999999999999999999": 86400, "+Inf": 86400, "-Inf": 0,
		"Thu, 26 Nov 2099 00:00:00 GMT": 86400, "Thu, 26 Nov 1999 00:00:00 GMT": 0, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): 3600,
	} {
		if got := retryAfter(said).Seconds(); got > want || got < want*0.9 {
			t.Errorf("%q is %v, want %v", said, got, want)
		}
	}
}

// TestTheClientReadsNoFloodOfNotifications sends each kind of notification, as lines and as events.
// What the client is left with are those that only it understands.
func TestTheClientReadsNoFloodOfNotifications(t *testing.T) {
	l := &link{pool: Open(Config{}), calls: map[string]*running{}, offers: map[string]*offer{}}
	t.Cleanup(l.pool.Close)
	for method, left := range map[string]int{"tools/list_changed": 0, "resources/list_changed": 0, "prompts/list_changed": 0, "progress": 0, "resources/updated": 0, "message": 0, "of/tomorrow": 0, "cancelled": takenFree} {
		note := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s","params":{}}`, method)
		for name, m := range map[string]*messages{
			"lines":  newMessages(io.NopCloser(strings.NewReader(strings.Repeat(note+"\n", 1000)+"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")), func(string) {}, l.notified),
			"events": newEvents(io.NopCloser(strings.NewReader(strings.Repeat("data: "+note+"\n\n", 1000)+"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")), func(string) {}, l.notified, json.RawMessage("1")),
		} {
			l.begin(Hooks{})
			got, err := io.ReadAll(m)
			if n := strings.Count(string(got), "notifications/"); err != nil || n != left || strings.Count(string(got), `"id":1`) != 1 {
				t.Errorf("%s as %s: %d are left, %v", method, name, n, err)
			}
		}
	}
}

// A server takes back as many questions as it asks; more than that do not reach the client, in which each is dear.
func TestAFloodOfCancellationsDoesNotReachTheClient(t *testing.T) {
	l := &link{calls: map[string]*running{}}
	passed := func(n int) (passed int) {
		for range n {
			if !l.notified("notifications/cancelled", nil) {
				passed++
			}
		}
		return passed
	}
	l.begin(Hooks{})
	if got := passed(10_000); got != takenFree {
		t.Errorf("%d of them reach the client", got)
	}
	l.begin(Hooks{})
	for range 300 {
		if _, err := l.elicit(t.Context(), &mcp.ElicitRequest{Params: &mcp.ElicitParams{}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := passed(10_000); got != 300+takenFree {
		t.Errorf("after 300 questions %d reach it", got)
	}
}
