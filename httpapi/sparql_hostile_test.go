package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
	"trails/sparql/sparqltest"
)

// statusOf are the statuses of the ends that a hostile text may have.
var statusOf = map[fault.Kind]int{
	fault.TooLarge: http.StatusRequestEntityTooLarge, fault.TimedOut: http.StatusRequestTimeout,
	fault.InvalidArguments: http.StatusBadRequest, fault.Malformed: http.StatusBadRequest,
}

// TestHostileTextsLeaveRoomForOthers sends the texts to a server, eight at a time, while
// another client asks small questions all the time. The bound on these is far above the
// second that they may take, for machines that do something else, too.
func TestHostileTextsLeaveRoomForOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred texts")
	}
	limits := httpapi.Limits{Call: 500 * time.Millisecond}
	server := httptest.NewServer(httpapi.New(notesEngine(t), httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.NewScopes(policy.Runtime)}), Limits: limits}))
	defer server.Close()
	texts, done := make(chan sparqltest.Hostile), make(chan struct{})
	var hostile sync.WaitGroup
	for range 8 {
		hostile.Go(func() {
			for h := range texts {
				checkHostile(t, server.URL, h)
			}
		})
	}
	var small sync.WaitGroup
	small.Go(func() { askUntil(t, server.URL, done) })
	for _, h := range sparqltest.HostileTexts() {
		texts <- h
	}
	close(texts)
	hostile.Wait()
	close(done)
	small.Wait()
}

// checkHostile sends one text. An answer that has begun is cut, which is an end, too; and
// on a machine that does something else the server's half second can be over before its
// right end, which package builtin tests without a clock.
func checkHostile(t *testing.T, server string, h sparqltest.Hostile) {
	media := queryType
	if h.Update {
		media = updateType
	}
	res, err := http.Post(server+"/sparql", media, strings.NewReader(h.Text))
	if err != nil {
		t.Errorf("%s: %v", h.Name, err)
		return
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return
	}
	wanted := slices.ContainsFunc(h.Kinds, func(k fault.Kind) bool { return statusOf[k] == res.StatusCode })
	if !wanted && res.StatusCode != http.StatusRequestTimeout && (!h.Answers || res.StatusCode != http.StatusOK) {
		t.Errorf("%s: status %d", h.Name, res.StatusCode)
	}
}

// askUntil asks small questions, and reports how long the slowest took.
func askUntil(t *testing.T, server string, done <-chan struct{}) {
	var slowest time.Duration
	n := 0
	for ; ; n++ {
		select {
		case <-done:
			t.Logf("the slowest of %d small questions took %s", n, slowest)
			return
		default:
		}
		begun := time.Now()
		res, err := http.Get(server + "/sparql?query=ASK%20%7B%7D")
		if err != nil {
			t.Errorf("a small question: %v", err)
			return
		}
		res.Body.Close()
		took := time.Since(begun)
		slowest = max(slowest, took)
		if res.StatusCode != http.StatusOK || took > time.Minute {
			t.Errorf("a small question: status %d after %s", res.StatusCode, took)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestAReaderThatStandsStillDoesNotKeepAQuery: whoever asks for much and takes none of it
// is cut off after its time, not when its connection ends.
func TestAReaderThatStandsStillDoesNotKeepAQuery(t *testing.T) {
	h := httpapi.New(notesEngine(t), httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.NewScopes(policy.Runtime)}), Limits: httpapi.Limits{Call: 300 * time.Millisecond}})
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(over)
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	numbers := strings.Repeat("0 1 2 3 4 5 6 7 8 9 ", 5)
	text := "SELECT * { VALUES ?a {" + numbers + "} VALUES ?b {" + numbers + "} VALUES ?c {" + numbers + "} VALUES ?d {" + numbers + "} VALUES ?e {" + numbers + "} }"
	res, err := http.Post(server.URL+"/sparql", queryType, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	select {
	case <-over:
	case <-time.After(time.Minute):
		server.CloseClientConnections()
		t.Error("the query still runs")
	}
}
