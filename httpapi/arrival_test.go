package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"trails/httpapi"
)

// stalled opens n connections that say they bring a body, and bring a byte of it.
func stalled(t *testing.T, server *httptest.Server, n int, path string) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path)
		conns[i] = conn
	}
	return conns
}

func post(t *testing.T, server *httptest.Server, path, media, body string) int {
	t.Helper()
	client := http.Client{Timeout: 2 * time.Minute}
	res, err := client.Post(server.URL+path, media, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

func TestBodiesThatDoNotComeBlockNobody(t *testing.T) {
	opts := runtimeOptions()
	opts.Limits = httpapi.Limits{InFlight: 4, Arriving: 64}
	server := httptest.NewServer(httpapi.New(&fakeEngine{document: "{}"}, opts))
	t.Cleanup(server.Close)
	for _, path := range []string{"/invoke/x", "/mcp", "/messages", "/sparql", "/rdf-graphs?default"} {
		stalled(t, server, 10, path)
	}
	time.Sleep(100 * time.Millisecond)
	for range 20 {
		if status := post(t, server, "/invoke/x", "application/json", "{}"); status != http.StatusOK {
			t.Fatalf("a call beside fifty bodies that do not come: %d", status)
		}
	}
}

func TestTheSlowestBodyMakesRoomForTheNext(t *testing.T) {
	opts := runtimeOptions()
	opts.Limits = httpapi.Limits{Arriving: 8}
	server := httptest.NewServer(httpapi.New(&fakeEngine{document: "{}"}, opts))
	t.Cleanup(server.Close)
	conns := stalled(t, server, 8, "/invoke/x")
	time.Sleep(1200 * time.Millisecond)
	for range 3 {
		if status := post(t, server, "/invoke/x", "application/json", "{}"); status != http.StatusOK {
			t.Fatalf("a call behind eight bodies that do not come: %d", status)
		}
	}
	cut := make(chan struct{}, len(conns))
	for _, conn := range conns {
		go func() {
			if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil && res.StatusCode == http.StatusRequestTimeout {
				cut <- struct{}{}
			}
		}()
	}
	<-cut // one is told that it is too slow, or the test does not end
}

func TestBodiesThatWereReadAreCounted(t *testing.T) {
	opts := runtimeOptions()
	opts.Limits = httpapi.Limits{BodyBytes: 1 << 20}
	entered, leave := make(chan struct{}), make(chan struct{})
	opts.MCP = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave })
	server := httptest.NewServer(httpapi.New(&fakeEngine{document: "{}"}, opts))
	t.Cleanup(server.Close)
	large := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	done := make(chan int)
	go func() { done <- post(t, server, "/mcp", "application/json", large) }()
	<-entered
	if status := post(t, server, "/invoke/x", "application/json", large); status != http.StatusServiceUnavailable {
		t.Errorf("a second body of a megabyte where one has room: %d", status)
	}
	if status := post(t, server, "/invoke/x", "application/json", "{}"); status != http.StatusOK {
		t.Errorf("a short one: %d", status)
	}
	close(leave)
	<-done
	if status := post(t, server, "/invoke/x", "application/json", large); status != http.StatusOK {
		t.Errorf("when the first is answered: %d", status)
	}
}
