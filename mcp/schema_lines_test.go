package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/mcp"
)

// line is the way to a server: what is sent, and what comes back in any order.
type line struct {
	send  func(text string)
	heard chan string
}

// lines opens each door.
var lines = map[string]func(t *testing.T, s *mcp.Server, version string) line{
	"stdio":     stdioLine,
	"stateless": statelessLine,
	"stateful":  statefulLine,
	"sse":       sseLine,
}

func stdioLine(t *testing.T, s *mcp.Server, _ string) line {
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.RunStdio(t.Context(), inR, outW) }()
	l := line{heard: make(chan string, 100), send: func(text string) { fmt.Fprintln(in, text) }}
	go func() {
		lines := bufio.NewReader(out)
		for {
			text, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			l.heard <- text
		}
	}()
	t.Cleanup(func() {
		in.Close()
		<-ended
		outW.Close()
	})
	return l
}

func statelessLine(t *testing.T, s *mcp.Server, version string) line {
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	l := line{heard: make(chan string, 100)}
	l.send = func(text string) {
		var m wire
		_ = json.Unmarshal([]byte(text), &m) // it was inspected
		go postLine(t, web.URL, text, nameHeaders(version, m), l.heard)
	}
	return l
}

func statefulLine(t *testing.T, s *mcp.Server, version string) line {
	web := httptest.NewServer(s.StatefulHandler())
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	return sessionLine(t, web.URL, version)
}

// sessionLine remembers the session that it is given, and then has its stream open.
func sessionLine(t *testing.T, url, version string) line {
	l := line{heard: make(chan string, 100)}
	var session []string
	l.send = func(text string) {
		var m wire
		_ = json.Unmarshal([]byte(text), &m) // it was inspected
		headers := append(nameHeaders(version, m), session...)
		if m.Method == "initialize" {
			session = []string{"Mcp-Session-Id: " + postLine(t, url, text, headers, l.heard)}
			return
		}
		go postLine(t, url, text, headers, l.heard)
		if m.Method == "notifications/initialized" {
			go getLine(t, url, headers, l.heard)
		}
	}
	return l
}

// nameHeaders are the headers that a message has in this version.
func nameHeaders(version string, m wire) []string {
	var p struct{ Name, URI string }
	_ = json.Unmarshal(m.Params, &p) // most have neither
	name := p.Name + p.URI
	if m.Method == "completion/complete" || m.Method == "initialize" {
		name = ""
	}
	return versionHeaders(version, m.Method, name)
}

// postLine posts a message and hands on every message of the answer. It returns the
// session's id, if one was given.
func postLine(t *testing.T, url, text string, headers []string, heard chan<- string) string {
	return exchangeLine(t, http.MethodPost, url, text, headers, heard)
}

// getLine hands on every message of the session's stream.
func getLine(t *testing.T, url string, headers []string, heard chan<- string) {
	exchangeLine(t, http.MethodGet, url, "", headers, heard)
}

func exchangeLine(t *testing.T, method, url, text string, headers []string, heard chan<- string) (session string) {
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(text))
	if err != nil {
		t.Error(err)
		return ""
	}
	for _, header := range append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream") {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		if t.Context().Err() == nil {
			t.Error(err)
		}
		return ""
	}
	defer res.Body.Close()
	session = res.Header.Get("Mcp-Session-Id")
	if res.Header.Get("Content-Type") == "text/event-stream" {
		handOn(res.Body, func(event string) { heard <- event })
		return session
	}
	body, _ := io.ReadAll(res.Body)
	if body = bytes.TrimSpace(body); len(body) > 0 {
		heard <- string(body)
	}
	return session
}

// handOn hands on the data of a stream's events.
func handOn(stream io.Reader, heard func(event string)) {
	events := bufio.NewReader(stream)
	for {
		text, err := events.ReadString('\n')
		if data, ok := strings.CutPrefix(text, "data: "); ok && len(data) > 1 {
			heard(strings.TrimSpace(data))
		}
		if err != nil {
			return
		}
	}
}

// sseLine reads the one stream that there is, whose first event says where to post.
func sseLine(t *testing.T, s *mcp.Server, _ string) line {
	web := httptest.NewServer(s.SSEHandler())
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	l, endpoint := line{heard: make(chan string, 100)}, make(chan string, 1)
	go streamLine(t, web.URL+"/sse", func(event string) {
		if strings.HasPrefix(event, "{") {
			l.heard <- event
			return
		}
		endpoint <- event
	})
	path := <-endpoint
	l.send = func(text string) { postLine(t, web.URL+path, text, nil, l.heard) }
	return l
}

func streamLine(t *testing.T, url string, heard func(event string)) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return
	}
	r.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	handOn(res.Body, heard)
}
