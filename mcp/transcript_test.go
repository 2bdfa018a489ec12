package mcp_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"trails/auth"
	"trails/auth/policy"
	"trails/capability/project"
	"trails/mcp"
)

var update = flag.Bool("update", false, "write what the server answers into the transcripts")

// A transcript is what goes over the wire: lines after ">" go in, lines after "<"
// came out. Its comment may set "token: T" and "scopes: a,b".
func TestTranscriptsAreWhatTheServerSays(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkTranscripts(t, file) })
	}
}

func checkTranscripts(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	play := playStdio
	switch name := filepath.Base(file); {
	case strings.HasPrefix(name, "http_stateful"):
		play = func(t *testing.T, opts mcp.Options, script string) string {
			return playSessions(t, opts, script, (*mcp.Server).StatefulHandler)
		}
	case strings.HasPrefix(name, "http_sse"):
		play = func(t *testing.T, opts mcp.Options, script string) string {
			return playSessions(t, opts, script, (*mcp.Server).SSEHandler)
		}
	case strings.HasPrefix(name, "http"):
		play = playHTTP
	}
	for i, section := range archive.Files {
		t.Run(section.Name, func(t *testing.T) {
			got := strings.ReplaceAll(play(t, transcriptOptions(t, string(archive.Comment)), string(section.Data)), project.Icon(), "data:ICON")
			if *update {
				archive.Files[i].Data = []byte(got)
				return
			}
			if diff := cmp.Diff(string(section.Data), got); diff != "" {
				t.Errorf("(-transcript +server, -update rewrites it)\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func transcriptOptions(t *testing.T, comment string) mcp.Options {
	callers := auth.Options{Scopes: policy.NewScopes(policy.Runtime)}
	for line := range strings.Lines(comment) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "token":
			callers.Token = value
		case "scopes":
			scopes, err := policy.ParseScopes(value)
			if err != nil {
				t.Fatal(err)
			}
			callers.Scopes = scopes
		}
	}
	return optionsOf(callers)
}

func playStdio(t *testing.T, opts mcp.Options, script string) string {
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, opts)
		for line := range strings.Lines(script) {
			in, isInput := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
			switch {
			case isInput:
				out.WriteString(line)
				for _, got := range s.send(in) {
					fmt.Fprintf(&out, "< %s\n", got)
				}
			case !strings.HasPrefix(line, "< "):
				out.WriteString(line)
			}
		}
		if err := s.end(); err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
	return out.String()
}

// playHTTP sends one request for each run of input lines: headers, then the body.
func playHTTP(t *testing.T, opts mcp.Options, script string) string {
	h := mcp.New(&fake{}, opts).Handler()
	var out strings.Builder
	var headers []string
	for line := range strings.Lines(script) {
		in, isInput := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		switch {
		case isInput && isHeader(in):
			out.WriteString(line)
			headers = append(headers, in)
		case isInput:
			out.WriteString(line)
			out.WriteString(exchange(t, h, in, headers))
			headers = nil
		case !strings.HasPrefix(line, "< "):
			out.WriteString(line)
		}
	}
	return out.String()
}

func isHeader(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return ok && !strings.ContainsAny(name, `{["`)
}

func exchange(t *testing.T, h http.Handler, body string, headers []string) string {
	method, _, isOther := strings.Cut(body, " /mcp")
	if !isOther {
		return shown(post(t, h, body, headers...))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), method, "http://localhost/mcp", nil))
	return shown(w)
}

func shown(w *httptest.ResponseRecorder) string {
	var out strings.Builder
	fmt.Fprintf(&out, "< %d %s\n", w.Code, w.Header().Get("Content-Type"))
	for _, name := range []string{"Allow", "WWW-Authenticate"} {
		if v := w.Header().Get(name); v != "" {
			fmt.Fprintf(&out, "< %s: %s\n", name, v)
		}
	}
	if body := strings.TrimSpace(w.Body.String()); body != "" {
		for line := range strings.SplitSeq(body, "\n") {
			fmt.Fprintf(&out, "< %s\n", line)
		}
	}
	return out.String()
}
