package mcp_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

// exception is a message that a schema may refuse, and why.
type exception struct {
	// In is a pattern of the sections, "FILE/SECTION".
	In string
	// From is who sends it; Has is what stands in it.
	From, Has string
	Reason    string
	used      bool
}

func (x *exception) covers(section, from string, text []byte) bool {
	in, err := path.Match(x.In, section)
	return err == nil && in && x.From == from && bytes.Contains(text, []byte(x.Has))
}

func readExceptions(t *testing.T) []exception {
	t.Helper()
	text, err := os.ReadFile("testdata/schema_exceptions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []exception
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, x := range all {
		if x.Reason == "" || x.In == "" || x.From == "" {
			t.Errorf("an exception is incomplete: %+v", x)
		}
	}
	return all
}

// Every message of the transcripts, both ways, is as the JSON Schema of the
// protocol's revision has it. An exception that is not needed fails.
func TestConformanceOfTheTranscriptsWithTheSchemas(t *testing.T) {
	schemaOf(t, versions[0])
	exceptions := readExceptions(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	messages, outputs := 0, 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range archive.Files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + section.Name
			all, checked := readTranscript(t, name, string(section.Data))
			outputs += checked
			for _, m := range all {
				messages++
				judge(t, exceptions, name, m)
			}
		}
	}
	for _, x := range exceptions {
		if !x.used {
			t.Errorf("nothing needs the exception in %s for %s %q", x.In, x.From, x.Has)
		}
	}
	if messages == 0 || outputs == 0 {
		t.Errorf("the transcripts have %d messages, and %d answers of tools with an output schema", messages, outputs)
	}
	t.Logf("%d messages, %d answers of tools", messages, outputs)
}

// spoken is one message of a transcript, with what its schema says of it.
type spoken struct {
	from string
	text []byte
	err  error
}

func judge(t *testing.T, exceptions []exception, section string, m spoken) {
	t.Helper()
	if m.err == nil {
		return
	}
	i := slices.IndexFunc(exceptions, func(x exception) bool { return x.covers(section, m.from, m.text) })
	if i < 0 {
		t.Errorf("%s: from the %s: %.300s\n%v", section, m.from, m.text, m.err)
		return
	}
	exceptions[i].used = true
}

// readTranscript inspects the messages of one section: a session over stdio, or
// exchanges over HTTP, of which each has its own version. outputs are how many answers
// of tools were checked against output schemas.
func readTranscript(t *testing.T, name, script string) (all []spoken, outputs int) {
	overHTTP := strings.HasPrefix(name, "http")
	i := newInspector(t, versions[len(versions)-2])
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		from := map[bool]string{true: client, false: server}[strings.HasPrefix(line, "> ")]
		text := strings.TrimPrefix(strings.TrimPrefix(line, "> "), "< ")
		if text == line || text == "" || text == "<" {
			continue
		}
		if overHTTP {
			if version, ok := strings.CutPrefix(text, "MCP-Protocol-Version: "); ok && slices.Contains(versions, version) {
				i.version = version
			}
			if isAroundMessages(text) {
				continue
			}
			text = strings.TrimPrefix(text, "data: ")
		}
		i.follow(from, []byte(text))
		all = append(all, spoken{from, []byte(text), i.inspect(from, []byte(text))})
	}
	return all, i.seen["outputSchema"]
}

// follow takes the version from the handshake.
func (i *inspector) follow(from string, text []byte) {
	var m struct {
		Params struct{ ProtocolVersion string }
		Result struct{ ProtocolVersion string }
	}
	_ = json.Unmarshal(text, &m) // what is no message sets no version
	asked, granted := m.Params.ProtocolVersion, m.Result.ProtocolVersion
	switch {
	case from == client && slices.Contains(versions[:4], asked):
		i.version = asked
	case from == server && granted != "":
		i.version = granted
	}
}

// isAroundMessages reports that a line of HTTP is no message: a status, a header,
// the name of an event, another method.
func isAroundMessages(line string) bool {
	if isHeader(line) && !strings.HasPrefix(line, "data: ") {
		return true
	}
	word, path, _ := strings.Cut(line, " ")
	return http.StatusText(number3(word)) != "" || strings.HasPrefix(path, "/")
}

func number3(word string) int {
	n := 0
	if len(word) == 3 {
		_ = json.Unmarshal([]byte(word), &n) // no number is no status
	}
	return n
}
