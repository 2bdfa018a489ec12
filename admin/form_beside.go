package admin

import (
	"net/http"
	"slices"
	"strings"

	"trails/admin/form"
	h "trails/admin/html"
	"trails/admin/markdown"
	"trails/builtin/view"
	"trails/fault"
)

// drawnMarkdown answers with the one text of a form as the page of its node draws it.
func (s *site) drawnMarkdown(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	text := ""
	for name, given := range values {
		if strings.HasPrefix(name, form.ArgPrefix) {
			text = given[0]
		}
	}
	if strings.TrimSpace(text) == "" {
		return send(w, r, http.StatusOK, h.P(faint("There is no text yet.")), state{})
	}
	return send(w, r, http.StatusOK, h.Div(h.Class("markdown"), h.Dir("auto"), markdown.Draw(text)), state{})
}

// commitsBeside is how many commits a form tells of that changed its node meanwhile.
const commitsBeside = 5

// changedBeside answers with what was changed of a node since the commit that its form began with, the newest first.
func (s *site) changedBeside(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "type", "id", "seen", "branch")
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var history view.History
	if err := a.ask("entity_history", map[string]any{"type": q.Get("type"), "id": q.Get("id"), "limit": commitsBeside + 1}, &history); err != nil {
		return err
	}
	since := history.Entries
	if i := slices.IndexFunc(since, func(e view.HistoryEntry) bool { return e.Commit.ID == q.Get("seen") }); i >= 0 {
		since = since[:i]
	}
	if len(since) == 0 {
		return fault.New(fault.NotFound, "nothing was changed since %s", line(q.Get("seen")))
	}
	doc, err := a.schema()
	if err != nil {
		return err
	}
	colours := newPalette(s.colours, doc.Types)
	entries := h.Map(since[:min(len(since), commitsBeside)], func(e view.HistoryEntry) h.Node {
		return h.Li(commitLink(e.Commit.ID), h.Text(" by "), h.Bdi(h.B(h.Text(line(e.Commit.Author)))), h.Text(", "), timeAt(e.Commit.Time), changeTable(colours, e.Changes, state{}, state{}))
	})
	return send(w, r, http.StatusOK, h.Group{
		h.Ul(h.Class("plain"), entries),
		h.If(len(since) > commitsBeside, h.P(h.Text("There are more: "), anchor("", nodeURL(q.Get("type"), q.Get("id"))+"/history", h.Text("the whole history")), h.Text("."))),
	}, a.state)
}
