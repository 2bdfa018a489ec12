package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/gateway"
	"trails/gateway/gatewaytest"
	"trails/text/tokens"
)

// catalogOf is a catalog of tools of these names without arguments.
func catalogOf(t testing.TB, names ...string) *gateway.Catalog {
	t.Helper()
	var items []gateway.Item
	for _, name := range names {
		item, err := gateway.Definition{Name: name, Description: "It does " + name}.Item("")
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return gateway.NewDirectory(items, nil).Catalog(gateway.Tool)
}

func browse(c *gateway.Catalog, query, path string) ([]gateway.Card, error) {
	b := gateway.Browsing{}
	if query != "" {
		b.Query = &query
	}
	if path != "" {
		b.Path = &path
	}
	return c.Browse(b)
}

func idsOf(cards []gateway.Card) string {
	var list []string
	for _, card := range cards {
		list = append(list, regexp.MustCompile(`#.*`).ReplaceAllString(card.ID, ""))
	}
	return strings.Join(list, " ")
}

func TestTheRecordedSessionIsReproduced(t *testing.T) {
	var session struct {
		Entries []struct {
			Kind    string
			Request struct {
				Name      string
				Arguments gateway.Browsing
			}
			Response json.RawMessage
		}
	}
	gatewaytest.Read(t, "gateway_session.json", &session)
	var items []gateway.Item
	for _, definition := range []string{
		`{"name":"github.create_issue","description":"Open a new GitHub issue with a title.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}`,
		`{"name":"github.list_repos","description":"List repositories for the authenticated user.","inputSchema":{"type":"object","properties":{}}}`,
	} {
		var d gateway.Definition
		if err := json.Unmarshal([]byte(definition), &d); err != nil {
			t.Fatal(err)
		}
		item, err := d.Item("")
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	c := gateway.NewDirectory(items, nil).Catalog(gateway.Tool)
	browsed := 0
	for _, e := range session.Entries {
		if e.Request.Name != "tool_browse" {
			continue
		}
		browsed++
		var response struct {
			Content []struct{ Text []map[string]any }
		}
		if err := json.Unmarshal(e.Response, &response); err != nil {
			t.Fatal(err)
		}
		cards, err := c.Browse(e.Request.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(cards)
		if err != nil {
			t.Fatal(err)
		}
		var got []map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		want := response.Content[0].Text
		for _, card := range append(slices.Clone(want), got...) {
			if _, is := card["score"].(float64); !is {
				t.Errorf("%v has no score", card)
			}
			delete(card, "score") // of another formula
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if browsed != 1 {
		t.Errorf("the session browses %d times", browsed)
	}
}

func TestPathsLeadToWhatIsThere(t *testing.T) {
	c := catalogOf(t, "github.create_issue", "github.list_issues", "github.Close-Issue", "github.list_repos", "github.whoami",
		"admin.users.list", "admin.users.create", "admin.roles.list", "slack_send_message", "read_file", "write_file", "mail.send")
	for path, want := range map[string]string{
		"/":                         "/admin /github /mail /mcp /slack",
		"/*":                        "/admin /github /mail /mcp /slack",
		"/github":                   "/github/issue github:list_repos github:whoami",
		"/github/issue":             "github:Close-Issue github:create_issue github:list_issues",
		"/github/issue/*":           "github:Close-Issue github:create_issue github:list_issues",
		"/github/issue/close-issue": "github:Close-Issue",
		"/github/whoami":            "github:whoami",
		"/github/whoami/*":          "github:whoami",
		"/admin":                    "/admin/users admin:roles.list",
		"/admin/users/users-list":   "admin:users.list",
		"/mcp":                      "mcp:read_file mcp:write_file", // all of it would be one cluster
		"/slack/slack_send_message": "slack:slack_send_message",
	} {
		cards, err := browse(c, "", path)
		if got := idsOf(cards); err != nil || got != want {
			t.Errorf("%s leads to %s (%v), want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]gateway.Code{
		"github": gateway.PathInvalid, "//": gateway.PathInvalid, "/github/": gateway.PathInvalid, "/GitHub": gateway.PathInvalid, "/a//b": gateway.PathInvalid,
		"/9a": gateway.PathInvalid, "/-a": gateway.PathInvalid, "/a b": gateway.PathInvalid, "/a/**": gateway.PathInvalid, "/" + strings.Repeat("a", 65): gateway.PathInvalid, "/a\n": gateway.PathInvalid,
		"/nothing": gateway.PathNotFound, "/github/issues": gateway.PathNotFound, "/*/issue": gateway.PathNotFound, "/github/whoami/x": gateway.PathNotFound, "/github/9": gateway.PathNotFound,
	} {
		_, err := browse(c, "", path)
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != want || failed.Retryable {
			t.Errorf("%s: %+v, want %s", path, err, want)
		}
	}
	_, err := browse(c, "", "/github/issues")
	if want := `nothing at /github/issues; browse /github; did you mean "issue"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestACatalogIsAskedOneThing(t *testing.T) {
	c := catalogOf(t, "a.b")
	query, path, blank := "b", "/", " "
	for _, b := range []gateway.Browsing{
		{}, {Query: &query, Path: &path}, {Query: &blank}, {Query: &query, Most: new(int)}, {Query: &query, Most: func() *int { n := 51; return &n }()},
	} {
		_, err := c.Browse(b)
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != gateway.ArgsInvalid {
			t.Errorf("%+v: %v", b, err)
		}
	}
	if cards, err := browse(c, "zzz", ""); err != nil || cards == nil || len(cards) != 0 {
		t.Errorf("%v (%v), want an empty list", cards, err)
	}
}

// From / every tool is reached, on one way, by paths of the grammar, and however many there
// are, no answer has more than 50 cards but that of the namespaces.
func TestEveryToolIsReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`([a-c]\.)?[a-cA-C_]{1,3}(_[a-c-]{1,2}|\.[a-c]){0,3}`), func(name string) string { return name }).Draw(t, "names")
		for i := range rapid.IntRange(0, 3).Draw(t, "crowd") * 70 {
			names = append(names, fmt.Sprintf("crowd.tool%d", i))
		}
		items := map[string]gateway.Item{}
		var list []gateway.Item
		for _, name := range names {
			if item, err := (gateway.Definition{Name: name}).Item(""); err == nil {
				items[item.ID] = item
				list = append(list, item)
			}
		}
		c := gateway.NewDirectory(list, nil).Catalog(gateway.Tool)
		reached := map[string]bool{}
		var visit func(path string)
		visit = func(path string) {
			cards, err := browse(c, "", path)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if path != "/" && len(cards) > 50 {
				t.Fatalf("%s has %d cards", path, len(cards))
			}
			for _, card := range cards {
				switch {
				case card.Kind == gateway.Internal:
					visit(card.ID)
				case reached[card.ID]:
					t.Fatalf("%s is reached twice", card.ID)
				default:
					reached[card.ID] = true
				}
			}
		}
		visit("/")
		if len(reached) != len(items) {
			t.Fatalf("%d of %d are reached", len(reached), len(items))
		}
	})
}

// Names that differ in their case only have one segment, and as many of them as a server may
// list are numbered in no time.
func TestNamesOfOneSegmentAreNumbered(t *testing.T) {
	var names []string
	for i := range 1 << 12 {
		name := []byte("s.abcdefghijkl")
		for bit := range 12 {
			if i>>bit&1 == 1 {
				name[2+bit] -= 'a' - 'A'
			}
		}
		names = append(names, string(name))
	}
	c := catalogOf(t, names...)
	cards, err := browse(c, "", "/s")
	for err == nil && cards[0].Kind == gateway.Internal {
		cards, err = browse(c, "", cards[0].ID)
	}
	if err != nil || len(cards) == 0 {
		t.Fatalf("%d cards (%v)", len(cards), err)
	}
}

func TestBrowsingCostsWhatItMay(t *testing.T) {
	var names []string
	for i := range 2_000 {
		names = append(names, fmt.Sprintf("server%d.do_%c%c_thing_%d", i%40, 'a'+i%26, 'a'+i/26%26, i))
	}
	c := catalogOf(t, names...)
	for _, asked := range [][2]string{{"do the thing", ""}, {"", "/"}, {"", "/server3"}} {
		cards, err := browse(c, asked[0], asked[1])
		if err != nil || len(cards) == 0 {
			t.Fatalf("%q: %d cards (%v)", asked, len(cards), err)
		}
		text := ""
		for _, card := range cards {
			text += card.String() + "\n"
		}
		if n := tokens.Count(text); n > 60*len(cards)+32 {
			t.Errorf("%q: %d cards have %d tokens", asked, len(cards), n)
		}
	}
}

// Whatever a session browses, the cards that it has seen come first, byte for byte as before,
// then a mark, then new ones, each in the order of ids; without one of both there is no mark.
func TestWhatWasShownStaysAsItWas(t *testing.T) {
	c := catalogOf(t, "a.open", "a.close", "a.read", "b.open", "b.read", "b.write", "c.list", "c.read")
	rapid.Check(t, func(t *rapid.T) {
		var stable gateway.Stable
		seen, shown := map[string]bool{}, map[string]string{}
		for _, asked := range rapid.SliceOf(rapid.SampledFrom([]string{"open", "read b", "write list", "/a", "/c", "read", "!a:open", "!b:read"})).Draw(t, "asked") {
			if id, hydrated := strings.CutPrefix(asked, "!"); hydrated {
				cards, err := browse(c, "", "/"+strings.Replace(id, ":", "/", 1))
				if err != nil {
					t.Fatal(err)
				}
				stable.Hydrated(cards[0].ID)
				seen[cards[0].ID] = true
				continue
			}
			query, path := asked, ""
			if asked[0] == '/' {
				query, path = "", asked
			}
			cards, err := browse(c, query, path)
			if err != nil {
				t.Fatal(err)
			}
			got := stable.Order(cards)
			at := slices.IndexFunc(got, func(card gateway.Card) bool { return card.ID == "__cache_breakpoint__" })
			known := slices.DeleteFunc(slices.Clone(got), func(card gateway.Card) bool { return !seen[card.ID] })
			if boundary := len(known) > 0 && len(known) < len(cards); boundary != (at >= 0) || at >= 0 && at != len(known) || len(got) < len(cards) {
				t.Fatalf("%s: a mark at %d of %s, of which %d are known", asked, at, idsOf(got), len(known))
			}
			fresh := got[len(known):]
			if at >= 0 {
				fresh = fresh[1:]
			}
			for _, part := range [][]gateway.Card{known, fresh} {
				if !slices.IsSortedFunc(part, func(a, b gateway.Card) int { return strings.Compare(a.ID, b.ID) }) {
					t.Fatalf("%s is not in the order of ids", idsOf(part))
				}
			}
			if !reflect.DeepEqual(got[:len(known)], known) {
				t.Fatalf("%s does not begin with %s", idsOf(got), idsOf(known))
			}
			for _, card := range append(known, fresh...) {
				text, err := json.Marshal(card)
				if err != nil {
					t.Fatal(err)
				}
				if before, was := shown[card.ID]; was && before != string(text) {
					t.Fatalf("%s was shown as %s", text, before)
				}
				seen[card.ID], shown[card.ID] = true, string(text)
			}
		}
	})
}

func BenchmarkBrowse(b *testing.B) {
	for _, size := range []int{1_000, 10_000} {
		var names []string
		for i := range size {
			names = append(names, fmt.Sprintf("server%d.do_%c%c_thing_%d", i%40, 'a'+i%26, 'a'+i/26%26, i))
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := catalogOf(b, names...)
			for b.Loop() {
				if _, err := browse(c, "please do the thing 77 of the server for me", ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
