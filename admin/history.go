package admin

import (
	"maps"
	"net/http"
	"net/url"

	"trails/builtin/view"
)

type historyData struct {
	view.History
	Type, ID string
	Newest   bool            // the first entry is the newest of all
	Listed   map[string]bool // the capabilities that have a page
	Pager    *pager
}

// history answers what happened to one node, newest first, also to one that is gone.
func (s *site) history(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "before", "limit")
	data := historyData{Type: r.PathValue("type"), ID: r.PathValue("id")}
	args := map[string]any{"type": data.Type, "id": data.ID, "limit": q.number("limit", historyLimit, 1, historyMax)}
	if err := q.err(); err != nil {
		return err
	}
	if before := q.Get("before"); before != "" {
		args["before"] = before
	}
	a := s.asker(w, r)
	if _, _, err := a.typeNamed(data.Type); err != nil {
		return err
	}
	if err := a.ask("entity_history", args, &data.History); err != nil {
		return err
	}
	var err error
	if data.Listed, err = a.listed(); err != nil {
		return err
	}
	here, name := nodeURL(data.Type, data.ID), firstOf(line(data.Node.Label), data.ID)
	data.Newest = q.Get("before") == ""
	data.Pager = pagerBefore(here+"/history", url.Values{}, q.Get("before"), data.Next)
	return s.respond(w, r, http.StatusOK, page{
		Title: "History of " + name, Nav: "types", Type: data.Type, Main: data.main,
		Crumbs: []link{{data.Type, typeURL(data.Type)}, {name, here}},
		Live:   live{Mode: "types", Types: []string{data.Type}, Head: a.head},
	})
}

// pagerBefore goes from newer to older; the way back is the newest page. Keep is what
// the address holds besides.
func pagerBefore(path string, keep url.Values, before string, next *string) *pager {
	if before == "" && next == nil {
		return nil
	}
	out := &pager{}
	if before != "" {
		out.Previous = &link{"Newest", withQuery(path, keep)}
	}
	if next != nil {
		older := maps.Clone(keep)
		older.Set("before", *next)
		out.Next = &link{"Older", withQuery(path, older)}
	}
	return out
}
