package admin

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/fault"
)

const (
	requestsURL = "/admin/requests"
	decideID    = "requests_decide"
	doDecline   = "decline" // what the second button does
)

// request is a row of requests_list.
type request struct {
	view.Request
	// Undone says what the commit did that the request would take back; "" for another request, and where it cannot be read.
	Undone string
}

// describeRequests says in each request to take back a commit what that one did.
func (a *asker) describeRequests(list []request) {
	for i := range list {
		q := &list[i]
		var args struct{ Commit string }
		if q.Call != undoID || json.Unmarshal([]byte(q.Args), &args) != nil || strings.Contains(args.Commit, "..") {
			continue
		}
		var page view.CommitPage
		if a.furnish("commit_view", map[string]any{"id": args.Commit, "limit": 1}, &page) == nil { // the list says the id without it
			q.Undone = line(page.Commit.What)
		}
	}
}

// requestRows is an answer of requests_list.
type requestRows struct {
	Rows []request
	Next int64 // the cursor of the next page, 0 at the end
}

// What became of a request, as requests_list has it.
const (
	requestWaits  = "pending"
	requestLapsed = "lapsed"
	requestMerged = "done"
)

// requests lists requests before a number, 0 for the newest, with the cursor of the next page.
func (a *asker) requests(all bool, before int64, limit int) (list []request, next int64, err error) {
	var answer requestRows
	args := map[string]any{"all": all, "limit": limit}
	if before > 0 {
		args["before"] = before
	}
	if err := a.ask("requests_list", args, &answer); err != nil {
		return nil, 0, err
	}
	a.describeRequests(answer.Rows)
	return answer.Rows, answer.Next, nil
}

// request reads one request.
func (a *asker) request(number string) (request, error) {
	missing := fault.New(fault.NotFound, "there is no request %s", line(number))
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return request{}, missing
	}
	var answer requestRows
	if err := a.ask("requests_list", map[string]any{"request": n}, &answer); fault.Is(err, fault.Missing) {
		return request{}, missing
	} else if err != nil {
		return request{}, err
	}
	a.describeRequests(answer.Rows)
	return answer.Rows[0], nil
}

// URL is the address of its page.
func (q request) URL() string { return requestURL(q.Number) }

func requestURL(number int64) string { return requestsURL + "/" + strconv.FormatInt(number, 10) }

// deciding is the page of a request: the merge that is asked for, and the decision.
type deciding struct {
	*merge
	Asked      request
	Reason     string
	Call       *callAsked // what another call than a merge would do
	MayApprove bool       // and decline
	MayDecline bool
}

// deciding begins the page of a request for who looks at it.
func (a *asker) deciding(number string, m *merge, reason string) (*deciding, error) {
	asked, err := a.request(number)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = asked.Source, asked.Target
	if asked.Source == asked.Merges {
		m.Commit = asked.Merges
	}
	if asked.Call != mergeID {
		m.Source = "" // so that nothing but the branch is named
	}
	d := &deciding{merge: m, Asked: asked, Reason: reason, MayApprove: policy.May(a.call.Principal, policy.Builder)}
	if d.isCall() {
		d.MayApprove = policy.MayAgree(a.call.Principal.Through(a.call.Via))
	}
	d.MayDecline = d.MayApprove || a.call.Principal.Author() == asked.Agent
	return d, nil
}

// requestPage answers the page of a request, with its preview while it waits.
func (s *site) requestPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	d, err := a.deciding(r.PathValue("number"), &merge{Key: uuid.NewString(), Decided: map[string]mergeChoice{}}, "")
	if err != nil {
		return err
	}
	d.Take, d.Kept = d.Asked.Take, d.Asked.Resolutions
	return s.showRequest(w, r, a, d, http.StatusOK)
}

// requestPosted answers a decision with its result, or with another preview.
func (s *site) requestPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	d, err := a.deciding(r.PathValue("number"), mergeOf(values), values.Get("reason"))
	if err != nil {
		return err
	}
	if d.isCall() {
		d.Call = &callAsked{Head: values.Get(lookedAtName)}
	}
	again := func(code int) error { return s.showRequest(w, r, a, d, code) }
	switch values.Get(doName) {
	case doCall:
		return s.makeMerge(w, r, a, d.merge, decideID, d.arguments("approve"), again)
	case doDecline:
		return s.makeMerge(w, r, a, d.merge, decideID, d.arguments("decline"), again)
	}
	return again(http.StatusOK)
}

// arguments are those of the call that decides.
func (d *deciding) arguments(decision string) map[string]any {
	args := map[string]any{}
	switch {
	case decision == "approve" && !d.isCall():
		args = d.decisions()
	case decision == "approve" && d.Call.Head != "":
		args["if_commit"] = d.Call.Head
	}
	args["request"], args["decision"] = d.Asked.Number, decision
	if d.Reason != "" {
		args["reason"] = d.Reason
	}
	return args
}

// showRequest answers the page with a fresh preview of a request that waits.
func (s *site) showRequest(w http.ResponseWriter, r *http.Request, a *asker, d *deciding, code int) error {
	switch {
	case d.isCall():
		if err := d.tryCall(a); err != nil {
			return err
		}
	case d.Asked.State == requestWaits:
		tried, err := d.try(a)
		if err != nil {
			return err
		}
		d.readKept()
		d.keepOthers()
		code = max(code, tried)
	}
	return s.respond(w, r, code, page{
		Title: "Request " + count(d.Asked.Number), Nav: "requests", Main: d.main, Crumbs: []link{{"Requests", requestsURL}},
	})
}

// try makes the preview: of the approval, or of the same merge for who may not approve.
func (d *deciding) try(a *asker) (code int, err error) {
	if !d.MayApprove {
		same := *d.merge
		same.Source = d.Asked.Merges
		code, err = same.try(a)
		d.Preview, d.Problem, d.Mass = same.Preview, same.Problem, same.Mass
		return code, err
	}
	var answer struct{ Merge mergePreview }
	args := d.arguments("approve")
	args["dry_run"] = true
	err = a.ask(decideID, args, &answer)
	return d.tried(a, answer.Merge, err)
}

// readKept makes choices of the resolutions that are about a clash of the preview.
func (m *merge) readKept() {
	for _, c := range m.Preview.Clashes {
		m.Kept = slices.DeleteFunc(slices.Clone(m.Kept), func(text string) bool {
			value, isValue := strings.CutPrefix(text, c.Name()+":=")
			take, isSide := strings.CutPrefix(text, c.Name()+"=")
			if _, chosen := m.Decided[c.Name()]; chosen {
				return isValue || isSide
			}
			switch {
			case isValue:
				m.Decided[c.Name()] = mergeChoice{valueTaken, value}
			case isSide:
				m.Decided[c.Name()] = mergeChoice{take, ""}
			}
			return isValue || isSide
		})
	}
}
