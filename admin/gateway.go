package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trails/fault"
	"trails/gateway"
	"trails/text/tokens"
)

const gatewayURL = "/admin/gateway"

// Limits of the pages of the gateway.
const (
	gatewayCalls     = 20
	gatewayArtifacts = 20
	gatewayOffers    = 100 // of one server
)

func serverURL(name string) string { return gatewayURL + "/" + url.PathEscape(name) }

func toolURL(id string) string { return gatewayURL + "/tools/" + url.PathEscape(id) }

func artifactURL(handle string) string { return gatewayURL + "/artifacts/" + url.PathEscape(handle) }

// pathURL is a place in the catalog as a tree.
func pathURL(path string) string { return withQuery(gatewayURL, url.Values{"path": {path}}) }

// serverLine is an upstream server with its state in this process.
type serverLine struct {
	Name       string         `json:"name"`
	Way        string         `json:"way"`
	Address    string         `json:"address"`
	State      string         `json:"state"`
	Problem    string         `json:"problem"`
	Says       string         `json:"says"`
	Calls      int64          `json:"calls"`
	Failed     int64          `json:"failed"`
	Latency    int64          `json:"latency_ms"`
	Definition gateway.Server `json:"definition"`
}

// gatewayAnswer is what gateway_list says.
type gatewayAnswer struct {
	Upstreams  []serverLine    `json:"upstreams"`
	Settings   json.RawMessage `json:"settings"`
	Embeddings *struct {
		State   string `json:"state"`
		Problem string `json:"problem"`
		Vectors int64  `json:"vectors"`
	} `json:"embeddings"`
}

type gatewayData struct {
	gatewayAnswer
	Settings  string // as indented JSON, "" when they are the usual ones
	Found     *found
	Query     string
	Calls     []call
	Artifacts artifactList
	Listed    map[string]bool // the capabilities that have a page
}

// found is the answer of a search or of browsing, as agents get it.
type found struct {
	Path    string
	Trail   []link // from / to the path
	Text    string
	Tokens  int
	Cards   []card
	Problem string
}

// card is one of the things found, and its page.
type card struct {
	ID   string       `json:"id"`
	Kind gateway.Kind `json:"kind"`
}

// Href is the page of a tool, or of what is below a place in the tree.
func (c card) Href() string {
	if c.Kind == gateway.Internal {
		return pathURL(c.ID)
	}
	return toolURL(c.ID)
}

// gateway answers the page of the gateway: the servers, what an agent finds, what was called
// last and what is kept for the caller. No server is started unless something is looked for.
func (s *site) gateway(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "query", "path", "cursor")
	data := gatewayData{Query: q.Get("query")}
	if q.Has("query") && q.Has("path") {
		q.fail("path", fault.Closed, q.Get("path"), "give query or path, and not both")
	}
	if err := q.err(); err != nil {
		return err
	}
	a, code := s.asker(w, r), http.StatusOK
	// Other sites' pages must not make this process contact servers; a person may.
	if strings.TrimSpace(data.Query+q.Get("path")) != "" && r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		var err error
		if data.Found, err = a.browse(data.Query, q.Get("path")); err != nil { // first: it is what the visit is about
			data.Found.Problem, code = fault.Of(err).Message, status(err)
			if fault.Is(err, fault.Internal) {
				return err
			}
		}
	}
	if err := a.ask("gateway_list", nil, &data.gatewayAnswer); err != nil {
		return err
	}
	if text := strings.TrimSpace(string(data.gatewayAnswer.Settings)); text != "{}" {
		data.Settings, _ = indentedJSON(json.RawMessage(text), jsonShown)
	}
	var err error
	if data.Artifacts, err = a.artifacts(q.Get("cursor")); err != nil {
		return err
	}
	if data.Calls, err = a.gatewayCalls(); err != nil {
		return err
	}
	if data.Listed, err = a.listed(); err != nil {
		return err
	}
	return s.respond(w, r, code, page{Title: "Gateway", Nav: "gateway", Main: data.main})
}

// browse searches with a query or, without one, browses a path, like an agent. found is never nil.
func (a *asker) browse(query, path string) (*found, error) {
	f := &found{Path: path}
	args := map[string]any{"query": query}
	if path != "" {
		args = map[string]any{"path": path}
		f.Trail = append(f.Trail, link{"/", pathURL("/")})
		at := ""
		for segment := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			if segment != "" {
				at += "/" + segment
				f.Trail = append(f.Trail, link{segment, pathURL(at)})
			}
		}
	}
	var answer struct{ Cards []card }
	res, err := a.answered("tool_browse", args, &answer)
	if err != nil {
		return f, err
	}
	f.Text, f.Tokens, f.Cards = res.Told(), tokens.Count(res.Told()), answer.Cards
	return f, nil
}

// gatewayCalls are those of the latest activities that called a tool of a server.
func (a *asker) gatewayCalls() ([]call, error) {
	var prov struct {
		Graph []call `json:"@graph"`
	}
	if err := a.read("trails://prov/latest", &prov); err != nil {
		return nil, err
	}
	calls := slices.DeleteFunc(prov.Graph, func(c call) bool {
		_, err := gateway.ParseID(c.Capability)
		return err != nil
	})
	return calls[:min(len(calls), gatewayCalls)], nil
}

// artifactList is what the file keeps for the caller, a part of it.
type artifactList struct {
	Count, Bytes int64
	Rows         []artifactRow
	Next         string
}

// artifactRow has the columns of artifacts_list.
type artifactRow struct {
	Handle, MediaType, Tool, Created, Expires string
	Bytes                                     int64
}

// UnmarshalJSON reads the list of the columns.
func (r *artifactRow) UnmarshalJSON(text []byte) error {
	cells := []any{&r.Handle, &r.MediaType, &r.Bytes, &r.Tool, &r.Created, &r.Expires}
	given := len(cells)
	if err := json.Unmarshal(text, &cells); err != nil {
		return err
	}
	if len(cells) != given {
		return errors.New("a row of another length")
	}
	return nil
}

// artifacts are those that are kept for the caller, from a cursor on.
func (a *asker) artifacts(cursor string) (out artifactList, err error) {
	args := map[string]any{"limit": gatewayArtifacts}
	if cursor != "" {
		args["cursor"] = cursor
	}
	return out, a.ask("artifacts_list", args, &out)
}

// NextHref is where further artifacts are.
func (l artifactList) NextHref() string {
	return withQuery(gatewayURL, url.Values{"cursor": {l.Next}}) + "#h-kept"
}
