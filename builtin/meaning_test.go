package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/builtin"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/meaning"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/rdf"
)

// meaningEndpoint makes vectors of what some words mean. While broken it answers nothing.
type meaningEndpoint struct {
	*httptest.Server
	mu     sync.Mutex
	sent   []string // all texts that it was sent
	broken bool
	length int
	// refuses is a part of texts that are answered with 400, "*" of all, and silent one of texts whose vectors have no direction.
	refuses, silent string
	batches         int
}

func newMeaningEndpoint(t *testing.T) *meaningEndpoint {
	t.Helper()
	m := &meaningEndpoint{length: 3}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		m.sent = append(m.sent, asked.Input...)
		if m.broken {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		m.batches++
		if m.refuses == "*" || m.refuses != "" && strings.Contains(strings.Join(asked.Input, "\n"), m.refuses) {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		var data []map[string]any
		for i, text := range asked.Input {
			v := make([]float64, m.length)
			if m.silent == "" || !strings.Contains(text, m.silent) {
				v[2] = 0.1
			}
			for at, words := range [][]string{{"cat", "feline", "kitten"}, {"car", "vehicle"}} {
				for _, word := range words {
					v[at] += float64(strings.Count(text, word))
				}
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(m.Close)
	return m
}

// change runs with the endpoint at rest.
func (m *meaningEndpoint) change(do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
}

// everything is all that it was sent, in one text.
func (m *meaningEndpoint) everything() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.sent, "\n")
}

const meaningSchema = `
types:
  Note: {label: title, properties: {title: {type: string, required: true}, body: {type: string, embed: true}, aside: string}}
  Diary: {label: title, properties: {title: string, body: {type: string, predicate: "urn:diary:body"}, day: {type: string, embed: true}}}
`

func embedding(t *testing.T, trusted bool) *embed.Embedder {
	t.Helper()
	e := embed.Open(embed.Config{Trusts: func(gateway.Embeddings) bool { return trusted }, Rest: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(e.Close)
	return e
}

// foundBy are the names of the nodes that a search finds, and what it warns of.
func foundBy(t *testing.T, e *invoketest.Engine, args string) (names []string, out map[string]any, warnings string) {
	t.Helper()
	r, err := e.Do(t, "search", args)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	for _, row := range out["rows"].([]any) {
		names = append(names, row.([]any)[0].(string))
	}
	return names, out, strings.Join(r.Warnings, "\n")
}

func TestTextsAreFoundByWhatTheyMean(t *testing.T) {
	endpoint, embedder := newMeaningEndpoint(t), embedding(t, true)
	var rights *kg.Rights
	e := invoketest.New(t, meaningSchema, invoke.Config{
		Providers: builtin.Options{Embedder: embedder}.Providers(), Rights: func(policy.Principal) *kg.Rights { return rights },
	})
	for _, write := range [][2]string{
		{"note.create", `{"id":"n1","title":"one","body":"the kitten sleeps","aside":"a secret vehicle"}`},
		{"note.create", `{"id":"n2","title":"two","body":"a vehicle stands there"}`},
		{"note.create", `{"id":"n3","title":"cat"}`},
		{"diary.create", `{"id":"d1","title":"day","body":"private thoughts of a kitten","day":"a feline day"}`},
	} {
		e.Must(t, write[0], write[1])
	}
	before, plain, _ := foundBy(t, e, `{"text":"cat toys"}`)
	if !slices.Equal(before, []string{"Note/n3"}) || plain["matching"] != "any" {
		t.Fatalf("by words alone %v", plain)
	}
	e.Must(t, "trails.meta.gateway.configure", fmt.Sprintf(`{"settings":{"embeddings":{"url":%q,"model":"m"}}}`, endpoint.URL))
	names, _, warned := foundBy(t, e, `{"text":"cat toys"}`)
	if !slices.Equal(names, before) || !strings.Contains(warned, "found by words alone: there are no vectors yet") {
		t.Errorf("without vectors %v: %s", names, warned)
	}
	if sent := endpoint.everything(); sent != "" {
		t.Errorf("without vectors %q is sent", sent)
	}
	fill := func(embedder *embed.Embedder) (meaning.State, error) {
		t.Helper()
		return meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil)
	}
	// Nothing is sent without the leave.
	if _, err := fill(embedding(t, false)); !fault.Is(err, fault.Denied) || endpoint.everything() != "" {
		t.Errorf("without the leave: %v, %q is sent", err, endpoint.everything())
	}
	s, err := fill(embedder)
	if err != nil || s.Vectors != 3 || s.Work.Pending != 0 || s.Length != 3 {
		t.Fatalf("%+v: %v", s, err)
	}
	if sent := endpoint.everything(); strings.Contains(sent, "secret") || strings.Contains(sent, "private") || strings.Count(sent, "\n") != 2 {
		t.Errorf("sent is %q", sent)
	}
	names, out, warned := foundBy(t, e, `{"text":"cat toys","explain":true}`)
	if warned != "" || out["matching"] != "meaning" || !slices.Equal(names, []string{"Note/n3", "Diary/d1", "Note/n1", "Note/n2"}) && !slices.Equal(names, []string{"Note/n3", "Note/n1", "Diary/d1", "Note/n2"}) {
		t.Errorf("%v: %s", out, warned)
	}
	if why := fmt.Sprint(out["rows"]); !strings.Contains(why, "1. place 1 by words (some words: \"cat\"") || !strings.Contains(why, "none by meaning = 0.500") || !strings.Contains(why, "no place by words + place 2 by meaning (similarity ") {
		t.Errorf("%s", why)
	}
	// Pages are parts of one order.
	var paged []string
	for cursor := ""; ; {
		names, out, _ := foundBy(t, e, fmt.Sprintf(`{"text":"cat toys","limit":1,"cursor":%q}`, cursor))
		paged = append(paged, names...)
		if out["next"] == nil {
			break
		}
		cursor = out["next"].(string)
	}
	if !slices.Equal(paged, names) {
		t.Errorf("by pages %v, at once %v", paged, names)
	}
	if names, _, _ := foundBy(t, e, `{"text":"cat toys","type":"Diary"}`); !slices.Equal(names, []string{"Diary/d1"}) {
		t.Errorf("of a type %v", names)
	}
	// The label of a node is a name, and means nothing else.
	if names, out, _ := foundBy(t, e, `{"text":"cat"}`); !slices.Equal(names, before) || out["matching"] != nil {
		t.Errorf("by its label %v", out)
	}
	// Old commits and branches have no vectors.
	if names, _, warned := foundBy(t, e, `{"text":"cat toys","at":"head"}`); len(names) == 0 || warned != "" && !strings.Contains(warned, "main as it is now") {
		t.Errorf("at the head %v: %s", names, warned)
	}
	e.Must(t, "branches_create", `{"name":"draft"}`)
	if names, _, warned := foundBy(t, e, `{"text":"cat toys","branch":"draft"}`); !slices.Equal(names, before) || !strings.Contains(warned, "meaning is searched in main as it is now") {
		t.Errorf("of a branch %v: %s", names, warned)
	}
	// What a caller may not see is no hit.
	rights = &kg.Rights{Types: []rdf.IRI{rdf.IRI(e.Graph().Base() + "Diary")}}
	if names, _, _ := foundBy(t, e, `{"text":"cat toys"}`); slices.Contains(names, "Diary/d1") || len(names) != 3 {
		t.Errorf("with a hidden type %v", names)
	}
	rights = nil
	// What is not complete is said, and what is gone is no hit.
	e.Must(t, "note.update", `{"id":"n1","body":"a feline"}`)
	names, _, warned = foundBy(t, e, `{"text":"cat toys"}`)
	if slices.Contains(names, "Note/n1") || !strings.Contains(warned, "texts of the newest commits may have no vector yet") {
		t.Errorf("after a change %v: %s", names, warned)
	}
	endpoint.change(func() { endpoint.broken = true })
	if _, err := fill(embedder); err == nil {
		t.Error("a broken endpoint is no failure")
	}
	time.Sleep(5 * time.Millisecond)
	if names, _, warned = foundBy(t, e, `{"text":"cat toys for feet"}`); !slices.Equal(names, before) || !strings.Contains(warned, "found by words alone: ") || !strings.Contains(warned, "503") {
		t.Errorf("with a broken endpoint %v: %s", names, warned)
	}
	// Another length is another model: all are made again.
	endpoint.change(func() { endpoint.broken, endpoint.length = false, 4 })
	for range 100 {
		time.Sleep(5 * time.Millisecond)
		if s, err = fill(embedder); err == nil && s.Work.Pending == 0 {
			break
		}
	}
	if err != nil || s.Vectors != 3 || s.Length != 4 || s.Work.Stale != 0 {
		t.Errorf("%+v: %v", s, err)
	}
	if names, _, warned := foundBy(t, e, `{"text":"cat toys"}`); warned != "" || !slices.Contains(names, "Note/n1") {
		t.Errorf("with another length %v: %s", names, warned)
	}
	// Without the word in the schema there are no vectors.
	e.Must(t, "schema_apply", `{"patch":"- alter_property: {Note.body: {embed: false}}\n- alter_property: {Diary.day: {embed: false}}"}`)
	if s, err := fill(embedder); err != nil || s.Vectors != 0 {
		t.Errorf("without a property that is embedded: %+v: %v", s, err)
	}
	names, _, warned = foundBy(t, e, `{"text":"cat toys"}`)
	if !slices.Equal(names, before) || warned != "" {
		t.Errorf("without a property that is embedded %v: %s", names, warned)
	}
}

func TestATextThatIsRefusedHoldsUpNoOther(t *testing.T) {
	endpoint, embedder := newMeaningEndpoint(t), embedding(t, true)
	e := invoketest.New(t, meaningSchema, invoke.Config{Providers: builtin.Options{Embedder: embedder}.Providers()})
	var notes strings.Builder
	for i := range 70 { // more than one batch
		fmt.Fprintf(&notes, `{"type":"Note","id":"n%d","data":{"title":"t%[1]d","body":"body %[1]d"}}`+"\n", i)
	}
	load, err := json.Marshal(map[string]string{"data": notes.String(), "mode": "append"})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "load", string(load))
	e.Must(t, "note.update", `{"id":"n5","body":"a refused kitten"}`)
	e.Must(t, "note.update", `{"id":"n6","body":"silent"}`)
	e.Must(t, "trails.meta.gateway.configure", fmt.Sprintf(`{"settings":{"embeddings":{"url":%q,"model":"m"}}}`, endpoint.URL))
	// An endpoint that refuses everything has nothing against one text.
	endpoint.change(func() { endpoint.refuses = "*" })
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err == nil || s.Refused != 0 {
		t.Errorf("an endpoint that refuses everything: %+v, %v", s, err)
	}
	endpoint.change(func() { endpoint.refuses, endpoint.silent, endpoint.batches = "refused", "silent", 0 })
	time.Sleep(5 * time.Millisecond)
	var done, total int64
	s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, func(n, of int64) { done, total = n, of })
	if err != nil || s.Vectors != 68 || s.Refused != 2 || s.Work.Pending != 0 || s.Problem != "" || done != 70 || total != 70 {
		t.Fatalf("%+v, %d of %d: %v", s, done, total, err)
	}
	if endpoint.batches > 40 {
		t.Errorf("two of 70 texts are found in %d requests", endpoint.batches)
	}
	if names, _, warned := foundBy(t, e, `{"text":"kitten things"}`); !slices.Contains(names, "Note/n5") || !strings.Contains(warned, "2 texts were refused by the endpoint") {
		t.Errorf("%v: %s", names, warned)
	}
	told := fmt.Sprint(e.Must(t, "trails.meta.doctor.run", `{}`))
	if !strings.Contains(told, "refused by the endpoint: 2 (Note/n5 body (<"+endpoint.URL+"> answered 400 Bad Request), Note/n6 body (the endpoint answered with a vector without a direction); they are found by words") {
		t.Error(told)
	}
	// Who may not see a node is not told of it, and some are told of many.
	session := e.Graph().Session(policy.Local("ana", ""))
	err = session.Seeing(&kg.Rights{Types: []rdf.IRI{rdf.IRI(e.Graph().Base() + "Note")}}).View(t.Context(), func(s *kg.Snapshot) error {
		if list, more, err := s.Refused(t.Context(), 10); err != nil || len(list) != 0 || more {
			t.Errorf("with a hidden type: %+v, more: %t, %v", list, more, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = session.View(t.Context(), func(s *kg.Snapshot) error {
		for most, wants := range map[int]bool{1: true, 2: false, 3: false} {
			if list, more, err := s.Refused(t.Context(), most); err != nil || len(list) != min(most, 2) || more != wants {
				t.Errorf("of %d: %+v, more: %t, %v", most, list, more, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	// Neither is a text of a property that is not embedded, though it is the same.
	e.Must(t, "note.create", `{"id":"same","title":"same","aside":"silent"}`)
	if list, _, err := meaning.Refused(t.Context(), e.Graph()); err != nil || len(list) != 2 || list[1].Node != "Note/n6" {
		t.Errorf("%+v, %v", list, err)
	}
	e.Must(t, "note.delete", `{"id":"same"}`)
	// A search whose text is refused is answered by words, and holds up no other.
	if names, _, warned := foundBy(t, e, `{"text":"refused kitten"}`); !slices.Contains(names, "Note/n5") || !strings.Contains(warned, "found by words alone: the endpoint of embeddings refuses this text, and takes others: ") || strings.Contains(warned, "n5") {
		t.Errorf("%v: %s", names, warned)
	}
	if names, _, warned := foundBy(t, e, `{"text":"kitten thing"}`); !slices.Contains(names, "Note/n5") || strings.Contains(warned, "by words alone: ") {
		t.Errorf("%v: %s", names, warned)
	}
	// It is not asked again, before somebody says so.
	endpoint.change(func() { endpoint.refuses, endpoint.silent, endpoint.batches = "", "", 0 })
	e.Must(t, "note.create", `{"id":"new","title":"new","body":"a vehicle"}`)
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil || s.Vectors != 69 || s.Refused != 2 || endpoint.batches != 1 {
		t.Errorf("%+v in %d requests: %v", s, endpoint.batches, err)
	}
	if n, err := e.Graph().ForgetRefusals(t.Context()); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	sent := len(endpoint.sent)
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, s.Work.Seq(), nil); err != nil || s.Vectors != 71 || s.Refused != 0 || len(endpoint.sent) != sent+2 {
		t.Errorf("%+v, %q: %v", s, endpoint.sent[sent:], err)
	}
	if _, err := e.Graph().DropVectors(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil || s.Vectors != 71 || s.Refused != 0 {
		t.Errorf("%+v: %v", s, err)
	}
	// The refusal of a text that is gone is removed, also when it is the last row.
	endpoint.change(func() { endpoint.refuses = "refused" })
	e.Must(t, "note.update", `{"id":"n7","body":"refused again"}`)
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil || s.Refused != 1 {
		t.Errorf("%+v: %v", s, err)
	}
	e.Must(t, "schema_apply", `{"patch":"- alter_property: {Note.body: {embed: false}}"}`)
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil || s.Vectors != 0 || s.Refused != 0 {
		t.Errorf("%+v: %v", s, err)
	}
}

func TestATypeSendsAllItsTexts(t *testing.T) {
	endpoint, embedder := newMeaningEndpoint(t), embedding(t, true)
	e := invoketest.New(t, `
types:
  Named: {label: name, properties: {name: {type: string, required: true}}}
  Note: {extends: Named, embed: true, properties: {body: string, secret: {type: string, embed: false}, left: {type: string, search: false}}}
  Memo: {extends: Note, properties: {aside: string}}
  Person: {extends: Named, properties: {about: string}}
`, invoke.Config{Providers: builtin.Options{Embedder: embedder}.Providers()})
	e.Must(t, "trails.meta.gateway.configure", fmt.Sprintf(`{"settings":{"embeddings":{"url":%q,"model":"m"}}}`, endpoint.URL))
	for _, write := range [][2]string{
		{"note.create", `{"id":"n1","name":"name of a note","body":"body of a note","secret":"never a kitten","left":"never a feline"}`},
		{"memo.create", `{"id":"m1","name":"name of a memo","body":"a kitten","secret":"never a cat","aside":"aside of a memo"}`},
		{"person.create", `{"id":"p1","name":"never this name","about":"never a cat"}`},
	} {
		e.Must(t, write[0], write[1])
	}
	sent := func(what string, want ...string) {
		t.Helper()
		endpoint.change(func() { endpoint.sent = nil })
		if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil || s.Work.Pending != 0 {
			t.Fatalf("%s: %+v, %v", what, s, err)
		}
		got := append([]string{}, endpoint.sent...)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: sent are %q", what, got)
		}
	}
	sent("the texts of a type", "a kitten", "aside of a memo", "body of a note", "name of a memo", "name of a note")
	names, _, warned := foundBy(t, e, `{"text":"cat things"}`)
	if warned != "" || !slices.Contains(names, "Memo/m1") {
		t.Errorf("by meaning %v: %s", names, warned)
	}
	e.Must(t, "schema_apply", `{"patch":"- alter_property: {Note.secret: {embed: null}}"}`)
	sent("a property that says nothing any more", "never a cat", "never a kitten")
	// A text that another node has under another property is no text of that node.
	if names, out, _ := foundBy(t, e, `{"text":"cat things","type":"Person","explain":true}`); strings.Contains(fmt.Sprint(out["rows"]), "by meaning (") {
		t.Errorf("by a text that is not embedded there %v: %v", names, out["rows"])
	}
	e.Must(t, "schema_apply", `{"patch":"- alter_type: {Note: {embed: false}}"}`)
	if s, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil || s.Vectors != 0 {
		t.Errorf("without the word: %+v, %v", s, err)
	}
}

func TestACommitOfOtherTextsComparesNone(t *testing.T) {
	endpoint, embedder := newMeaningEndpoint(t), embedding(t, true)
	e := invoketest.New(t, meaningSchema, invoke.Config{})
	e.Must(t, "trails.meta.gateway.configure", fmt.Sprintf(`{"settings":{"embeddings":{"url":%q,"model":"m"}}}`, endpoint.URL))
	since := kg.Seq(0)
	fill := func(what string, read, vectors int64) {
		t.Helper()
		s, err := meaning.Fill(t.Context(), e.Graph(), embedder, since, nil)
		if err != nil || s.Work.Read != read || s.Vectors != vectors || s.Work.Pending != 0 {
			t.Errorf("%s: %+v, of which %d should be read for %d vectors: %v", what, s, read, vectors, err)
		}
		since = s.Work.Seq()
		if s, err := meaning.Look(t.Context(), e.Graph()); err != nil || s.Seq != since || s.Work.Pending+s.Work.Stale != 0 {
			t.Errorf("%s: after all was compared %+v: %v", what, s, err)
		}
	}
	e.Must(t, "note.create", `{"id":"n1","title":"one","body":"a kitten"}`)
	fill("a text", 0, 1) // after it was made there is nothing to compare
	e.Must(t, "note.update", `{"id":"n1","title":"first"}`)
	fill("another property", 0, 1)
	e.Must(t, "note.delete", `{"id":"n1"}`)
	fill("a node that is gone", 0, 0)
	e.Must(t, "diary.create", `{"id":"d1","title":"one","day":"a feline day"}`)
	fill("a text of another type", 0, 1)
	e.Must(t, "schema_apply", `{"patch":"- alter_property: {Diary.body: {embed: true}}"}`)
	fill("a change of the schema", 1, 1)
	// What is not complete is compared, whatever was known before.
	if _, err := e.Graph().DropVectors(t.Context()); err != nil {
		t.Fatal(err)
	}
	fill("vectors that were dropped", 0, 1)
	e.Must(t, "diary.update", `{"id":"d1","day":"another day"}`)
	endpoint.change(func() { endpoint.broken = true })
	if _, err := meaning.Fill(t.Context(), e.Graph(), embedder, since, nil); err == nil {
		t.Error("a broken endpoint is no failure")
	}
	endpoint.change(func() { endpoint.broken = false })
	time.Sleep(5 * time.Millisecond)
	fill("after a failure", 0, 1)
	if text := endpoint.everything(); !strings.HasSuffix(text, "another day\nanother day") {
		t.Errorf("sent is %q", text)
	}
}

func TestWhoServesMakesVectorsAfterACommit(t *testing.T) {
	endpoint := newMeaningEndpoint(t)
	e := invoketest.New(t, meaningSchema, invoke.Config{})
	e.Must(t, "note.create", `{"id":"n1","title":"one","body":"the kitten sleeps"}`)
	e.Must(t, "trails.meta.gateway.configure", fmt.Sprintf(`{"settings":{"embeddings":{"url":%q,"model":"m"}}}`, endpoint.URL))
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	for range 2 { // as two processes, of which one asks at a time
		embedder := embedding(t, true)
		serving.Go(func() { meaning.Follow(ctx, e.Graph(), embedder, slog.New(slog.DiscardHandler)) })
	}
	until := func(vectors int64) {
		t.Helper()
		for range 3_000 {
			if s, err := meaning.Look(t.Context(), e.Graph()); err == nil && s.Vectors == vectors && s.Work.Pending == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("there are not %d vectors", vectors)
	}
	until(1)
	e.Must(t, "note.create", `{"id":"n2","title":"two","body":"a vehicle"}`)
	until(2)
	e.Must(t, "note.delete", `{"id":"n1"}`)
	until(1)
	cancel()
	serving.Wait()
	if sent := endpoint.everything(); sent != "the kitten sleeps\na vehicle" {
		t.Errorf("sent is %q", sent)
	}
}
