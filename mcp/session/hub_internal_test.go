package session

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/invoke"
)

// still are the changes of an engine in which nothing moves but what a test publishes.
func still(context.Context) <-chan invoke.Change { return nil }

var (
	someTypes     = []string{"A", "B", "C"}
	someAddresses = []string{
		SchemaAddress, StatsAddress, ChangesAddress, TypesAddress, "trails://kg/A", "trails://kg/B", "trails://kg/C",
		"trails://kg/A/1", "trails://kg/A/2", "trails://kg/B/1", "trails://kg/B/2", "trails://kg/C/1",
	}
	someInstances = someAddresses[7:]
)

// listener is a mailbox, and what a model that looks at every subscription of
// everybody for each change would have told its owner.
type listener struct {
	box   *mailbox
	close func()
	asked map[string]bool
	want  map[string]change
	lists bool
}

// The index finds just those whom a change concerns.
func TestAHubTellsWhatAModelWithoutAnIndexTells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHub(still, slog.New(slog.DiscardHandler))
		var all []*listener
		pick := func() *listener { return all[rapid.IntRange(0, len(all)-1).Draw(t, "listener")] }
		open := func(t *rapid.T) {
			l := &listener{box: newMailbox(), asked: map[string]bool{}, want: map[string]change{}}
			l.close = h.open(l.box, kinds{tools: true, resources: true})
			all = append(all, l)
		}
		open(t)
		commit := 0
		t.Repeat(map[string]func(*rapid.T){
			"open": open,
			"close": func(t *rapid.T) {
				l := pick()
				l.close()
				l.asked, l.want, l.lists = nil, nil, false
				l.box.take()
				if all = slices.DeleteFunc(all, func(o *listener) bool { return o == l }); len(all) == 0 {
					open(t)
				}
			},
			"subscribe": func(t *rapid.T) {
				l, address := pick(), rapid.SampledFrom(someAddresses).Draw(t, "address")
				if err := h.subscribe(l.box, address, address); err != nil {
					t.Fatal(err)
				}
				l.asked[address] = true
			},
			"unsubscribe": func(t *rapid.T) {
				l, address := pick(), rapid.SampledFrom(someAddresses).Draw(t, "address")
				h.unsubscribe(l.box, address)
				delete(l.asked, address)
				delete(l.want, address)
			},
			"publish": func(t *rapid.T) {
				commit++
				c := someChange(t, fmt.Sprint(commit))
				h.publish(h.main, c)
				for _, l := range all {
					l.expect(c)
				}
			},
			"take": func(t *rapid.T) { pick().check(t) },
			"":     func(t *rapid.T) { checkIndex(t, h, all) },
		})
		for _, l := range all {
			l.check(t)
		}
	})
}

func someChange(t *rapid.T, head string) invoke.Change {
	c := invoke.Change{Head: head,
		Schema: rapid.IntRange(0, 9).Draw(t, "schema") == 0,
		Resync: rapid.Bool().Draw(t, "resync"),
		Types:  rapid.SliceOfDistinct(rapid.SampledFrom(someTypes), rapid.ID).Draw(t, "types"),
	}
	if !c.Resync {
		c.Instances = rapid.SliceOfDistinct(rapid.SampledFrom(someInstances), rapid.ID).Draw(t, "instances")
	}
	return c
}

func (l *listener) expect(c invoke.Change) {
	l.lists = l.lists || c.Schema
	for address := range l.asked {
		if fires, resync := concerns(c, address); fires {
			l.want[address] = change{commit: c.Head, resync: resync || l.want[address].resync}
		}
	}
}

func concerns(c invoke.Change, address string) (fires, resync bool) {
	name, isInstance := typeOf(address)
	switch {
	case address == SchemaAddress:
		return c.Schema, false
	case address == StatsAddress || address == ChangesAddress || address == TypesAddress:
		return true, false
	case slices.Contains(c.Instances, address):
		return true, false
	case isInstance:
		below := c.Resync && slices.Contains(c.Types, name)
		return below || c.Schema, below || c.Schema
	}
	named := slices.Contains(c.Types, address[len(kgAddress):])
	return named || c.Schema, !named
}

func (l *listener) check(t *rapid.T) {
	t.Helper()
	got, lists := map[string]change{}, 0
	for _, n := range l.box.take() {
		if n.method != updatedNote {
			lists++
			continue
		}
		if _, twice := got[n.uri]; twice {
			t.Errorf("%s is told twice", n.uri)
		}
		got[n.uri] = n.change
	}
	if diff := cmp.Diff(l.want, got, cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("(-model +hub)\n%s", diff)
	}
	if want := map[bool]int{true: 2}[l.lists]; lists != want {
		t.Errorf("%d lists are told, want %d", lists, want)
	}
	l.want, l.lists = map[string]change{}, false
}

// checkIndex holds the index to the subscriptions: it forgets what nobody asks for.
func checkIndex(t *rapid.T, h *hub, all []*listener) {
	t.Helper()
	want := map[string]int{}
	for _, l := range all {
		for address := range l.asked {
			want[address]++
		}
	}
	got, below := map[string]int{}, map[string]bool{}
	for address, boxes := range h.main.byAddress {
		got[address] = len(boxes)
	}
	for _, addresses := range h.main.byType {
		maps.Copy(below, toBools(addresses))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-asked +indexed)\n%s", diff)
	}
	for address := range want {
		if _, isInstance := typeOf(address); isInstance != below[address] {
			t.Errorf("%s is below a type: %t", address, below[address])
		}
	}
	if len(h.main.byType) > len(someTypes) || len(below) > len(want) {
		t.Errorf("the index of types keeps %v", h.main.byType)
	}
}

func toBools(m map[string]struct{}) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// A listener that takes its news the moment it is rung has all of a change at once:
// the lists first, then each address.
func TestAChangeIsToldInOnePieceAndInOrder(t *testing.T) {
	h := newHub(still, slog.New(slog.DiscardHandler))
	box := newMailbox()
	defer h.open(box, kinds{tools: true, resources: true})()
	for _, address := range someAddresses {
		if err := h.subscribe(box, address, address); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2000 {
		c := invoke.Change{Head: fmt.Sprint(i), Types: someTypes, Instances: someInstances, Schema: i%2 == 0}
		want := len(someAddresses) - 1 // the schema's own address is not concerned
		if c.Schema {
			want += 3
		}
		box.quiet = time.Time{} // it has rested
		taken := make(chan []notice)
		go func() {
			<-box.bell
			taken <- box.take()
		}()
		h.publish(h.main, c)
		told := <-taken
		if len(told) != want {
			t.Fatalf("change %d: %d notices came first, want all %d", i, len(told), want)
		}
		if c.Schema && (told[0].method != toolsChangedNote || told[1].method != resourcesChangedNote) {
			t.Fatalf("change %d: %v and %v came first, want the lists", i, told[0], told[1])
		}
	}
}

// A panic while news are told ends neither the process nor the telling: whoever may have
// missed something is told so.
func TestAHubOutlivesAPanicAndTellsThatNewsMayBeMissing(t *testing.T) {
	var log bytes.Buffer
	changes := make(chan invoke.Change) // of an engine that moves when the test says so
	h := newHub(func(context.Context) <-chan invoke.Change { return changes }, slog.New(slog.NewTextHandler(&log, nil)))
	box := newMailbox()
	closeBox := h.open(box, kinds{tools: true})
	if err := h.subscribe(box, SchemaAddress, SchemaAddress); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.boxes[nil] = struct{}{} // what no code of ours does: telling it panics
	h.mu.Unlock()
	changes <- invoke.Change{Head: "1", Schema: true}
	changes <- invoke.Change{Head: "2"}
	<-box.bell
	if got := box.take(); !slices.ContainsFunc(got, func(n notice) bool { return n.uri == SchemaAddress && n.change.resync }) {
		t.Errorf("the listener was told %v, want that it may have missed something", got)
	}
	h.mu.Lock()
	delete(h.boxes, nil)
	h.mu.Unlock()
	changes <- invoke.Change{Head: "3", Schema: true}
	<-box.bell
	if got := box.take(); len(got) == 0 || got[len(got)-1].change.commit != "3" {
		t.Errorf("after the panic the listener was told %v", got)
	}
	closeBox()
	if !strings.Contains(log.String(), "nil pointer") || !strings.Contains(log.String(), "hub.go") {
		t.Errorf("the log has no stack: %s", log.String())
	}
}
