package tools_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trails/gateway"
	"trails/gateway/embed"
	"trails/invoke"
)

// meaning is an endpoint that knows of two things what they mean, by words of which the tools
// have some. While broken, it answers nothing.
func meaning(t testing.TB) (address string, requests *atomic.Int64, broken *atomic.Bool) {
	t.Helper()
	requests, broken = new(atomic.Int64), new(atomic.Bool)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if broken.Load() {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		type datum struct {
			Index     int        `json:"index"`
			Embedding [3]float64 `json:"embedding"`
		}
		var answer struct {
			Data []datum `json:"data"`
		}
		for i, text := range asked.Input {
			v := [3]float64{0, 0, 1}
			for at, words := range [][]string{{"GitHub issue", "gripe"}, {"repositories", "projects"}} {
				for _, word := range words {
					v[at] += 10 * float64(strings.Count(text, word))
				}
			}
			answer.Data = append(answer.Data, datum{i, v})
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(web.Close)
	return web.URL, requests, broken
}

// namesOf are the names on the cards of an answer.
func namesOf(out map[string]any) (names []string) {
	for _, card := range out["cards"].([]any) {
		names = append(names, card.(map[string]any)["name"].(string))
	}
	return names
}

func TestEmbeddingsFindWhatSharesNoWord(t *testing.T) {
	address, requests, broken := meaning(t)
	embedder := embed.Open(embed.Config{Trusts: func(gateway.Embeddings) bool { return true }, Rest: 100 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(embedder.Close)
	e, _ := gatewayWith(t, invoke.Config{}, embedder)
	const paraphrase = `{"query":"air a gripe"}`
	_, out := answered(t, e, "tool_browse", paraphrase)
	if slices.Contains(namesOf(out), "github.create_issue") || requests.Load() != 0 {
		t.Fatalf("by words alone %v, %d requests", namesOf(out), requests.Load())
	}
	configure := func(settings string) {
		e.Must(t, "trails.meta.gateway.configure", `{"settings":`+settings+`}`)
	}
	on := fmt.Sprintf(`"embeddings":{"url":%q,"model":"m"}`, address)
	configure(`{` + on + `}`)
	r, out := answered(t, e, "tool_browse", paraphrase)
	if names := namesOf(out); len(r.Warnings) > 0 || !slices.Contains(names[:2], "github.create_issue") {
		t.Errorf("%v, warnings %v", names, r.Warnings)
	}
	asked := requests.Load()
	if again, _ := answered(t, e, "tool_browse", paraphrase); again.Text != r.Text || requests.Load() != asked {
		t.Errorf("%s\nis not %s\n%d requests more", again.Text, r.Text, requests.Load()-asked)
	}
	// What the file keeps and an answer of a path need no vectors.
	answered(t, e, "tool_browse", `{"path":"/"}`)
	if requests.Load() != asked {
		t.Error("a path was sent to the endpoint")
	}
	_, out = answered(t, e, "gateway_list", `{}`)
	if state := out["embeddings"].(map[string]any); state["state"] != "up" || state["vectors"].(float64) < 4 {
		t.Errorf("the state is %v", state)
	}
	// Resources and prompts are ranked the same way.
	_, out = answered(t, e, "resource_browse", `{"query":"zzz"}`)
	if len(namesOf(out)) != 2 {
		t.Errorf("resources: %v", out)
	}

	// An endpoint that fails is not waited for, and said to have failed.
	broken.Store(true)
	asked = requests.Load()
	for range 2 {
		r, out = answered(t, e, "tool_browse", `{"query":"gripe about an issue"}`)
		if len(r.Warnings) != 1 || !strings.HasPrefix(r.Told(), "warning: embeddings are not in this answer: ") || !strings.Contains(r.Warnings[0], "503 Service Unavailable") || !slices.Contains(namesOf(out), "github.create_issue") {
			t.Errorf("%v\n%s", r.Warnings, r.Text)
		}
	}
	if requests.Load() != asked+1 {
		t.Errorf("%d requests", requests.Load()-asked)
	}
	broken.Store(false)
	time.Sleep(150 * time.Millisecond)
	if r, _ := answered(t, e, "tool_browse", `{"query":"gripe about an issue"}`); len(r.Warnings) > 0 {
		t.Errorf("afterwards: %v", r.Warnings)
	}

	// What an agent was shown stays in its place, with embeddings as without.
	configure(`{"cache_stable":true,` + on + `}`)
	first, _ := answered(t, e, "tool_browse", paraphrase)
	if again, _ := answered(t, e, "tool_browse", paraphrase); again.Text != first.Text {
		t.Errorf("%s\nis not %s", again.Text, first.Text)
	}
	second, _ := answered(t, e, "tool_browse", `{"query":"which projects are there"}`)
	before, _, _ := strings.Cut(second.Text, "__cache_breakpoint__")
	for line := range strings.Lines(before) {
		if strings.Contains(line, "#") && !strings.Contains(first.Text, strings.TrimRight(line, "\n")) {
			t.Errorf("%s was not shown before", line)
		}
	}

	configure(`{}`)
	asked = requests.Load()
	answered(t, e, "tool_browse", `{"query":"something else"}`)
	if _, out := answered(t, e, "gateway_list", `{}`); out["embeddings"] != nil || requests.Load() != asked {
		t.Error("the endpoint is asked without a setting")
	}
}
