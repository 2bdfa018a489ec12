package kg_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/rdf"
)

// feedPool are the statements of random histories: values, types, references and named graphs, of few nodes.
func feedPool() (pool []rdf.Quad) {
	name := func(n int) rdf.IRI { return rdf.IRI(fmt.Sprint("urn:feed:n", n)) }
	for s := range 4 {
		pool = append(pool,
			rdf.Quad{Subject: name(s), Predicate: rdf.Type, Object: rdf.IRI(fmt.Sprint("urn:feed:T", s%2))},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:label"), Object: rdf.String("a")},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:label"), Object: rdf.String("b")},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:label"), Object: rdf.String("b"), Label: name(3)},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:label"), Object: rdf.String("c"), Label: name(3)},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:to"), Object: name((s + 1) % 4)},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:to"), Object: name((s + 2) % 4), Label: name(0)},
			rdf.Quad{Subject: name(s), Predicate: rdf.IRI("urn:feed:to"), Object: rdf.BNode("feed")},
			rdf.Quad{Subject: rdf.BNode("feed"), Predicate: rdf.IRI("urn:feed:of"), Object: name(s)})
	}
	return pool
}

// Who replays the feed of a branch from any commit on, in pages of any size and with a cursor behind each, has at the end
// the state of the branch as it may be seen; each change comes once, and a node before what refers to it.
func TestTheFeedOfABranchLeadsToItsState(t *testing.T) {
	testrun.Alone(t)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n, ".db"))
		fileAt(t, path, "")
		g, err := kg.Open(t.Context(), path, kg.Options{Now: clock()})
		if err != nil {
			rt.Fatal(err)
		}
		defer g.Close()
		branches, pool := []string{kg.Main}, feedPool()
		for step := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			on := rapid.SampledFrom(branches).Draw(rt, "on")
			s := g.Session(ana).On(on)
			if name := fmt.Sprint("b", len(branches)); step > 0 && rapid.IntRange(0, 3).Draw(rt, "kind") == 0 {
				if _, err := s.MakeBranch(t.Context(), kg.NewBranch{Name: name}); err != nil {
					rt.Fatal(err)
				}
				branches = append(branches, name)
				continue
			}
			set := kg.ChangeSet{Edits: []change.Edit{{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI("urn:feed:first"), Predicate: rdf.IRI("urn:feed:label"), Object: rdf.String("first")}}}}
			for _, q := range pool {
				op := rapid.SampledFrom([]change.Op{change.Assert, change.Retract}).Draw(rt, "op")
				set.Edits = append(set.Edits, change.Edit{Op: op, Quad: q})
			}
			if _, err := s.Commit(t.Context(), set); err != nil {
				rt.Fatal(err)
			}
		}
		rights := rapid.SampledFrom([]*kg.Rights{nil, nil, {Types: []rdf.IRI{"urn:feed:T1"}}, {Predicates: []rdf.IRI{"urn:feed:label"}}, {Graphs: []rdf.IRI{"urn:feed:n0"}}, {Nodes: []rdf.Term{rdf.IRI("urn:feed:n2")}}}).Draw(rt, "rights")
		for _, branch := range branches {
			replays(t, rt, g.Session(ana).On(branch).Seeing(rights), rights != nil && len(rights.Types) > 0)
			filters(t, rt, g.Session(ana).On(branch))
		}
	})
}

// feedUntil returns the state of a commit as the feed of a later one tells it. A node that has got a hidden type since is
// not in it, though it was seen then.
func feedUntil(t *testing.T, snap *kg.Snapshot, until kg.Commit) map[string]bool {
	t.Helper()
	place, err := snap.FeedStart(t.Context(), "beginning")
	if err != nil {
		t.Fatal(err)
	}
	state := map[string]bool{}
	for e, err := range snap.Feed(t.Context(), place, kg.FeedFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Commit.Seq > until.Seq {
			break
		}
		for i, list := range [][]rdf.Term{e.Before, e.After} {
			for _, object := range list {
				q := string(rdf.AppendQuad(nil, rdf.Quad{Subject: e.Node, Predicate: e.Property, Object: object, Label: e.Graph}))
				if delete(state, q); i == 1 {
					state[q] = true
				}
			}
		}
	}
	return state
}

// replays replays what a session sees from a random commit on.
func replays(t *testing.T, rt *rapid.T, s *kg.Session, hidesTypes bool) {
	var commits []kg.Commit
	state, start := map[string]bool{}, "beginning"
	viewOf(t, s, func(snap *kg.Snapshot) {
		commits, _ = snap.Commits(t.Context(), 0, 1000)
		if i := rapid.IntRange(0, len(commits)).Draw(rt, "start"); i < len(commits) {
			start, commits = "after:"+commits[i].ID.Whole(), commits[:i]
			from := mustFind(t, snap, start[len("after:"):])
			if hidesTypes {
				state = feedUntil(t, snap, from)
				return
			}
			then, err := snap.At(t.Context(), from)
			if err != nil {
				rt.Fatal(err)
			}
			defer then.Close()
			state = statements(t, then)
		}
	})
	changed, told, cursor, seen := int64(0), int64(0), "", map[kg.CommitID]bool{}
	for _, c := range commits {
		changed += c.Added + c.Removed
	}
	there := map[string]bool{} // nodes of a commit that have had an entry
	for more := true; more; {
		size := rapid.IntRange(1, 4).Draw(rt, "page")
		viewOf(t, s, func(snap *kg.Snapshot) {
			place, err := snap.FeedStart(t.Context(), start)
			if cursor != "" {
				place, err = snap.FeedAt(t.Context(), cursor)
			}
			if err != nil {
				rt.Fatal(err)
			}
			entries := 0
			for e, err := range snap.Feed(t.Context(), place, kg.FeedFilter{}) {
				if err != nil {
					rt.Fatal(err)
				}
				if !seen[e.Commit.ID] {
					seen[e.Commit.ID], there = true, map[string]bool{}
				}
				if e.What == browse.NodeMade && !there[fmt.Sprint(e.Node)] && len(e.After) > 0 && !rdf.IsLiteral(e.After[0]) && e.Property != rdf.Type {
					rt.Fatalf("the first entry of %s, which %s makes, is a reference", e.Node, e.Commit.ID)
				}
				there[fmt.Sprint(e.Node)] = true
				for _, object := range e.After {
					made, err := snap.WhatHappened(t.Context(), e.Commit, object)
					if err != nil {
						rt.Fatal(err)
					}
					if !rdf.IsLiteral(object) && e.Property != rdf.Type && made == browse.NodeMade && !there[fmt.Sprint(object)] {
						rt.Fatalf("%s of %s refers to %s, which is made later", e.Property, e.Node, object)
					}
				}
				for i, list := range [][]rdf.Term{e.Before, e.After} {
					for _, object := range list {
						q := string(rdf.AppendQuad(nil, rdf.Quad{Subject: e.Node, Predicate: e.Property, Object: object, Label: e.Graph}))
						if state[q] == (i == 1) {
							rt.Fatalf("commit %s: %v of %s, which was there: %t", e.Commit.ID, e, q, state[q])
						}
						if told++; i == 1 {
							state[q] = true
						} else {
							delete(state, q)
						}
					}
				}
				cursor = snap.Cursor(e.Place)
				if entries++; entries == size {
					return
				}
			}
			more = false
		})
	}
	if told != changed {
		rt.Fatalf("%d statements were told of, and %d changed", told, changed)
	}
	viewOf(t, s, func(snap *kg.Snapshot) {
		if want := statements(t, snap); fmt.Sprint(want) != fmt.Sprint(state) {
			rt.Fatalf("the feed leads to\n%v\nnot to\n%v", state, want)
		}
	})
}

// filters holds the feed with a filter, read in pages, to the entries of the whole feed that the filter lets pass. Each
// other commit is passed over once.
func filters(t *testing.T, rt *rapid.T, s *kg.Session) {
	only := rapid.SampledFrom([]kg.FeedFilter{
		{Node: rdf.IRI("urn:feed:n1")}, {Types: []rdf.IRI{"urn:feed:T1"}}, {Types: []rdf.IRI{"urn:feed:T0", "urn:feed:T1"}},
		{Node: rdf.IRI("urn:feed:n0"), Types: []rdf.IRI{"urn:feed:T0"}}, {Node: rdf.IRI("urn:feed:never")},
	}).Draw(rt, "filter")
	viewOf(t, s, func(snap *kg.Snapshot) {
		var all []kg.FeedEntry
		has := map[kg.CommitID]map[string]bool{} // nodes with a type before or after the commit
		typed, last := map[string]bool{}, kg.CommitID{}
		for e, err := range snap.Feed(t.Context(), kg.FeedPlace{}, kg.FeedFilter{}) {
			if err != nil {
				rt.Fatal(err)
			}
			if e.Commit.ID != last {
				last = e.Commit.ID
				has[last] = maps.Clone(typed)
			}
			if e.Property == rdf.Type && e.Graph == nil {
				for i, list := range [][]rdf.Term{e.Before, e.After} {
					for _, class := range list {
						key := fmt.Sprint(e.Node, class)
						if delete(typed, key); i == 1 {
							typed[key], has[last][key] = true, true
						}
					}
				}
			}
			all = append(all, e)
		}
		commits, err := snap.Commits(t.Context(), 0, 1000)
		if err != nil {
			rt.Fatal(err)
		}
		want, matching := []string{}, map[kg.CommitID]bool{}
		for _, e := range all {
			fits := only.Node == nil || e.Node == only.Node
			if len(only.Types) > 0 {
				fits = fits && slices.ContainsFunc(only.Types, func(class rdf.IRI) bool { return has[e.Commit.ID][fmt.Sprint(e.Node, class)] })
			}
			if fits {
				want, matching[e.Commit.ID] = append(want, fmt.Sprint(e.Commit.ID, e.What, e.Node, e.Graph, e.Property, e.Before, e.After)), true
			}
		}
		got, passed, place := []string{}, 0, kg.FeedPlace{}
		for more := true; more; {
			more = false
			for e, err := range snap.Feed(t.Context(), place, only) { // each page has one entry
				if err != nil {
					rt.Fatal(err)
				}
				if place, err = snap.FeedAt(t.Context(), snap.Cursor(e.Place)); err != nil {
					rt.Fatal(err)
				}
				if e.Passed > 0 {
					passed++
				} else {
					got = append(got, fmt.Sprint(e.Commit.ID, e.What, e.Node, e.Graph, e.Property, e.Before, e.After))
				}
				more = true
				break
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || passed != len(commits)-len(matching) {
			rt.Fatalf("the filter %v leaves\n%v\nof\n%v\nand passes over %d of %d commits", only, got, want, passed, len(commits))
		}
	})
}

func viewOf(t *testing.T, s *kg.Session, read func(*kg.Snapshot)) {
	t.Helper()
	if err := s.View(t.Context(), func(snap *kg.Snapshot) error { read(snap); return nil }); err != nil {
		t.Fatal(err)
	}
}

func mustFind(t *testing.T, snap *kg.Snapshot, name string) kg.Commit {
	t.Helper()
	c, err := snap.FindCommit(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// statements are those of a snapshot, as N-Quads.
func statements(t *testing.T, snap *kg.Snapshot) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	for q, err := range snap.Match(t.Context(), rdf.Quad{}) {
		if err != nil {
			t.Fatal(err)
		}
		list[string(rdf.AppendQuad(nil, q))] = true
	}
	return list
}

// A commit of many statements has no change log; its feed is exact all the same, on a branch and after half of it was
// removed, and is read on from any entry. A property with many values has several entries.
func TestTheFeedOfALargeCommitIsReadInParts(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, "")
	var data strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&data, "<urn:n%d> <urn:label> \"%d\" .\n<urn:n%d> <urn:to> <urn:n%d> .\n<urn:n0> <urn:many> \"%d\" .\n", i, i, i, (i+1)%6000, i)
	}
	if loaded := mustLoad(t, g, "large.nt", data.String()); !loaded.After.Bulk {
		t.Fatal("the load is no bulk commit")
	}
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	update(t, g, "DELETE { ?s <urn:to> ?o } WHERE { ?s <urn:to> ?o }")
	for _, branch := range []string{kg.Main, "draft"} {
		viewOf(t, g.Session(ana).On(branch), func(snap *kg.Snapshot) {
			bulk, err := snap.CommitAfter(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			var entries []kg.FeedEntry
			count, longest := 0, 0
			for e, err := range snap.Feed(t.Context(), kg.FeedPlace{}, kg.FeedFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Commit.ID != bulk.ID {
					break
				}
				entries, count, longest = append(entries, e), count+len(e.After)+len(e.Before), max(longest, len(e.After))
			}
			if count != 18_000 || longest != 100 {
				t.Errorf("on %s the feed has %d statements, at most %d in an entry", branch, count, longest)
			}
			for i := 0; i < len(entries)-1; i += len(entries) / 20 {
				place, err := snap.FeedAt(t.Context(), snap.Cursor(entries[i].Place))
				if err != nil {
					t.Fatal(err)
				}
				for e, err := range snap.Feed(t.Context(), place, kg.FeedFilter{}) {
					if err != nil || fmt.Sprint(e) != fmt.Sprint(entries[i+1]) {
						t.Errorf("behind entry %d comes %v, not %v: %v", i, e, entries[i+1], err)
					}
					break
				}
			}
		})
	}
}

// A cursor is of one branch and of one history. Another one is refused, with what to do.
func TestACursorOfAnotherHistoryIsRefused(t *testing.T) {
	g := newGraph(t, "")
	all := g.Session(ana)
	update(t, g, `INSERT DATA { <urn:a> <urn:label> "a" ; <urn:to> <urn:b> . _:x <urn:to> <urn:a> }`)
	if _, err := all.MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	if _, err := all.On("draft").Commit(t.Context(), kg.ChangeSet{Edits: []change.Edit{{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI("urn:d"), Predicate: rdf.IRI("urn:label"), Object: rdf.String("d")}}}}); err != nil {
		t.Fatal(err)
	}
	var draft, inside []string
	viewOf(t, all.On("draft"), func(snap *kg.Snapshot) {
		draft = append(draft, snap.Cursor(kg.FeedPlace{Commit: snap.Head()}))
		for e, err := range snap.Feed(t.Context(), kg.FeedPlace{}, kg.FeedFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			inside = append(inside, snap.Cursor(e.Place))
		}
	})
	viewOf(t, all, func(snap *kg.Snapshot) {
		head := snap.Head().ID.String()
		for cursor, want := range map[string]string{
			draft[0]:       "it is of branch draft, and this is a call of main; give branch: draft with it",
			"gone@" + head: "none of that name any more",
			"main" + strings.TrimPrefix(draft[0], "draft"): "in the history of main, which was reset",
			"":                                    "it is not one that changes answered",
			"main":                                "it is not one that changes answered",
			"main@head":                           "it is not one that changes answered",
			"main@" + head[:8]:                    "it is not one that changes answered",
			"main@" + head + ".1.1.0":             "it is not one that changes answered",
			"main@" + head + ".4.1.0.urn:a":       "it is not one that changes answered",
			"main@" + head + ".1.-1.0.urn:a":      "it is not one that changes answered",
			"main@" + head + ".1.9.0.urn:a":       "it is at no place of commit",
			"main@" + head + ".1.1.0.urn:nothing": "it is at no place of commit",
			"main@" + head + ".1.1.0._:nothing":   "it is at no place of commit",
		} {
			place, err := snap.FeedAt(t.Context(), cursor)
			for _, failed := range snap.Feed(t.Context(), place, kg.FeedFilter{}) {
				if err == nil {
					err = failed
				}
			}
			if !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "start: beginning") {
				t.Errorf("%q: got %v, want %q", cursor, err, want)
			}
		}
		for start, kind := range map[string]fault.Kind{"": fault.InvalidArguments, "never": fault.InvalidArguments, "after:": fault.Malformed, "after:ffffffff": fault.Missing, "after:" + draft[0][len("draft@"):]: fault.Missing} {
			if _, err := snap.FeedStart(t.Context(), start); !fault.Is(err, kind) {
				t.Errorf("start %q: %v", start, err)
			}
		}
	})
	viewOf(t, all.On("draft"), func(snap *kg.Snapshot) {
		for i, cursor := range inside {
			place, err := snap.FeedAt(t.Context(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			var rest []string
			for e, err := range snap.Feed(t.Context(), place, kg.FeedFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				rest = append(rest, snap.Cursor(e.Place))
			}
			if !slices.Equal(rest, inside[i+1:]) {
				t.Errorf("behind %s come %q, not %q", cursor, rest, inside[i+1:])
			}
		}
	})
}
