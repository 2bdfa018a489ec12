package e2e_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// Four processes serve one file to 64 clients, eight on each of eight branches. Every acknowledged commit is in
// the history of its branch exactly once, and nothing else is; heads move only by compare-and-set; no read sees
// half a commit.
func TestSixtyFourClientsOnEightBranches(t *testing.T) {
	t.Parallel()
	writeOnBranches(t, 3*time.Second)
}

// pairsSchema is of nodes whose two values are always written together, so that whoever finds them different has
// seen half a commit.
const pairsSchema = `
base: "urn:trails:pairs:"
types:
  Pair:
    label: code
    key: code
    iri: key
    properties:
      code: {type: string, required: true, unique: true, pattern: '^[a-z0-9-]+$'}
      left: {type: string, required: true}
      right: {type: string, required: true}
`

const (
	pairServers   = 4
	pairBranches  = 8
	pairClients   = 64
	pairsShared   = 4 // pairs that every client of a branch writes
	turnsAtLeast  = 9 // of each client, however short the time: one of each kind
	pairsPageSize = 1000
)

// pairCounts are the numbers of a run.
type pairCounts struct{ acknowledged, chained, refused, merges, clashes, reads, busy int }

// writeOnBranches lets all clients work, and checks what each was told against what is in the file.
func writeOnBranches(t *testing.T, lasts time.Duration) pairCounts {
	t.Helper()
	random := testrun.Random(t)
	file := filepath.Join(t.TempDir(), "pairs.db")
	must(t, "init", file, "--schema", write(t, "pairs.yaml", pairsSchema))
	transport := &http.Transport{MaxIdleConnsPerHost: pairClients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: patience}
	var doors []door
	var bases []string
	for range pairServers {
		w := openWeb(t, file)
		doors, bases = append(doors, w), append(bases, w.base)
	}
	first := &pairClient{name: "setup", base: bases[0], http: client}
	branches := makeBranches(t, first)
	clients := []*pairClient{first}
	end := time.Now().Add(lasts)
	var work sync.WaitGroup
	for i := range pairClients {
		c := &pairClient{
			name: fmt.Sprintf("c%d", i), branches: branches, branch: branches[i%pairBranches],
			base: bases[i/pairBranches%pairServers], other: bases[(i/pairBranches+1)%pairServers],
			http: client, random: rand.New(rand.NewPCG(random.Uint64(), 0)),
		}
		clients = append(clients, c)
		work.Go(func() {
			for n := 0; n < turnsAtLeast || time.Now().Before(end); n++ {
				if err := c.turn(n + i); err != nil {
					t.Errorf("client %s on %s, turn %d: %v", c.name, c.branch.name, n, err)
					return
				}
			}
		})
	}
	work.Wait()
	heads := headsOf(t, first)
	last := map[string]map[string]string{} // branch to pair to value
	histories := map[string][]pairCommit{}
	for _, b := range branches {
		histories[b.name] = historyOf(t, file, b.name)
		last[b.name] = map[string]string{}
	}
	if faults := faultsOfHistories(branches, heads, histories, clients, last); len(faults) > 0 {
		t.Errorf("%d faults, of which the first are:\n%s", len(faults), strings.Join(faults[:min(len(faults), 20)], "\n"))
	}
	for _, b := range branches {
		for pair, value := range last[b.name] {
			if got, _, err := first.read(pair, b.name); err != nil || got != value {
				t.Errorf("%s on %s is %q, %v; the last write made it %q", pair, b.name, got, err, value)
			}
		}
	}
	stopAll(t, doors)
	must(t, "verify", file)
	var sum pairCounts
	for _, c := range clients {
		sum.acknowledged += len(c.writes)
		sum.chained += c.counts.chained
		sum.refused += c.counts.refused
		sum.merges += c.counts.merges
		sum.clashes += c.counts.clashes
		sum.reads += c.counts.reads
		sum.busy += c.counts.busy
	}
	if sum.acknowledged == 0 || sum.chained == 0 || sum.refused == 0 || sum.merges == 0 || sum.reads == 0 {
		t.Errorf("too little was done to say something: %+v", sum)
	}
	t.Logf("%d clients on %d branches in %d processes: %+v", pairClients, pairBranches, pairServers, sum)
	return sum
}

// pairBranch is a branch and where it began.
type pairBranch struct{ name, from, fork string }

// makeBranches writes the shared pairs, and makes seven branches: six of main, the last of the sixth. Each gets a
// commit of its own, so that the commit it was made from is no head any more.
func makeBranches(t *testing.T, c *pairClient) (branches []pairBranch) {
	t.Helper()
	for i := range pairBranches {
		b := pairBranch{name: "main"}
		if i > 0 {
			b = pairBranch{name: fmt.Sprintf("b%d", i), from: "main"}
			if i == pairBranches-1 {
				b.from = fmt.Sprintf("b%d", i-1)
			}
			var made struct{ From, Fork string }
			status, err := c.call(c.base, "branches_create", map[string]any{"name": b.name, "from": b.from}, &made)
			if err != nil || status != http.StatusOK || made.From != b.from {
				t.Fatalf("branch %s of %s: %d, %+v, %v", b.name, b.from, status, made, err)
			}
			b.fork = made.Fork
		}
		c.branch = b
		if i == 0 {
			for n := range pairsShared {
				if _, err := c.write("pair.create", fmt.Sprintf("shared-%d", n), ""); err != nil {
					t.Fatal(err)
				}
			}
			c.branch.fork = c.writes[0].commit
			b = c.branch
		}
		if _, err := c.write("pair.update", "shared-0", ""); err != nil {
			t.Fatal(err)
		}
		branches = append(branches, b)
	}
	return branches
}

// pairClient is one client. It makes one request at a time.
type pairClient struct {
	name        string
	branches    []pairBranch
	branch      pairBranch // that it writes
	base, other string     // addresses of its server and of the next one
	http        *http.Client
	random      *rand.Rand
	own         string // the last pair that it made
	number      int    // of its last message

	writes []pairWrite
	sights []pairSight
	counts pairCounts
}

// pairWrite is an acknowledged write.
type pairWrite struct {
	commit, branch, message string
	ifCommit                string
	merged                  string // the commit that a merge took
	pair, value             string // what was written, not by a merge
}

// pairSight says that a read of a branch saw a commit after the client had heard of another one.
type pairSight struct{ branch, heard, saw string }

// turn does one thing; successive numbers do each kind.
func (c *pairClient) turn(n int) error {
	switch n % 9 {
	case 0:
		c.own = fmt.Sprintf("%s-%d", c.name, c.number)
		_, err := c.write("pair.create", c.own, "")
		return err
	case 1:
		_, err := c.write("pair.update", cmp.Or(c.own, c.shared()), "")
		return err
	case 2, 3:
		_, err := c.write("pair.update", c.shared(), "")
		return err
	case 4, 5:
		return c.compareAndSet()
	case 6: // on what is no head since the branches were made
		ok, err := c.write("pair.update", c.shared(), c.branch.fork)
		if err == nil && ok {
			err = fmt.Errorf("a write was made if %s is the head, which it has not been for long", c.branch.fork)
		}
		return err
	case 7:
		if c.random.IntN(3) == 0 {
			return c.merge()
		}
	}
	return c.look()
}

func (c *pairClient) shared() string { return fmt.Sprintf("shared-%d", c.random.IntN(pairsShared)) }

// compareAndSet reads a pair and writes it if nobody was faster; if somebody was, it tries once more.
func (c *pairClient) compareAndSet() error {
	pair := c.shared()
	for range 2 {
		_, head, err := c.read(pair, c.branch.name)
		if err != nil {
			return err
		}
		if ok, err := c.write("pair.update", pair, head); ok || err != nil {
			return err
		}
	}
	return nil
}

// look reads a shared pair of a branch, and again at the commit that it saw, through another server.
func (c *pairClient) look() error {
	pair, branch := c.shared(), c.branches[c.random.IntN(pairBranches)].name
	value, commit, err := c.read(pair, branch)
	if err != nil {
		return err
	}
	var then struct {
		Nodes []struct{ Values struct{ Left, Right string } }
	}
	status, err := c.call(c.other, "get", map[string]any{"ids": []string{"Pair/" + pair}, "branch": branch, "at": commit}, &then)
	if err != nil {
		return err
	}
	c.counts.reads++
	if status != http.StatusOK || len(then.Nodes) != 1 {
		return fmt.Errorf("%s on %s at %s: status %d, %d nodes", pair, branch, commit, status, len(then.Nodes))
	}
	if v := then.Nodes[0].Values; v.Left != value || v.Right != value {
		return fmt.Errorf("%s on %s was %s in the read of %s, and is %q and %q at it", pair, branch, value, commit, v.Left, v.Right)
	}
	return nil
}

// read returns the value of a pair on a branch, and the head that was read.
func (c *pairClient) read(pair, branch string) (value, commit string, err error) {
	var p struct{ Left, Right string }
	path := fmt.Sprintf("%s/kg/Pair/%s?branch=%s&format=json", c.base, pair, branch)
	status, header, err := c.send(http.MethodGet, path, nil, &p)
	if err != nil {
		return "", "", err
	}
	if status != http.StatusOK {
		return "", "", fmt.Errorf("GET %s: status %d", path, status)
	}
	if p.Left != p.Right || p.Left == "" {
		return "", "", fmt.Errorf("%s on %s is %q and %q: half a commit", pair, branch, p.Left, p.Right)
	}
	c.counts.reads++
	commit = strings.TrimSuffix(strings.Trim(strings.TrimPrefix(header.Get("ETag"), "W/"), `"`), ".json")
	heard := ""
	if n := len(c.writes); n > 0 && c.writes[n-1].branch == branch {
		heard = c.writes[n-1].commit
	}
	c.sights = append(c.sights, pairSight{branch, heard, commit})
	return p.Left, commit, nil
}

// write writes both values of a pair. It returns false where ifCommit is given and is not the head.
func (c *pairClient) write(capability, pair, ifCommit string) (ok bool, err error) {
	w := c.next(ifCommit)
	w.pair, w.value = pair, w.message
	key := "id"
	if capability == "pair.create" {
		key = "code"
	}
	return c.change(capability, w, map[string]any{key: pair, "left": w.value, "right": w.value})
}

// merge takes another branch into the client's, by turns with a decision for all clashes and without.
func (c *pairClient) merge() error {
	source := c.branches[c.random.IntN(pairBranches)].name
	if source == c.branch.name {
		return nil
	}
	args := map[string]any{"source": source}
	if take := []string{"ours", "theirs", ""}[c.random.IntN(3)]; take != "" {
		args["take"] = take
	}
	_, err := c.change("branches_merge", c.next(""), args)
	return err
}

func (c *pairClient) next(ifCommit string) pairWrite {
	c.number++
	return pairWrite{branch: c.branch.name, message: fmt.Sprintf("%s number %d", c.name, c.number), ifCommit: ifCommit}
}

// change sends a write, and keeps it if it is acknowledged. Only a write with ifCommit, and a merge, may be refused.
func (c *pairClient) change(capability string, w pairWrite, args map[string]any) (ok bool, err error) {
	args["branch"], args["message"] = w.branch, w.message
	if w.ifCommit != "" {
		args["if_commit"] = w.ifCommit
	}
	var answer struct{ Commit, Branch, Source, Detail string }
	status, err := c.call(c.base, capability, args, &answer)
	merge := capability == "branches_merge"
	switch {
	case err != nil:
		return false, err
	case status == http.StatusPreconditionFailed && w.ifCommit != "":
		c.counts.refused++
		return false, nil
	case status == http.StatusConflict && merge && args["take"] == nil:
		c.counts.clashes++
		return false, nil
	case status == http.StatusOK && merge && answer.Commit == "": // it would change nothing
		return false, nil
	case status != http.StatusOK || answer.Commit == "" || answer.Branch != w.branch:
		return false, fmt.Errorf("%s %v: status %d, %+v", capability, args, status, answer)
	}
	if w.ifCommit != "" {
		c.counts.chained++
	}
	if merge {
		c.counts.merges++
		w.merged = answer.Source
	}
	w.commit = answer.Commit
	c.writes = append(c.writes, w)
	return true, nil
}

// call makes one call over /invoke.
func (c *pairClient) call(base, capability string, args, answer any) (status int, err error) {
	body, err := json.Marshal(args)
	if err != nil {
		return 0, err
	}
	status, _, err = c.send(http.MethodPost, base+"/invoke/"+capability, body, answer)
	return status, err
}

// send makes one request, again while the answer is that others keep the file busy.
func (c *pairClient) send(method, url string, body []byte, answer any) (int, http.Header, error) {
	for deadline := time.Now().Add(patience); ; c.counts.busy++ {
		r, err := http.NewRequest(method, url, bytes.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		if body != nil {
			r.Header.Set("Content-Type", "application/json")
		}
		res, err := c.http.Do(r)
		if err != nil {
			return 0, nil, err
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return 0, nil, err
		}
		if res.StatusCode == http.StatusServiceUnavailable && time.Now().Before(deadline) {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err := json.Unmarshal(text, answer); err != nil {
			return 0, nil, fmt.Errorf("%s %s: %d %.300s: %w", method, url, res.StatusCode, text, err)
		}
		return res.StatusCode, res.Header, nil
	}
}

// pairCommit is a commit of a history.
type pairCommit struct{ id, message, parent, merged string }

// historyOf returns the commits of a branch from its head to the first, as the log has them.
func historyOf(t *testing.T, file, branch string) (all []pairCommit) {
	t.Helper()
	args := []string{"log", file, "--branch", branch, "-n", fmt.Sprint(pairsPageSize), "-o", "json"}
	for before := ""; ; before = all[len(all)-1].id {
		var page struct {
			Columns []string
			Rows    [][]any
		}
		arguments := args
		if before != "" {
			arguments = append(slices.Clone(args), "--before", before)
		}
		if err := json.Unmarshal([]byte(must(t, arguments...)), &page); err != nil {
			t.Fatal(err)
		}
		column := func(row []any, name string) string { return fmt.Sprint(row[slices.Index(page.Columns, name)]) }
		for _, row := range page.Rows {
			message, _, _ := strings.Cut(column(row, "message"), "\n") // a merge adds how clashes were decided
			all = append(all, pairCommit{column(row, "id"), message, column(row, "parent"), column(row, "merged")})
		}
		if len(page.Rows) < pairsPageSize {
			return all
		}
	}
}

// headsOf returns the head of each branch.
func headsOf(t *testing.T, c *pairClient) map[string]string {
	t.Helper()
	var list struct {
		Columns []string
		Rows    [][]any
	}
	if status, err := c.call(c.base, "branches_list", map[string]any{}, &list); err != nil || status != http.StatusOK {
		t.Fatalf("branches_list: %d, %v", status, err)
	}
	heads := map[string]string{}
	for _, row := range list.Rows {
		heads[fmt.Sprint(row[slices.Index(list.Columns, "branch")])] = fmt.Sprint(row[slices.Index(list.Columns, "head")])
	}
	return heads
}

// faultsOfHistories says where histories are not what clients were told. It puts into last what each branch's
// newest writes since its last merge made of the pairs.
func faultsOfHistories(branches []pairBranch, heads map[string]string, histories map[string][]pairCommit, clients []*pairClient, last map[string]map[string]string) (faults []string) {
	tell := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	lost := map[string]pairWrite{} // acknowledged and not yet found
	for _, c := range clients {
		for _, w := range c.writes {
			if other, ok := lost[w.commit]; ok {
				tell("%s was acknowledged for %q and for %q", w.commit, other.message, w.message)
			}
			lost[w.commit] = w
		}
	}
	place := map[string]map[string]int{} // branch to commit to its number in the history, the first 0
	for _, b := range branches {
		place[b.name] = map[string]int{}
		for i, c := range histories[b.name] {
			if _, twice := place[b.name][c.id]; twice {
				tell("%s is twice in the history of %s", c.id, b.name)
			}
			place[b.name][c.id] = len(histories[b.name]) - 1 - i
		}
	}
	for _, b := range branches {
		history := histories[b.name]
		if heads[b.name] != history[0].id {
			tell("the head of %s is %s, and its history begins with %s", b.name, heads[b.name], history[0].id)
		}
		for i, c := range history {
			if parent := append(history, pairCommit{})[i+1].id; c.parent != parent {
				tell("%s of %s has the parent %q, and is listed after %q", c.id, b.name, c.parent, parent)
			}
		}
		begin := slices.IndexFunc(history, func(c pairCommit) bool { return c.id == b.fork })
		if b.from == "" {
			begin = len(history) - 1 // the first commit is that of the schema
		} else if from := histories[b.from]; begin < 0 || !slices.Equal(history[begin:], from[max(0, len(from)-len(history)+begin):]) {
			tell("%s was made from %s at %s, and has not its history", b.name, b.from, b.fork)
			continue
		}
		merged := false
		for _, c := range history[:begin] {
			w, ok := lost[c.id]
			delete(lost, c.id)
			switch {
			case !ok:
				tell("%s %q of %s was acknowledged to nobody, or is in two branches", c.id, c.message, b.name)
			case w.branch != b.name || w.message != c.message || w.merged != c.merged:
				tell("%s of %s is %q merging %q; acknowledged was %+v", c.id, b.name, c.message, c.merged, w)
			case w.ifCommit != "" && w.ifCommit != c.parent:
				tell("%s of %s was to be made on %s, and was on %s", c.id, b.name, w.ifCommit, c.parent)
			}
			if merged = merged || c.merged != ""; !merged && last[b.name][w.pair] == "" {
				last[b.name][w.pair] = w.value
			}
		}
	}
	for _, w := range slices.SortedFunc(maps.Values(lost), func(a, b pairWrite) int { return cmp.Compare(a.message, b.message) }) {
		tell("%s %q of %s was acknowledged, and is not in its history", w.commit, w.message, w.branch)
	}
	for _, c := range clients {
		for _, s := range c.sights {
			saw, ok := place[s.branch][s.saw]
			if !ok || s.heard != "" && saw < place[s.branch][s.heard] {
				tell("a read of %s saw %q after %q was acknowledged to %s", s.branch, s.saw, s.heard, c.name)
			}
		}
	}
	return faults
}
