package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trails/invoke"
	"trails/mcp"
)

// A transcript of a door with sessions has requests as one of the stateless door,
// with $SESSION for the session's name and $1, $2 … for those of its streams. What
// an open stream has to say stands after the request that makes it say so. A line
// after "!" is what happens meanwhile: a change of the graph as JSON, "wait 31m", or
// "cut", which cuts the streams.
func playSessions(t *testing.T, opts mcp.Options, script string, door func(*mcp.Server) http.Handler) string {
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		server := mcp.New(e, opts)
		w := openWeb(t, server, door)
		p := &player{browser: w.browser("", ""), engine: e, out: &out, names: map[string]string{}}
		for line := range strings.Lines(script) {
			p.play(strings.TrimSuffix(line, "\n"))
		}
		for _, s := range p.streams {
			s.cut()
		}
	})
	return out.String()
}

type player struct {
	*browser
	engine  *fake
	out     *strings.Builder
	headers []string
	streams []*stream
	names   map[string]string // of sessions and streams → as written
}

func (p *player) play(line string) {
	p.t.Helper()
	in, isInput := strings.CutPrefix(line, "> ")
	happens, isEvent := strings.CutPrefix(line, "! ")
	if strings.HasPrefix(line, "< ") {
		return
	}
	fmt.Fprintln(p.out, line)
	switch {
	case isInput && isHeader(in):
		p.headers = append(p.headers, p.filled(in))
		return
	case isInput:
		p.request(p.filled(in))
		p.headers = nil
	case isEvent:
		p.happen(happens)
	default:
		return
	}
	for _, s := range p.streams {
		p.show(s.heard())
	}
}

func (p *player) request(in string) {
	p.t.Helper()
	method, path, isBare := strings.Cut(in, " /")
	switch {
	case isBare && method == http.MethodGet:
		s := p.open(method, "/"+path, "", p.headers...)
		p.streams = append(p.streams, s)
		fmt.Fprintf(p.out, "< %d\n", s.status)
		return
	case !isBare:
		method, path = http.MethodPost, strings.TrimPrefix(p.path, "/")
	}
	if isBare {
		in = ""
	}
	res := p.do(p.t.Context(), method, "/"+path, in, p.headers...)
	defer res.Body.Close()
	fmt.Fprintf(p.out, "< %d %s\n", res.StatusCode, res.Header.Get("Content-Type"))
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		p.names["$SESSION"] = id
		fmt.Fprintln(p.out, "< Mcp-Session-Id: $SESSION")
	}
	for _, name := range []string{"Allow", "Retry-After", "WWW-Authenticate"} {
		if v := res.Header.Get(name); v != "" {
			fmt.Fprintf(p.out, "< %s: %s\n", name, v)
		}
	}
	var s stream
	s.read(res.Body)
	p.show(s.events)
}

func (p *player) happen(what string) {
	p.t.Helper()
	if what == "cut" {
		for _, s := range p.streams {
			s.cut()
			<-s.ended
		}
		p.streams = nil
		quiet()
		return
	}
	if text, isWait := strings.CutPrefix(what, "wait "); isWait {
		d, err := time.ParseDuration(text)
		if err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(d)
		return
	}
	var c invoke.Change
	if err := json.Unmarshal([]byte(what), &c); err != nil {
		p.t.Fatal(err)
	}
	p.engine.changes <- c
}

var streamName = regexp.MustCompile(`^([A-Z0-9]*)_(\d+)$`)

func (p *player) show(events []event) {
	for _, e := range events {
		if e.name != "" && e.name != "message" {
			fmt.Fprintf(p.out, "< event: %s\n", e.name)
		}
		if m := streamName.FindStringSubmatch(e.id); m != nil {
			fmt.Fprintf(p.out, "< id: %s_%s\n", p.masked(m[1]), m[2])
		}
		switch path, id, isEndpoint := strings.Cut(e.data, "?sessionid="); {
		case e.name == "endpoint" && isEndpoint:
			p.path, p.names["$SESSION"] = e.data, id
			fmt.Fprintf(p.out, "< endpoint: %s?sessionid=$SESSION\n", path)
		case e.name != "" && e.data != "":
			fmt.Fprintf(p.out, "< data: %s\n", e.data)
		case e.data != "":
			fmt.Fprintf(p.out, "< %s\n", e.data)
		}
	}
}

// masked writes the name of a stream so that it is the same each time.
func (p *player) masked(name string) string {
	for masked, known := range p.names {
		if known == name {
			return masked
		}
	}
	if name == "" {
		return ""
	}
	masked := fmt.Sprintf("$%d", len(p.names))
	p.names[masked] = name
	return masked
}

func (p *player) filled(text string) string {
	for masked, name := range p.names {
		text = strings.ReplaceAll(text, masked, name)
	}
	return text
}
