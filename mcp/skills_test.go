package mcp_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/mcp"
)

// Every skill that is listed can be had, and its file is the one of the digest, in every version; lists of resources have
// the same files.
func TestEveryListedSkillIsTheFileThatIsRead(t *testing.T) {
	h := mcp.New(openStarter(t), options("")).Handler()
	for _, version := range versions {
		send := func(method, name string, params map[string]any, out any) string {
			t.Helper()
			text := post(t, h, ask(version, 1, method, params, ""), versionHeaders(version, method, name)...).Body.String()
			if err := json.Unmarshal(parse(t, text).Result, out); err != nil {
				t.Fatalf("%s %s: %v in %s", version, method, err, text)
			}
			return text
		}
		var list struct{ Skills []json.RawMessage }
		send("skills/list", "", nil, &list)
		if len(list.Skills) < 3 {
			t.Fatalf("%s: %d skills", version, len(list.Skills))
		}
		var resources struct {
			Resources []struct{ URI, Name, Description, MimeType string }
		}
		listed := send("resources/list", "", nil, &resources)
		if n := strings.Count(listed, `"uri":"skill://`); n != len(list.Skills) {
			t.Errorf("%s: %d skills, and %d are resources: %s", version, len(list.Skills), n, listed)
		}
		for _, entry := range list.Skills {
			var one struct {
				URI         string
				FrontMatter map[string]string
				Resources   []struct {
					URI, Digest string
					Size        int
				}
			}
			if err := json.Unmarshal(entry, &one); err != nil || len(one.Resources) != 1 || one.FrontMatter["name"] == "" || one.FrontMatter["description"] == "" {
				t.Fatalf("%s: %v in %s", version, err, entry)
			}
			var got struct{ Skill json.RawMessage }
			text := send("skills/get", "", map[string]any{"uri": one.URI}, &got)
			if string(got.Skill) != string(entry) || (version == "2026-07-28") != strings.Contains(text, `"cacheScope":"private"`) {
				t.Errorf("%s: skills/get %s, skills/list %s", version, text, entry)
			}
			var file struct {
				Contents []struct{ URI, MimeType, Text string }
			}
			send("resources/read", one.URI, map[string]any{"uri": one.URI}, &file)
			c := file.Contents[0]
			if digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(c.Text))); digest != one.Resources[0].Digest || len(c.Text) != one.Resources[0].Size || c.URI != one.URI || c.MimeType != "text/markdown" {
				t.Errorf("%s: %s is not the file of the entry %s", version, c.Text, entry)
			}
			if !strings.Contains(listed, fmt.Sprintf(`"uri":%q,"name":%q,`, one.URI, one.FrontMatter["name"])) {
				t.Errorf("%s: %s is not in %s", version, one.URI, listed)
			}
		}
	}
}

// A message without params is answered, or refused with what is missing, whatever the method.
func TestAMessageMayHaveNoParams(t *testing.T) {
	s := converse(t, openStarter(t), options(""))
	for method, answers := range map[string]bool{
		"ping": true, "tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true, "skills/list": true,
		"skills/get": false, "tools/call": false, "resources/read": false, "resources/subscribe": false, "resources/unsubscribe": false,
		"prompts/get": false, "completion/complete": false, "logging/setLevel": false,
	} {
		s.id++
		go fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", s.id, method)
		switch a := s.reply(); {
		case answers && a.Error != nil:
			t.Errorf("%s: %+v", method, a.Error)
		case !answers && (a.Error == nil || a.Error.Code != -32602):
			t.Errorf("%s: %+v", method, a)
		case method == "skills/list" && !strings.Contains(string(a.Result), "skill://read-graph/SKILL.md"):
			t.Errorf("%s: %s", method, a.Result)
		}
	}
}

func TestASkillThatIsNotThereIsRefused(t *testing.T) {
	s := converse(t, openGraph(t), options(""))
	for field, params := range map[string]map[string]any{
		"uri":    {"uri": "skill://nosuch/SKILL.md"},
		"cursor": {"uri": "skill://read-graph/SKILL.md", "cursor": 5},
	} {
		method := map[string]string{"uri": "skills/get", "cursor": "skills/list"}[field]
		if a := s.ask(method, params); a.Error == nil || a.Error.Code != -32602 || !strings.Contains(string(a.Error.Data), `"field":"`+field+`"`) {
			t.Errorf("%s: %+v", field, a)
		}
	}
	for _, uri := range []string{"skill://nosuch/SKILL.md", "skill://read-graph", "skill://read-graph/OTHER.md", "skill://read-graph/SKILL.md?at=head"} {
		if a := s.ask("resources/read", map[string]any{"uri": uri}); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("%s: %+v", uri, a)
		}
	}
}
