package e2e_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestStalledBodiesHoldNobodyUp opens many calls and sends only the header and one byte of each. Other calls
// are answered meanwhile, and the server gives up on the stalled ones.
func TestStalledBodiesHoldNobodyUp(t *testing.T) {
	t.Parallel()
	const stalled, notes = 256, 20
	w := openWeb(t, manyNotes(t, notes))
	host := strings.TrimPrefix(w.base, "http://")
	var conns []net.Conn
	for i := range stalled {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		path := []string{"/mcp", "/sparql", "/invoke/note.create", "/messages"}[i%4]
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path, host); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	for n := range 25 {
		began := time.Now()
		if err := oneRequest(http.DefaultClient, w.base, n%notes, n); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 25*time.Second { // a body that does not come ends after thirty
			t.Errorf("request %d took %s beside %d stalled ones", n, took, stalled)
		}
	}
	for i, conn := range conns {
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("connection %d is still open: %q, %v", i, answer, err)
		}
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}
