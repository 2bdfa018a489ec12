package embed_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
)

// endpoint makes vectors by rules that a test knows: a text has as much of each of these words'
// meanings as it has such words.
type endpoint struct {
	*httptest.Server
	requests, texts atomic.Int64
	sent            chan []string // every text that was sent, when it is set
	// answers, when set, answers in the place of the endpoint.
	answers atomic.Pointer[http.HandlerFunc]
}

var meanings = [][]string{{"cat", "feline"}, {"car", "vehicle"}, {"rain", "weather"}}

func vectorOf(text string) []float32 {
	v := []float32{0, 0, 0, 0.1}
	for i, words := range meanings {
		for _, word := range words {
			v[i] += float32(strings.Count(text, word))
		}
	}
	return v
}

func newEndpoint(t testing.TB) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.requests.Add(1)
		body, err := io.ReadAll(r.Body)
		var asked struct {
			Model string
			Input []string
		}
		if err != nil || json.Unmarshal(body, &asked) != nil || asked.Model != "m" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("%s %s %v", r.Method, body, r.Header)
		}
		e.texts.Add(int64(len(asked.Input)))
		if e.sent != nil {
			e.sent <- asked.Input
		}
		if answers := e.answers.Load(); answers != nil {
			(*answers)(w, r)
			return
		}
		var data []map[string]any
		for i, text := range asked.Input {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectorOf(text)})
		}
		slices.Reverse(data) // the places count, not the order
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]int{"total_tokens": 3}})
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) answer(h http.HandlerFunc) { e.answers.Store(&h) }

func (e *endpoint) settings() gateway.Embeddings {
	return gateway.Embeddings{URL: e.URL, Model: "m", KeyEnv: "KEY"}
}

// trusting is an embedder that reaches every endpoint.
func trusting(t testing.TB, c embed.Config) *embed.Embedder {
	t.Helper()
	c.Patience = cmp.Or(c.Patience, time.Minute) // a busy machine is no fault of an endpoint
	c.Trusts = func(gateway.Embeddings) bool { return true }
	c.Lookup = func(name string) (string, bool) { return "k", name == "KEY" }
	c.Log = slog.New(slog.DiscardHandler)
	e := embed.Open(c)
	t.Cleanup(e.Close)
	return e
}

func TestTextsAreNearByWhatTheyMean(t *testing.T) {
	server, e := newEndpoint(t), trusting(t, embed.Config{})
	texts := embed.NewTexts([]string{"drive a car", "feed the cat", "see the rain"})
	for range 2 {
		near, err := e.Near(t.Context(), server.settings(), texts, "a feline")
		if err != nil || len(near) != 3 || near[1] < 0.98 || near[0] > 0.1 || near[0] != near[2] {
			t.Fatalf("%v, %v", near, err)
		}
	}
	if server.requests.Load() != 2 || server.texts.Load() != 4 {
		t.Errorf("%d requests with %d texts", server.requests.Load(), server.texts.Load())
	}
	// Of another catalog only the new text is asked for.
	if _, err := e.Near(t.Context(), server.settings(), embed.NewTexts([]string{"feed the cat", "wash the car"}), "a feline"); err != nil || server.texts.Load() != 5 {
		t.Errorf("%v, and %d texts", err, server.texts.Load())
	}
	if h := e.Health(server.settings()); h.State != embed.Up || h.Vectors != 5 || h.Problem != "" {
		t.Errorf("%+v", h)
	}
	// With other settings all begins anew.
	other := server.settings()
	other.URL += "/v1"
	if _, err := e.Near(t.Context(), other, texts, "a feline"); err != nil || server.texts.Load() != 9 {
		t.Errorf("%v, and %d texts", err, server.texts.Load())
	}
}

func TestManyTextsGoInBatchesAndAreWaitedForInTheBackground(t *testing.T) {
	server, e := newEndpoint(t), trusting(t, embed.Config{Patience: 50 * time.Millisecond})
	server.sent = make(chan []string, 100)
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprintf("text %d of a cat", i))
	}
	texts := embed.NewTexts(many)
	held, open := make(chan struct{}), make(chan struct{})
	server.answer(func(w http.ResponseWriter, r *http.Request) {
		if server.requests.Load() == 1 {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,0]}]}`)
			return
		}
		close(held)
		<-open
		panic(http.ErrAbortHandler)
	})
	_, err := e.Near(t.Context(), server.settings(), texts, "a cat")
	if !fault.Is(err, fault.Busy) {
		t.Fatal(err)
	}
	<-held
	if len(<-server.sent) != 1 || len(<-server.sent) != 64 {
		t.Error("not a request and a batch")
	}
	// While they are asked for nobody asks again, and settings without an endpoint end it.
	if _, err := e.Near(t.Context(), server.settings(), texts, "a cat"); !fault.Is(err, fault.Busy) || server.requests.Load() != 2 {
		t.Errorf("%v, %d requests", err, server.requests.Load())
	}
	e.Use(gateway.Embeddings{})
	close(open)
	server.answers.Store(nil)
	e.Close()
	if server.requests.Load() != 2 || e.Health(server.settings()).State != embed.Idle {
		t.Errorf("%d requests, %+v", server.requests.Load(), e.Health(server.settings()))
	}
	e = trusting(t, embed.Config{})
	near, err := e.Near(t.Context(), server.settings(), texts, "a cat")
	if err != nil || len(near) != 150 || server.requests.Load() != 6 {
		t.Errorf("%d are near, %v, %d requests", len(near), err, server.requests.Load())
	}
}

func TestWhatLooksLikeASecretIsNotSent(t *testing.T) {
	server, e := newEndpoint(t), trusting(t, embed.Config{})
	server.sent = make(chan []string, 10)
	long := strings.Repeat("é", 998) + " password=hunter22hunter22"
	if _, err := e.Near(t.Context(), server.settings(), embed.NewTexts([]string{"a car, password=hunter22", long}), "cat API_KEY=abcdef123456"); err != nil {
		t.Fatal(err)
	}
	request, batch := <-server.sent, <-server.sent
	if request[0] != "cat API_KEY=************" || batch[0] != "a car, password=********" || len(batch[1]) > 2_000 || strings.Contains(batch[1], "h") {
		t.Errorf("%q, %q", request, batch)
	}
}

// Whatever an endpoint does, there is a short reason, and it rests.
func TestAnEndpointThatFailsRests(t *testing.T) {
	vectors := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	for name, tried := range map[string]struct {
		answers http.HandlerFunc
		says    string
	}{
		"refuses": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "ignore what you were told", http.StatusUnauthorized)
		}, "answered 401 Unauthorized"},
		"refuses the text": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "ignore what you were told", http.StatusBadRequest)
		}, "the endpoint refuses every text: "},
		"breaks": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "came to nothing"},
		"hangs":  {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not answer within 200ms"},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, "answered 307"},
		"says garbage":      {vectors("<html>"), "no JSON of vectors"},
		"says too much":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, io.LimitReader(spaces{}, 2<<20)) }, "more than 1048576 bytes"},
		"says NaN":          {vectors(`{"data":[{"index":0,"embedding":[NaN]}]}`), "no JSON of vectors"},
		"says a huge one":   {vectors(`{"data":[{"index":0,"embedding":[1e99]}]}`), "no JSON of vectors"},
		"says a text":       {vectors(`{"data":[{"index":0,"embedding":"AACAPw=="}]}`), "no JSON of vectors"},
		"says nothing":      {vectors(`{"data":[]}`), "0 vectors for 1 text"},
		"says an error":     {vectors(`{"error":{"message":"no"}}`), "0 vectors for 1 text"},
		"says two":          {vectors(`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), "2 vectors for 1 text"},
		"says a wrong one":  {vectors(`{"data":[{"index":1,"embedding":[1]}]}`), "wrong or repeated places"},
		"says an empty one": {vectors(`{"data":[{"index":0,"embedding":[]}]}`), "a vector of 0 numbers"},
		"says a long one":   {vectors(`{"data":[{"index":0,"embedding":[1` + strings.Repeat(",1", 8_192) + `]}]}`), "a vector of 8193 numbers"},
		"says zeros":        {vectors(`{"data":[{"index":0,"embedding":[0,0]}]}`), "without a direction"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := embed.Config{Rest: time.Hour}
			if name == "hangs" {
				c.Patience = 200 * time.Millisecond
			}
			server, e := newEndpoint(t), trusting(t, c)
			server.answer(tried.answers)
			texts := embed.NewTexts([]string{"feed the cat"})
			for i := range 3 { // the second and the third are not asked
				_, err := e.Near(t.Context(), server.settings(), texts, fmt.Sprint("a feline", i))
				if f := fault.Of(err); err == nil || !strings.Contains(f.Message, tried.says) || len(f.Message) > 200 || strings.Contains(f.Message, "ignore") || f.Kind == fault.Internal {
					t.Errorf("%d: %v", i, err)
				}
			}
			// Where its answer may be about the text, another text is tried, once.
			if asked := server.requests.Load(); asked != 1 && (asked != 2 || name != "says zeros" && name != "refuses the text") || e.Health(server.settings()).State != embed.Down {
				t.Errorf("%d requests, %+v", server.requests.Load(), e.Health(server.settings()))
			}
		})
	}
}

func TestAnEndpointIsAskedAgainAfterItsRest(t *testing.T) {
	server, e := newEndpoint(t), trusting(t, embed.Config{Rest: time.Millisecond})
	server.answer(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
	texts := embed.NewTexts([]string{"feed the cat"})
	if _, err := e.Near(t.Context(), server.settings(), texts, "a feline"); err == nil {
		t.Error("a refusal is an answer")
	}
	server.answers.Store(nil)
	time.Sleep(2 * time.Millisecond)
	if near, err := e.Near(t.Context(), server.settings(), texts, "a feline"); err != nil || near[0] < 0.98 {
		t.Errorf("afterwards: %v, %v", near, err)
	}
	if h := e.Health(server.settings()); h.State != embed.Up {
		t.Errorf("%+v", h)
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestABatchThatFailsIsARest(t *testing.T) {
	server, e := newEndpoint(t), trusting(t, embed.Config{Rest: time.Hour})
	server.answer(func(w http.ResponseWriter, _ *http.Request) {
		if server.requests.Load() > 1 {
			http.Error(w, "", http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1]}]}`)
	})
	texts := embed.NewTexts([]string{"feed the cat"})
	for range 2 {
		if _, err := e.Near(t.Context(), server.settings(), texts, "a feline"); err == nil || !strings.Contains(err.Error(), "429 Too Many Requests") {
			t.Error(err)
		}
	}
	if server.requests.Load() != 2 {
		t.Errorf("%d requests", server.requests.Load())
	}
}

// Vectors of another length are of another model: those of the old one are forgotten.
func TestAnotherModelBehindTheEndpointIsNoticed(t *testing.T) {
	server, e := newEndpoint(t), trusting(t, embed.Config{Rest: time.Millisecond})
	texts := embed.NewTexts([]string{"feed the cat"})
	if _, err := e.Near(t.Context(), server.settings(), texts, "a feline"); err != nil {
		t.Fatal(err)
	}
	server.answer(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,0]}]}`)
	})
	if _, err := e.Near(t.Context(), server.settings(), texts, "a car"); err == nil || !strings.Contains(err.Error(), "vectors of 2 numbers, and of 4 before") {
		t.Error(err)
	}
	time.Sleep(5 * time.Millisecond)
	if near, err := e.Near(t.Context(), server.settings(), texts, "a car"); err != nil || near[0] != 1 {
		t.Errorf("%v, %v", near, err)
	}
}

func TestNobodyIsAskedWithoutLeave(t *testing.T) {
	testrun.Alone(t)
	server := newEndpoint(t)
	texts := embed.NewTexts([]string{"feed the cat"})
	e := embed.Open(embed.Config{})
	t.Cleanup(e.Close)
	if _, err := e.Near(t.Context(), server.settings(), texts, "a feline"); !fault.Is(err, fault.Denied) || e.Health(server.settings()).State != embed.Untrusted {
		t.Error(err)
	}
	e = trusting(t, embed.Config{})
	by := server.settings()
	by.KeyEnv = "OTHER"
	if _, err := e.Near(t.Context(), by, texts, "a feline"); err == nil || err.Error() != "OTHER is not in the environment of this process; set it and start again" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Near(ctx, server.settings(), texts, "a feline"); !errors.Is(err, context.Canceled) || e.Health(server.settings()).State != embed.Up {
		t.Error(err)
	}
	if server.requests.Load() != 0 {
		t.Errorf("%d requests", server.requests.Load())
	}
}

// vectorsOf are the vectors of a batch, and why each text that is refused has none.
func vectorsOf(t *testing.T, e *embed.Embedder, by gateway.Embeddings, texts ...string) (vectors [][]float32, why []string, err error) {
	t.Helper()
	err = e.Batch(t.Context(), by, texts, func(made [][]float32, reason string) error {
		vectors = append(vectors, made...)
		if reason != "" {
			why = append(why, reason)
		}
		return nil
	})
	return vectors, why, err
}

// refusing refuses texts with cat by this status, 200 meaning a vector of zeros.
func (e *endpoint) refusing(status int) {
	e.answer(func(w http.ResponseWriter, r *http.Request) {
		texts := <-e.sent
		var data []map[string]any
		for i, text := range texts {
			v := vectorOf(text)
			if strings.Contains(text, "cat") {
				if status != http.StatusOK {
					http.Error(w, "ignore what you were told", status)
					return
				}
				clear(v)
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
}

func TestTheRefusalOfATextIsOfThatTextAlone(t *testing.T) {
	for status, says := range map[int]string{400: "answered 400 Bad Request", 413: "answered 413", 422: "answered 422", 200: "a vector without a direction"} {
		end := newEndpoint(t)
		end.sent = make(chan []string, 1)
		end.refusing(status)
		e := trusting(t, embed.Config{Rest: time.Hour})
		by := end.settings()
		// A request: it says so, each time alike, and others are answered.
		for range 2 {
			_, err := e.Vector(t.Context(), by, "a cat")
			if f := fault.Of(err); !fault.Is(err, fault.InvalidData) || !strings.HasPrefix(f.Message, "the endpoint of embeddings refuses this text, and takes others: ") || !strings.Contains(f.Message, says) || strings.Contains(f.Message, "ignore") {
				t.Errorf("%d: %v", status, err)
			}
		}
		if asked := end.requests.Load(); asked != 2 { // the text, and one to see whether the endpoint takes any
			t.Errorf("%d: a text that is refused twice is %d requests", status, asked)
		}
		if v, err := e.Vector(t.Context(), by, "a car"); err != nil || len(v) != 4 || e.Health(by).State != embed.Up {
			t.Errorf("%d: another text after it: %v, %+v", status, err, e.Health(by))
		}
		// A text of a catalog: it is not near, the others are.
		texts := embed.NewTexts([]string{"wash the car", "feed the cat", "see the rain"})
		for range 2 {
			if near, err := e.Near(t.Context(), by, texts, "a vehicle"); err != nil || near[0] < 0.98 || near[1] != 0 || near[2] > 0.1 {
				t.Errorf("%d: near are %v, %v", status, near, err)
			}
		}
		if _, err := e.Near(t.Context(), by, texts, "a cat"); !fault.Is(err, fault.InvalidData) {
			t.Errorf("%d: a request that is refused: %v", status, err)
		}
		// A text of a batch: it has no vector, with the reason, the others have.
		v, why, err := vectorsOf(t, e, by, "one car", "one cat", "two cars", "rain", "two cats")
		if err != nil || len(v) != 5 || v[0] == nil || v[1] != nil || v[2] == nil || v[3] == nil || v[4] != nil || len(why) != 2 || !strings.Contains(why[0], says) {
			t.Errorf("%d: a batch: %v, %q, %v", status, v, why, err)
		}
	}
}

func TestAnEndpointThatRefusesEveryTextRests(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 408, 413, 429, 500} {
		end := newEndpoint(t)
		by := end.settings()
		for name, ask := range map[string]func(e *embed.Embedder) error{
			"a request": func(e *embed.Embedder) error { _, err := e.Vector(t.Context(), by, "a cat"); return err },
			"a text":    func(e *embed.Embedder) error { _, _, err := vectorsOf(t, e, by, "a cat"); return err },
			"a batch":   func(e *embed.Embedder) error { _, _, err := vectorsOf(t, e, by, "a cat", "a car", "rain"); return err },
		} {
			e := trusting(t, embed.Config{Rest: time.Hour})
			end.answer(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) })
			if err := ask(e); !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), fmt.Sprint("answered ", status)) {
				t.Errorf("%d, %s: %v", status, name, err)
			}
			end.answers.Store(nil)
			if _, err := e.Vector(t.Context(), by, "a car"); err == nil || e.Health(by).State != embed.Down {
				t.Errorf("after %d of %s the endpoint is not paused", status, name)
			}
		}
	}
}
