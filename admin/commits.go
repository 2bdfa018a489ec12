package admin

import (
	"net/http"
	"net/url"
	"strconv"
)

// Limits of the log's and a commit's page.
const (
	logLimit   = 50
	logMax     = 1000
	nodesShown = 100
)

type commitsData struct {
	Commits []commit
	Next    *string
	Schema  bool
	Pager   *pager
}

// commits answers the log, newest first.
func (s *site) commits(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "before", "limit", "schema")
	limit, schemaOnly := q.number("limit", logLimit, 1, logMax), q.word("schema", "0", "1") == "1"
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	args := map[string]any{"limit": limit, "schema_only": schemaOnly}
	if before := q.Get("before"); before != "" {
		args["before"] = before
	}
	data := commitsData{Schema: schemaOnly}
	if err := a.ask("commits_list", args, &data); err != nil {
		return err
	}
	keep := url.Values{}
	if schemaOnly {
		keep.Set("schema", "1")
	}
	data.Pager = pagerBefore("/admin/commits", keep, q.Get("before"), data.Next)
	return s.respond(w, r, http.StatusOK, "commits.html", page{
		Title: "Commits", Nav: "commits", Live: live{Mode: "any", Head: a.head}, Data: data,
		Twins: []twin{{"JSON", "application/json", "/commits"}},
	})
}

// commitAnswer is what commit_view answers.
type commitAnswer struct {
	Commit        commit
	Activity      *activity
	Nodes         []nodeChange
	Truncated     bool
	Previous      *string
	Next          *string
	SchemaChanged bool `json:"schema_changed"`
}

type commitData struct {
	commitAnswer
	Pager *pager
}

// commit answers who did what in one commit, and to which nodes.
func (s *site) commit(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "offset")
	offset := q.number("offset", 0, 0, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var data commitData
	args := map[string]any{"id": r.PathValue("id"), "limit": nodesShown, "offset": offset}
	if err := a.ask("commit_view", args, &data.commitAnswer); err != nil {
		return err
	}
	if err := a.list(data.Activity); err != nil {
		return err
	}
	path := commitURL(data.Commit.ID)
	data.Pager = nodesPager(path, offset, len(data.Nodes), data.Truncated)
	return s.respond(w, r, http.StatusOK, "commit.html", page{
		Title: "Commit " + short(data.Commit.ID), Nav: "commits", Data: data,
		Crumbs: []link{{"Commits", "/admin/commits"}}, Twins: []twin{{"JSON", "application/json", "/commits/" + url.PathEscape(data.Commit.ID)}},
	})
}

func nodesPager(path string, offset, shown int, more bool) *pager {
	if offset == 0 && !more {
		return nil
	}
	out := &pager{Text: "Nodes " + count(int64(offset+1)) + "–" + count(int64(offset+shown))}
	if offset > 0 {
		out.Previous = &link{"Previous", path + "?offset=" + strconv.Itoa(max(0, offset-nodesShown))}
	}
	if more {
		out.Next = &link{"Next", path + "?offset=" + strconv.Itoa(offset+shown)}
	}
	return out
}
