package admin

import (
	"maps"
	"net/http"
	"net/url"

	"trails/fault"
)

// historyAnswer is what entity_history answers.
type historyAnswer struct {
	Node    node
	Entries []struct {
		Commit   commit
		Activity *activity
		Changes  []change
		More     bool
	}
	Next *string
}

type historyData struct {
	historyAnswer
	Type, ID string
	Pager    *pager
}

// history answers what happened to one node, newest first, also to one that is gone.
func (s *site) history(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "before", "limit")
	limit := q.number("limit", historyLimit, 1, historyMax)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	data := historyData{Type: r.PathValue("type"), ID: r.PathValue("id")}
	args := map[string]any{"type": data.Type, "id": data.ID, "limit": limit}
	if before := q.Get("before"); before != "" {
		args["before"] = before
	}
	doc, err := a.schema()
	if err != nil {
		return err
	}
	if _, ok := doc.find(data.Type); !ok {
		return fault.New(fault.NotFound, "there is no type %s in the schema", line(data.Type))
	}
	if err := a.ask("entity_history", args, &data.historyAnswer); err != nil {
		return err
	}
	if err := a.listHistory(&data.historyAnswer); err != nil {
		return err
	}
	here := nodeURL(data.Type, data.ID)
	data.Pager = pagerBefore(here+"/history", url.Values{}, q.Get("before"), data.Next)
	return s.respond(w, r, http.StatusOK, "history.html", page{
		Title: "History of " + firstOf(line(data.Node.Label), data.ID), Nav: "types", Type: data.Type, Data: data,
		Crumbs: []link{{data.Type, typeURL(data.Type)}, {firstOf(line(data.Node.Label), data.ID), here}},
		Live:   live{Mode: "types", Types: []string{data.Type}, Head: a.head},
	})
}

// listHistory marks the calls that have a page.
func (a *asker) listHistory(h *historyAnswer) error {
	var activities []*activity
	for _, e := range h.Entries {
		activities = append(activities, e.Activity)
	}
	return a.list(activities...)
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
