package admin

import (
	"net/http"
	"net/url"
	"strconv"
)

// requestsShown is how many requests the page of requests has at once.
const requestsShown = 50

// requestsData is the page of requests.
type requestsData struct {
	Requests []request
	All      bool // those that were decided, too
	Pager    *pager
}

// requestsPage answers what waits for approval, or all that was asked for.
func (s *site) requestsPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "all", "before")
	data := requestsData{All: q.word("all", "0", "1") == "1"}
	before := q.number("before", 0, 1, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	list, next, err := a.requests(data.All, int64(before), requestsShown)
	if err != nil {
		return err
	}
	keep := url.Values{}
	if data.All {
		keep.Set("all", "1")
	}
	var older *string
	if next > 0 {
		text := strconv.FormatInt(next, 10)
		older = &text
	}
	data.Requests, data.Pager = list, pagerBefore(requestsURL, keep, q.Get("before"), older)
	return s.respond(w, r, http.StatusOK, page{Title: "Requests", Nav: "requests", Main: data.main, Live: live{Mode: "any", Head: a.head}})
}
