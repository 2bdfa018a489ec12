package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/db"
	"trails/db/dbtest"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
	"trails/sparql/sparqltest"
)

// dropUnreachable drops what nothing needs, however new it is, or only tries that.
func dropUnreachable(ctx context.Context, f *db.File, keep bool) (done db.Collection, err error) {
	w, err := f.Write(ctx)
	if err != nil {
		return done, err
	}
	defer w.Close()
	if done, err = w.Collect(ctx, time.Now().AddDate(100, 0, 0), nil); err != nil || !keep {
		return done, err
	}
	return done, w.Keep(ctx)
}

// states returns the commits of a file and what each of them has: its statements and the ids of its history.
func states(ctx context.Context, f *db.File) (list []history.Commit, has map[history.CommitID]string, err error) {
	r, err := f.Read(ctx, db.View{})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	has = map[history.CommitID]string{}
	for seq, missing := history.Seq(1), 0; missing < 200; seq++ {
		c, err := r.CommitBySeq(ctx, seq)
		if fault.Is(err, fault.Missing) {
			missing++
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		missing, list = 0, append(list, c)
		if has[c.ID], err = stateAt(ctx, f, c.ID); err != nil {
			return nil, nil, err
		}
	}
	return list, has, nil
}

func stateAt(ctx context.Context, f *db.File, at history.CommitID) (string, error) {
	r, err := f.Read(ctx, db.View{At: at})
	if err != nil {
		return "", err
	}
	defer r.Close()
	var quads []rdf.Quad
	for q, err := range r.Match(ctx, rdf.Quad{}) {
		if err != nil {
			return "", err
		}
		quads = append(quads, q)
	}
	of, err := r.Commits(ctx, 0, 1000)
	text := lines(quads)
	for _, c := range of {
		text += c.ID.Whole() + "\n"
	}
	return text, err
}

// withAncestors returns which of the commits are these or come before them.
func withAncestors(all []history.Commit, of []history.CommitID) map[history.CommitID]bool {
	parents := map[history.CommitID][]history.CommitID{}
	for _, c := range all {
		parents[c.ID] = []history.CommitID{c.Parent, c.Parent2}
	}
	found := map[history.CommitID]bool{}
	for len(of) > 0 {
		id := of[len(of)-1]
		if of = of[:len(of)-1]; !id.IsZero() && !found[id] {
			found[id] = true
			of = append(of, parents[id]...)
		}
	}
	return found
}

// Whatever was written on branches that were deleted, reset, tagged, merged and asked for, a collection drops the commits
// that are no ancestors of what has a name or is asked for, and no others. All others have what they had, the branches go
// on, and the file verifies.
func TestACollectionDropsWhatNothingNeeds(t *testing.T) {
	testrun.Alone(t)
	dropped := int64(0)
	checkFiles(t, func(ctx context.Context, t *rapid.T, f *db.File) {
		stories := drawStories(ctx, t, f, sparqltest.Data, 12)
		drawMoves(ctx, t, f, stories)
		for round := range 2 {
			drawNames(ctx, t, f, stories)
			dropped += checkCollection(ctx, t, f, stories)
			for i, name := range stories.branches() {
				add := []rdf.Quad{{Subject: rdf.IRI(fmt.Sprint("urn:after:", round, ":", i)), Predicate: rdf.IRI("urn:after"), Object: rdf.IRI("urn:o")}}
				c, err := writeOn(ctx, f, name, nil, add, nil)
				if err != nil {
					t.Fatal(err)
				}
				stories[name] = append(slices.Clip(stories[name]), told{commit: c, add: add})
			}
			for _, name := range stories.branches() {
				checkView(t, f, db.View{Branch: name}, stories[name])
			}
			sound := func(o db.VerifyOptions) {
				if report, err := f.Verify(ctx, o); err != nil || !report.OK() {
					t.Fatal(report.Problems, err)
				}
			}
			sound(db.VerifyOptions{})
			sound(db.VerifyOptions{Sample: time.Nanosecond})
		}
	})
	if dropped == 0 {
		t.Error("no commit was ever dropped")
	}
}

// drawNames deletes some branches, tags some commits, merges some and asks for the merge of others.
func drawNames(ctx context.Context, t *rapid.T, f *db.File, all stories) {
	t.Helper()
	for range rapid.IntRange(0, 4).Draw(t, "names") {
		names := all.branches()
		name := rapid.SampledFrom(names).Draw(t, "of")
		if len(all[name]) == 0 {
			continue
		}
		c := all[name][rapid.IntRange(0, len(all[name])-1).Draw(t, "commit")].commit
		switch rapid.SampledFrom([]string{"delete", "delete", "tag", "merge", "ask", "decline"}).Draw(t, "what") {
		case "delete":
			w, err := f.Write(ctx)
			if err == nil {
				err = w.RemoveBranch(ctx, name)
			}
			switch {
			case fault.Is(err, fault.Conflict) || fault.Is(err, fault.Denied): // others are made from it, or it is main
				w.Close()
			case err != nil:
				t.Fatal(err)
			default:
				if err := w.Keep(ctx); err != nil {
					t.Fatal(err)
				}
				delete(all, name)
				all.relabel(name, "")
			}
		case "tag":
			moveBranch(ctx, t, f, func(w *db.Writer) error {
				list, err := w.Tags(ctx)
				return errors.Join(err, w.AddTag(ctx, db.Tag{Name: fmt.Sprint("tag-", len(list)), Commit: c, Time: epoch}))
			})
		case "merge":
			into := rapid.SampledFrom(names).Draw(t, "into")
			if all[into] == nil {
				continue
			}
			add := []rdf.Quad{{Subject: rdf.IRI("urn:merge:" + c.ID.String()), Predicate: rdf.IRI("urn:merged"), Object: rdf.IRI("urn:o")}}
			w, err := f.WriteOn(ctx, into)
			if err != nil {
				t.Fatal(err)
			}
			meta := commitMeta(w, add, nil)
			meta.Merged = c.ID
			if slices.Contains(all[into].state(), add[0]) {
				w.Close()
				continue
			}
			if err := apply(ctx, w, add, nil); err != nil {
				t.Fatal(err)
			}
			made, err := w.Commit(ctx, meta, nil)
			if err != nil {
				t.Fatal(err)
			}
			all[into] = append(slices.Clip(all[into]), told{commit: made, add: add})
		default:
			moveBranch(ctx, t, f, func(w *db.Writer) error {
				number, err := w.AddRequest(ctx, db.Request{Capability: "merge", Args: "{}", Source: c, Agent: c.ID.String(), Asked: epoch})
				if err != nil || rapid.Bool().Draw(t, "waits") {
					return err
				}
				return w.DecideRequest(ctx, db.Request{Number: number, State: db.Declined, Decider: "ana", Decided: epoch}, false)
			})
		}
	}
}

// checkCollection collects, and holds what is left against the commits that were there before.
func checkCollection(ctx context.Context, t *rapid.T, f *db.File, all stories) (dropped int64) {
	t.Helper()
	list, had, err := states(ctx, f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(ctx, db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // and so reads the state before
	var roots []history.CommitID
	branches, err := r.Branches(ctx)
	for _, b := range branches {
		roots = append(roots, b.Head.ID)
	}
	tags, err2 := r.Tags(ctx)
	for _, tag := range tags {
		roots = append(roots, tag.Commit.ID)
	}
	requests, err3 := r.Requests(ctx, true, 0, 1000)
	for _, q := range requests {
		roots = append(roots, q.Head.ID, q.Source.ID)
	}
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	needed := withAncestors(list, roots)
	tried, err := dropUnreachable(ctx, f, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, has, err := states(ctx, f); err != nil || len(has) != len(had) {
		t.Fatal("a try drops commits", err)
	}
	done, err := dropUnreachable(ctx, f, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(tried.Dropped) != len(done.Dropped) || len(done.Kept) > 0 {
		t.Fatalf("it would drop %v, and drops %v and leaves %v", tried.Dropped, done.Dropped, done.Kept)
	}
	_, has, err := states(ctx, f)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		switch is, there := has[c.ID]; {
		case there != needed[c.ID]:
			t.Fatalf("commit %d is there: %v, is needed: %v", c.Seq, there, needed[c.ID])
		case there && is != had[c.ID]:
			t.Fatalf("commit %d had\n%s\nand has\n%s", c.Seq, had[c.ID], is)
		case !there:
			dropped++
		}
	}
	told := int64(0)
	for _, u := range done.Dropped {
		told += u.Commits
	}
	if told != dropped {
		t.Fatalf("%d commits are said to be dropped, and %d are", told, dropped)
	}
	for _, name := range all.branches() {
		checkView(t, f, db.View{Branch: name}, all[name])
	}
	if report, err := f.Verify(ctx, db.VerifyOptions{}); err != nil || !report.OK() {
		t.Fatal(report.Problems, err)
	}
	if again, err := dropUnreachable(ctx, f, true); err != nil || len(again.Dropped) > 0 {
		t.Fatal("it drops something again", again, err)
	}
	return dropped
}

// History stays for a while after it was left behind, which is when the activity that names its head says so or, without
// one, when its newest commit was made. What is kept keeps what it comes from.
func TestHistoryStaysForAWhileAfterItWasLeft(t *testing.T) {
	f, ctx := create(t), t.Context()
	write(t, f, entities(3), nil)
	do := func(what func(*db.Writer) error) {
		t.Helper()
		w, err := f.Write(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := errors.Join(what(w), w.Keep(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	grow := func(name string, from history.Commit) (list []history.Commit) {
		t.Helper()
		do(func(w *db.Writer) error { return w.AddBranch(ctx, name, from) })
		for i := range 3 {
			c, err := writeOn(ctx, f, name, nil, []rdf.Quad{q(fmt.Sprint(name, i), "p", iri("new"))}, nil)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
		return list
	}
	day := 24 * time.Hour
	remove := func(name string, head history.Commit, as db.Activity) {
		t.Helper()
		as.Used, as.Outcome, as.Started = []string{string(head.ID.IRI())}, "ok", as.Ended
		do(func(w *db.Writer) error { return errors.Join(w.RemoveBranch(ctx, name), w.AddActivity(ctx, as)) })
	}
	below := grow("below", read(t, f).Head())
	above := grow("above", below[1])
	remove("above", above[2], db.Activity{Capability: "leave", Ended: epoch.Add(9 * day)})
	remove("below", below[2], db.Activity{Capability: "leave", Ended: epoch.Add(2 * day)})
	other := grow("other", below[0])
	remove("other", other[2], db.Activity{Capability: "look", Ended: epoch.Add(20 * day)})
	keepsFor := func(until time.Duration, want ...history.Commit) {
		t.Helper()
		w, err := f.Write(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		done, err := w.Collect(ctx, epoch.Add(until), []string{"leave"})
		if err = errors.Join(err, w.Keep(ctx)); err != nil {
			t.Fatal(err)
		}
		r, err := f.Read(ctx, db.View{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var kept []history.CommitID
		for _, c := range slices.Concat(below, above, other) {
			if _, there, err := r.Known(ctx, c.ID); there && err == nil {
				kept = append(kept, c.ID)
			}
		}
		ids := make([]history.CommitID, len(want))
		for i, c := range want {
			ids[i] = c.ID
		}
		if !slices.Equal(kept, ids) {
			t.Errorf("left behind after %s it keeps %v, not %v; %v", until, kept, ids, done)
		}
		if report := verify(t, f); !report.OK() {
			t.Error(report.Problems)
		}
	}
	all, was := slices.Concat(below, above, other), read(t, f).Epoch()
	keepsFor(-day, all...)
	if read(t, f).Epoch() != was {
		t.Error("nothing was dropped, and the numbers begin anew")
	}
	keepsFor(day, slices.Concat(below, above)...)
	if read(t, f).Epoch() == was {
		t.Error("numbers may be given again, and other processes do not see that")
	}
	keepsFor(3*day, slices.Concat(below[:2], above)...)
	do(func(w *db.Writer) error { // a tag of it was removed later
		return w.AddActivity(ctx, db.Activity{Capability: "leave", Used: []string{string(above[0].ID.IRI())}, Outcome: "ok", Started: epoch, Ended: epoch.Add(12 * day)})
	})
	keepsFor(8*day, slices.Concat(below[:2], above)...)
	keepsFor(10*day, slices.Concat(below[:2], above[:1])...)
	keepsFor(12 * day)
}

// dropAndSay is the child of [TestACollectionIsKilledInTheMiddle].
func dropAndSay(path string) {
	ctx := context.Background()
	f, err := db.Open(ctx, path, db.Options{})
	if err == nil {
		fmt.Println("now")
		_, err = dropUnreachable(ctx, f, true)
	}
	fmt.Println("done", err)
}

// A collection that is killed leaves the file as before or without all that it drops, and sound.
func TestACollectionIsKilledInTheMiddle(t *testing.T) {
	testrun.Alone(t)
	if path, ok := dbtest.Child(); ok {
		dropAndSay(path)
		return
	}
	random, ctx := testrun.Random(t), t.Context()
	f := create(t)
	head := write(t, f, entities(1000), nil)
	outcomes := map[bool]int{}
	for round := range 6 {
		name := fmt.Sprint("side-", round)
		w, err := f.Write(ctx)
		if err == nil {
			err = errors.Join(w.AddBranch(ctx, name, head), w.Keep(ctx))
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			var add []rdf.Quad
			for j := range 2000 {
				add = append(add, q(fmt.Sprint(name, i, "-", j), "p", iri("new")))
			}
			if _, err := writeOn(ctx, f, name, nil, add, nil); err != nil {
				t.Fatal(err)
			}
		}
		if w, err = f.Write(ctx); err == nil {
			err = errors.Join(w.RemoveBranch(ctx, name), w.Keep(ctx))
		}
		if err != nil {
			t.Fatal(err)
		}
		want, has, err := states(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		dbtest.Start(t, t.Name(), f.Path()).KillAfter("now", time.Duration(random.IntN(50))*time.Millisecond)
		left, now, err := states(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		dropped := len(left) == 1 && left[0] == head && now[head.ID] == has[head.ID]
		if outcomes[dropped]++; !dropped && len(left) != len(want) {
			t.Fatalf("%d commits are left of %d", len(left), len(want))
		}
		sane(t, f)
	}
	t.Logf("dropped or not: %v", outcomes)
}
