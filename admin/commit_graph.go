package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"trails/builtin/view"
)

const commitGraphURL = "/admin/commits/graph"

// Limits of the picture of the history: commits at once and before them, and branches.
const (
	graphCommits = 60
	graphDeepest = logMax - graphCommits - 1
	graphLanes   = 10
)

// commitGraph is the picture of the history: commits of all branches, newest first, each in the lane of its branch.
type commitGraph struct {
	Rows   []graphRow // those that are shown
	Edges  []graphEdge
	Lanes  int
	Hidden int // branches without a lane
	Pager  *pager
}

// graphRow is a commit in its lane, and the branches whose head it is.
type graphRow struct {
	view.Commit
	Lane   int
	Branch string
	Heads  []string
}

// graphEdge leads from a commit to a parent, by row and lane. Rows before the first shown one are negative, and those after
// the last one are not shown. Merges is the edge to the commit that a merge took in.
type graphEdge struct {
	From, To         int
	FromLane, ToLane int
	Merges           bool
}

// commitGraph answers the picture.
func (s *site) commitGraph(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "offset")
	offset := q.number("offset", 0, 0, graphDeepest)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	branches, err := a.branches()
	if err != nil {
		return err
	}
	data := commitGraph{Lanes: min(len(branches), graphLanes)}
	data.Hidden = len(branches) - data.Lanes
	all, err := a.commitsOf(branches[:data.Lanes], offset+graphCommits+1)
	if err != nil {
		return err
	}
	data.Edges = edgesOf(all, offset)
	end := min(offset+graphCommits, len(all))
	data.Rows = all[min(offset, end):end]
	if more := len(all) > end; more || offset > 0 {
		text := "Commits " + count(offset+1) + "–" + count(end)
		data.Pager = pagerAt(text, offset, graphCommits, end, more && end <= graphDeepest, func(offset int) string {
			return withQuery(commitGraphURL, url.Values{"offset": {strconv.Itoa(offset)}})
		})
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Graph of commits", Nav: "commits", Main: data.main, Live: live{Mode: "any", Head: a.head}, Crumbs: []link{{"Commits", "/admin/commits"}},
	})
}

// commitsOf reads the newest commits of the branches, newest first, each once: in the lane of the branch that it was made on.
func (a *asker) commitsOf(branches []branch, most int) ([]graphRow, error) {
	lanes := make([][]graphRow, len(branches))
	heads := map[string][]string{}
	for lane, b := range branches {
		heads[b.Head] = append(heads[b.Head], b.Name)
		log, err := a.log(b.Name, most)
		if err != nil {
			return nil, err
		}
		for _, c := range since(log, b.Fork) {
			lanes[lane] = append(lanes[lane], graphRow{Commit: c, Lane: lane, Branch: b.Name})
		}
	}
	all := newestFirst(lanes)
	for i := range all {
		all[i].Heads = heads[all[i].ID]
	}
	return all, nil
}

// newestFirst puts the lanes into one order: by time, and each commit above its parents whatever the clocks said.
func newestFirst(lanes [][]graphRow) (order []graphRow) {
	children := map[string]int{} // of each commit, those that have no place yet
	for _, c := range slices.Concat(lanes...) {
		children[c.Parent]++
		children[c.Merged]++
	}
	for {
		next, newest := -1, time.Time{}
		for i, lane := range lanes {
			if len(lane) == 0 || children[lane[0].ID] > 0 {
				continue
			}
			// As texts, times with and without a fraction of a second have another order.
			if at, _ := time.Parse(time.RFC3339Nano, lane[0].Time); next < 0 || at.After(newest) {
				next, newest = i, at
			}
		}
		if next < 0 {
			return order
		}
		c := lanes[next][0]
		lanes[next] = lanes[next][1:]
		children[c.Parent]--
		children[c.Merged]--
		order = append(order, c)
	}
}

// edgesOf are the edges between these commits. A parent that was not read is below all of them.
func edgesOf(all []graphRow, offset int) []graphEdge {
	rows := map[string]int{}
	for i, row := range all {
		rows[row.ID] = i
	}
	var out []graphEdge
	for i, row := range all {
		if row.Parent != "" {
			at, known := rows[row.Parent]
			e := graphEdge{From: i - offset, To: len(all) - offset, FromLane: row.Lane, ToLane: row.Lane}
			if known {
				e.To, e.ToLane = at-offset, all[at].Lane
			}
			out = append(out, e)
		}
		if at, known := rows[row.Merged]; known {
			out = append(out, graphEdge{From: i - offset, To: at - offset, FromLane: row.Lane, ToLane: all[at].Lane, Merges: true})
		}
	}
	return slices.DeleteFunc(out, func(e graphEdge) bool { return e.To < 0 || e.From >= graphCommits })
}
