package kg_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/load"
	"trails/schema"
)

// recallSet is a graph with questions about it.
type recallSet struct {
	name      string
	graph     *kg.Graph
	questions []recallQuestion
	// source is what a hit with an id counts for; nil means the id itself.
	source func(id string) string
}

// recallQuestion is a question, the type whose nodes are searched if it is not empty, and the sources that answer it.
type recallQuestion struct {
	text, typ string
	answers   []string
}

// recall is how many of the answers are among the first sources of the hits, as a share of each question's answers: the
// mean of the questions with an even number, of those with an odd one, and of all.
type recall [3]float64

// ask returns the recall among the first k sources for each of ks, and the time of each search, shortest first.
func (set recallSet) ask(tb testing.TB, ks ...int) (out []recall, times []time.Duration) {
	tb.Helper()
	out = make([]recall, len(ks))
	if err := set.graph.Session(ana).View(tb.Context(), func(s *kg.Snapshot) error {
		asked := recall{}
		for i, q := range set.questions {
			search := browse.Search{Text: q.text, Limit: 100}
			if q.typ != "" {
				search.Types = []*schema.Type{s.Schema().Type(q.typ)}
			}
			begun := time.Now()
			found, err := s.Search(tb.Context(), search)
			if err != nil {
				return err
			}
			times = append(times, time.Since(begun))
			var sources []string
			for _, hit := range found.Hits {
				source := hit.ID
				if set.source != nil {
					source = set.source(source)
				}
				if !slices.Contains(sources, source) {
					sources = append(sources, source)
				}
			}
			for _, of := range []int{i % 2, 2} {
				asked[of]++
				for j, k := range ks {
					n := 0
					for _, answer := range q.answers {
						if slices.Contains(sources[:min(k, len(sources))], answer) {
							n++
						}
					}
					out[j][of] += float64(n) / float64(len(q.answers))
				}
			}
		}
		for j := range out {
			for of := range asked {
				out[j][of] /= asked[of]
			}
		}
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	slices.Sort(times)
	return out, times
}

// recallGraph is a graph with nodes, each a line of NDJSON.
func recallGraph(tb testing.TB, schema string, nodes []map[string]any) *kg.Graph {
	tb.Helper()
	var data bytes.Buffer
	to := json.NewEncoder(&data)
	for _, node := range nodes {
		if err := to.Encode(node); err != nil {
			tb.Fatal(err)
		}
	}
	path := filepath.Join(tb.TempDir(), "recall.db")
	if err := kg.Create(tb.Context(), path, kg.CreateOptions{Schema: []byte(schema)}); err != nil {
		tb.Fatal(err)
	}
	g := open(tb, path)
	if _, err := g.Session(ana).Load(tb.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "recall.ndjson", Reader: &data}}}}); err != nil {
		tb.Fatal(err)
	}
	return g
}

// recallLines are the lines of a file that are not comments, cut at bars.
func recallLines(tb testing.TB, path string, fields int) (lines [][]string) {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cut := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || len(cut) != fields {
			continue
		}
		for i := range cut {
			cut[i] = strings.TrimSpace(cut[i])
		}
		lines = append(lines, cut)
	}
	return lines
}

// germanSet has the questions of testdata/german.
func germanSet(tb testing.TB) recallSet {
	set := recallSet{name: "german"}
	var nodes []map[string]any
	for _, article := range recallLines(tb, "../testdata/german/articles.txt", 3) {
		nodes = append(nodes, map[string]any{"type": "Article", "id": article[0], "data": map[string]any{"title": article[1], "text": article[2]}})
	}
	set.graph = recallGraph(tb, "types:\n  Article: {label: title, properties: {title: string, text: string}}\n", nodes)
	for _, question := range recallLines(tb, "../testdata/german/questions.txt", 2) {
		set.questions = append(set.questions, recallQuestion{text: question[0], answers: strings.Fields(question[1])})
	}
	return set
}

// attackSet has the paraphrases of testdata/attack. It counts as answered by any of the nodes that a question names.
func attackSet(tb testing.TB) recallSet {
	first := map[string]string{}
	set := recallSet{name: "attack", graph: attackGraph(tb), source: func(id string) string { return cmp.Or(first[id], id) }}
	for _, line := range recallLines(tb, "../testdata/attack/questions.txt", 3) {
		if line[0] == "paraphrase" {
			ids := strings.Fields(line[2])
			for _, other := range ids[1:] {
				first[other] = ids[0]
			}
			set.questions = append(set.questions, recallQuestion{text: line[1], answers: ids[:1]})
		}
	}
	return set
}

// locomoSet has the questions about the ten conversations of LoCoMo. Each conversation is a type of its own with a
// node for each turn and one for each session, and what answers a question are the sessions of its evidence.
func locomoSet(tb testing.TB) recallSet {
	file, err := os.Open(filepath.Join(dataDir(tb), "locomo", "locomo10.json.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	var talks []struct {
		QA []struct {
			Question string
			Evidence []string
		}
		Conversation map[string]json.RawMessage
	}
	if err := json.NewDecoder(unzipped).Decode(&talks); err != nil {
		tb.Fatal(err)
	}
	set := recallSet{name: "locomo", source: func(id string) string {
		session, _, _ := strings.Cut(id, "-")
		return session
	}}
	shape := "types:\n  Said: {abstract: true, properties: {text: string, speaker: string, date: string}}\n"
	var nodes []map[string]any
	for i, talk := range talks {
		typ := fmt.Sprintf("Talk%d", i)
		shape += "  " + typ + ": {extends: Said}\n"
		add := func(id string, data map[string]string) {
			nodes = append(nodes, map[string]any{"type": typ, "id": id, "data": data})
		}
		for name, raw := range talk.Conversation {
			var turns []struct {
				Speaker string
				Turn    string `json:"dia_id"`
				Text    string
				Caption string `json:"blip_caption"`
			}
			if json.Unmarshal(raw, &turns) != nil {
				continue // a date or the name of a speaker
			}
			var date string
			if err := json.Unmarshal(talk.Conversation[name+"_date_time"], &date); err != nil {
				tb.Fatal(err)
			}
			var whole []string
			for _, turn := range turns {
				text := turn.Text
				if turn.Caption != "" {
					text += " [" + turn.Caption + "]"
				}
				whole = append(whole, turn.Speaker+": "+text)
				add(strings.ReplaceAll(turn.Turn, ":", "-"), map[string]string{"text": text, "speaker": turn.Speaker})
			}
			add("D"+strings.TrimPrefix(name, "session_"), map[string]string{"text": strings.Join(whole, "\n"), "date": date})
		}
		for _, asked := range talk.QA {
			q := recallQuestion{text: asked.Question, typ: typ}
			for _, evidence := range strings.FieldsFunc(strings.Join(asked.Evidence, " "), func(r rune) bool { return strings.ContainsRune(";, ", r) }) {
				session, _, ok := strings.Cut("D"+strings.TrimLeft(evidence, "D"), ":")
				if ok && len(session) > 1 && !slices.Contains(q.answers, session) {
					q.answers = append(q.answers, session)
				}
			}
			if len(q.answers) > 0 {
				set.questions = append(set.questions, q)
			}
		}
	}
	slices.SortFunc(nodes, func(a, b map[string]any) int {
		return strings.Compare(fmt.Sprint(a["type"], a["id"]), fmt.Sprint(b["type"], b["id"]))
	})
	set.graph = recallGraph(tb, shape, nodes)
	return set
}

// BenchmarkRecall measures which share of what answers a question is among the first hits: of all questions, and of both
// halves, since a change of the ranking is made with one half and judged by the other.
func BenchmarkRecall(b *testing.B) {
	for name, make := range map[string]func(testing.TB) recallSet{"german": germanSet, "attack": attackSet, "locomo": locomoSet} {
		b.Run(name, func(b *testing.B) {
			set := make(b)
			for b.Loop() {
				ks := []int{1, 5, 10}
				got, times := set.ask(b, ks...)
				for i, k := range ks {
					b.ReportMetric(got[i][2], fmt.Sprintf("R@%d", k))
					b.ReportMetric(got[i][0], fmt.Sprintf("even-R@%d", k))
					b.ReportMetric(got[i][1], fmt.Sprintf("odd-R@%d", k))
				}
				b.ReportMetric(float64(len(set.questions)), "questions")
				b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
			}
		})
	}
}

// Questions in German are answered: their common words weigh nothing, and the words are found in other forms.
func TestGermanQuestionsAreAnswered(t *testing.T) {
	set := germanSet(t)
	got, _ := set.ask(t, 1, 5)
	t.Logf("among the first %.3f, among the first five %.3f", got[0], got[1])
	if first, five := got[0][2], got[1][2]; first < 0.9 || five < 0.95 {
		t.Errorf("%.3f of the questions are answered by the first hit, and %.3f by the first five", first, five)
	}
}

// Whole questions are answered by texts with some of their words, beside shorter ones.
func TestQuestionsAboutTalksAreAnswered(t *testing.T) {
	testrun.Alone(t)
	got, times := locomoSet(t).ask(t, 5, 10)
	t.Logf("among the first five %.3f, ten %.3f; %v", got[0], got[1], times[len(times)/2])
	if got[0][2] < 0.86 || got[1][2] < 0.93 {
		t.Errorf("%.3f of the sessions are among the first five, and %.3f among the first ten", got[0][2], got[1][2])
	}
}
