package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"trails/fault"
	"trails/gateway"
	"trails/text/jsontext"
)

type serverData struct {
	serverLine
	Defined string // as indented JSON
	// Refusal is why the server did not list its offer, "" if it did.
	Refusal string
	Offers  []offerRow
	Pager   *pager
	Review  *reviewAnswer
	Listed  map[string]bool // the capabilities that have a page
}

// offerRow is one thing that a server offers; what has no ID cannot be called.
type offerRow struct {
	Kind, ID, Description string
	Standing              gateway.Standing
	Held                  bool // until somebody accepts it
}

// Href is the page of a tool, "" of what has none.
func (o offerRow) Href() string {
	if o.Kind != string(gateway.Tool) || o.ID == "" || o.Held {
		return ""
	}
	return toolURL(o.ID)
}

// UnmarshalJSON reads kind, id, description and standing.
func (o *offerRow) UnmarshalJSON(text []byte) error {
	var cells [4]string
	err := json.Unmarshal(text, &cells)
	o.Kind, o.ID, o.Description, o.Standing = cells[0], cells[1], cells[2], gateway.Standing(cells[3])
	return err
}

// reviewAnswer is what gateway_refresh says: how the server's offer differs from what was accepted.
type reviewAnswer struct {
	Offers  int              `json:"offers"`
	Changes []gateway.Change `json:"changes"`
	More    int              `json:"more_changes"`
	Digest  string           `json:"digest"`
}

// server answers the page of one upstream server: its offer and, with refresh, what is not as accepted.
func (s *site) server(w http.ResponseWriter, r *http.Request) error {
	name, q := r.PathValue("name"), queryOf(r, "offset", "refresh")
	offset, refresh := q.number("offset", 0, 0, maxOffset), q.word("refresh", "", "1") != ""
	if err := q.err(); err != nil {
		return err
	}
	a, data, code := s.asker(w, r), serverData{}, http.StatusOK
	var offered struct {
		serverLine
		Rows []offerRow `json:"rows"`
	}
	var err error
	// Other sites' pages must not make this process contact servers; a person may.
	if refresh && r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		data.Review = new(reviewAnswer)
		err = a.ask("gateway_refresh", map[string]any{"name": name}, data.Review)
	}
	if err == nil {
		err = a.ask("gateway_show", map[string]any{"name": name}, &offered)
		data.serverLine = offered.serverLine
	}
	if err != nil {
		line, known, other := a.serverNamed(name)
		if other != nil || !known {
			return err
		}
		data.serverLine, data.Review, data.Refusal, code = line, nil, fault.Of(err).Message, status(err)
	}
	data.page(offered.Rows, offset)
	if data.Defined, err = indented(data.Definition); err != nil {
		return err
	}
	if data.Listed, err = a.listed(); err != nil {
		return err
	}
	return s.respond(w, r, code, page{
		Title: data.Name, Nav: "gateway", Crumbs: []link{{"Gateway", gatewayURL}}, Main: data.main,
	})
}

// serverNamed is a server as the file and this process have it, without reaching it.
func (a *asker) serverNamed(name string) (serverLine, bool, error) {
	var answer gatewayAnswer
	err := a.ask("gateway_list", nil, &answer)
	at := slices.IndexFunc(answer.Upstreams, func(l serverLine) bool { return l.Name == name })
	if err != nil || at < 0 {
		return serverLine{}, false, err
	}
	return answer.Upstreams[at], true, nil
}

// page takes the rows from an offset on.
func (d *serverData) page(rows []offerRow, offset int) {
	from := min(offset, len(rows))
	to := min(from+gatewayOffers, len(rows))
	d.Offers = rows[from:to]
	for i := range d.Offers {
		o := &d.Offers[i]
		o.Held = d.Definition.Pin && o.ID != "" && o.Standing != gateway.IsAccepted
	}
	if len(rows) <= gatewayOffers && offset == 0 {
		return
	}
	text := fmt.Sprintf("%s–%s of %s", count(min(from+1, to)), count(to), count(len(rows)))
	d.Pager = pagerAt(text, offset, gatewayOffers, to, to < len(rows), func(offset int) string {
		q := url.Values{}
		if offset > 0 {
			q.Set("offset", strconv.Itoa(offset))
		}
		return withQuery(serverURL(d.Name), q)
	})
}

// indented is a value as JSON for people.
func indented(v any) (string, error) {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return "", err
	}
	shown, _ := indentedJSON(text, jsonShown)
	return shown, nil
}
