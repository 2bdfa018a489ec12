package admin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/fault"
)

// Addresses of the page of branches, and of the choice of one.
const (
	branchesURL = "/admin/branches"
	branchURL   = "/admin/branch"
)

// Limits of the page of branches: how many it shows at once, and how many commits of each are looked at.
const (
	branchesShown = 50
	branchCommits = 200
)

// branch is a row of branches_list.
type branch struct {
	Name, From, Fork, Head string
	Protected              bool
}

// UnmarshalJSON reads the cells of a row; the time of the head is not used.
func (b *branch) UnmarshalJSON(text []byte) error {
	row := [...]any{&b.Name, &b.From, &b.Fork, &b.Head, nil, &b.Protected}
	return json.Unmarshal(text, &row)
}

// branches lists all branches, main first.
func (a *asker) branches() ([]branch, error) {
	var answer struct{ Rows []branch }
	err := a.ask("branches_list", nil, &answer)
	return answer.Rows, err
}

// branchesData is the page of branches.
type branchesData struct {
	Branches []branchState
	All      []branch
	Tags     []tag
	Key      string // of the form that makes one
	Pager    *pager
}

// tag is a row of tags_list.
type tag struct{ Name, Commit, Time, Branch, Author, Tagged string }

// UnmarshalJSON reads the cells of a row.
func (t *tag) UnmarshalJSON(text []byte) error {
	row := [...]any{&t.Name, &t.Commit, &t.Time, &t.Branch, &t.Author, &t.Tagged}
	return json.Unmarshal(text, &row)
}

// branchState is a branch with its last commit and how far it is from the branch that it was made from.
type branchState struct {
	branch
	Last          view.Commit
	Ahead, Behind distance
	Protects      bool // the viewer may protect it
}

// distance counts commits; More says that there are more than were looked at.
type distance struct {
	Commits int
	More    bool
}

// branchesPage answers the page of branches.
func (s *site) branchesPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "offset")
	offset := q.number("offset", 0, 0, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	list, err := a.branches()
	if err != nil {
		return err
	}
	var tags struct{ Rows []tag }
	if err := a.ask("tags_list", nil, &tags); err != nil {
		return err
	}
	data, logs := branchesData{All: list, Tags: tags.Rows, Key: uuid.NewString()}, map[string][]view.Commit{}
	from, to := min(offset, len(list)), min(offset+branchesShown, len(list))
	for _, b := range list[from:to] {
		for _, name := range []string{b.Name, b.From} {
			if _, known := logs[name]; known || name == "" {
				continue
			}
			if logs[name], err = a.log(name, branchCommits); err != nil {
				return err
			}
		}
		one := branchState{branch: b, Protects: policy.May(a.call.Principal, policy.Builder)}
		if len(logs[b.Name]) > 0 {
			one.Last = logs[b.Name][0]
		}
		if b.From != "" {
			one.Ahead, one.Behind = apart(logs[b.Name], logs[b.From], b.Fork), apart(logs[b.From], logs[b.Name], b.Fork)
		}
		data.Branches = append(data.Branches, one)
	}
	if len(list) > branchesShown {
		text := count(from+1) + "–" + count(to) + " of " + count(len(list))
		data.Pager = pagerAt(text, offset, branchesShown, to, to < len(list), func(offset int) string {
			return withQuery(branchesURL, url.Values{"offset": {strconv.Itoa(offset)}})
		})
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Branches", Nav: "branches", Main: data.main, Live: live{Mode: "any", Head: a.head},
		Twins: []twin{{"JSON", "application/json", "/branches"}},
	})
}

// log reads the newest commits of a branch.
func (a *asker) log(branch string, most int) ([]view.Commit, error) {
	var list view.CommitList
	err := a.ask("commits_list", map[string]any{"branch": branch, "limit": most, "whole": true}, &list)
	return list.Commits, err
}

// apart counts the commits of one branch that another one has neither by the commit at which both part nor by merging it.
func apart(own, other []view.Commit, fork string) distance {
	taken := map[string]bool{fork: true}
	for _, c := range since(other, fork) {
		taken[c.Merged] = true
	}
	for i, c := range own {
		if taken[c.ID] {
			return distance{Commits: i}
		}
	}
	return distance{Commits: len(own), More: len(own) == branchCommits}
}

// since are the commits of a log, newest first, that are newer than one of them.
func since(log []view.Commit, id string) []view.Commit {
	if i := slices.IndexFunc(log, func(c view.Commit) bool { return c.ID == id }); i >= 0 {
		return log[:i]
	}
	return log
}

// chooseBranch goes back to a page, on another branch and its newest commit.
func (s *site) chooseBranch(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "return")
	if err := q.err(); err != nil {
		return err
	}
	back, err := url.Parse(returnTo(q.Get("return")))
	if err != nil {
		return fault.New(fault.Malformed, "the address does not parse")
	}
	asked := back.Query()
	for _, name := range []string{"at", "before", "offset"} { // places in another history
		asked.Del(name)
	}
	asked.Set("branch", firstOf(q.Get("branch"), mainBranch))
	http.Redirect(w, r, withQuery(back.EscapedPath(), asked), http.StatusSeeOther)
	return nil
}
