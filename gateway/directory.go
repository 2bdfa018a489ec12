package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"trails/fault"
	"trails/text/quote"
)

// Listing is what one upstream server offers, and what was accepted of it.
type Listing struct {
	Server   Server
	Offered  []Offered
	Accepted Acceptance
	// Problems are of what was left out where the listing was read.
	Problems []*Error
}

// Entry is one thing of a [Directory], and whose it is.
type Entry struct {
	Item    Item
	Server  string // the name of its server, "" for a tool of the graph's own
	Offered Offered
	// Changed reports that somebody accepted it when it said something else.
	Changed bool
}

// Directory is what all servers offer at one time: what can be browsed, and what stands behind
// each id. It never changes, so that a call finds what was browsed or nothing; when a server
// lists something else, another one takes its place. Any number of goroutines may use it at a
// time. Only [NewDirectory] makes one.
type Directory struct {
	catalogs map[Kind]*Catalog
	entries  map[string]Entry
	schemas  sync.Map          // by id, those of answers behind "output ", func() (*Schema, error) that makes it once
	held     map[string]*Error // why something is held back that has this id
	problems []*Error
}

// NewDirectory makes a directory of tools of the graph's own, whose ids differ, and of what
// servers offer, in the order of the listings. Of two tools or prompts of one id the first is
// taken; two resources of one id are different ones. What has no id, or is too large for a
// card, is left out. Of a server that is pinned, what was not accepted as it is offered is held
// back.
func NewDirectory(own []Item, listings []Listing) *Directory {
	d := &Directory{catalogs: map[Kind]*Catalog{}, entries: map[string]Entry{}, held: map[string]*Error{}}
	items := map[Kind][]Item{}
	taken := map[string]int{}
	for _, item := range own {
		if err := item.fits(); err != nil {
			d.problems = append(d.problems, Fail(UpstreamError, item.ID, "%s is left out: %v", item.ID, err))
			continue
		}
		taken[item.ID], d.entries[item.ID] = 1, Entry{Item: item, Offered: Offered{Kind: Tool}}
		items[Tool] = append(items[Tool], item)
	}
	for _, l := range listings {
		d.problems = append(d.problems, l.Problems...)
		for _, o := range l.Offered {
			item, err := o.Item(l.Server.Space())
			if err == nil {
				err = item.fits()
			}
			if err == nil && o.NeedsTask {
				err = errors.New("it is called as a task alone, which is not possible through this server")
			}
			if err != nil {
				d.leave(l.Server, o, err.Error())
				continue
			}
			if held := HeldBack(l.Server, o, l.Accepted); held != nil {
				d.held[item.ID] = held
				continue
			}
			if other, twice := d.entries[item.ID]; twice && (o.Kind != Resource || other.Server == l.Server.Name && other.Offered.URI == o.URI) {
				d.leave(l.Server, o, fmt.Sprintf("%s of the server %s has the id %s", quote.Text(other.Offered.Name, 80), other.Server, item.ID))
				continue
			}
			if taken[item.ID]++; taken[item.ID] > 1 {
				item.ID = fmt.Sprintf("%s~%d", item.ID, taken[item.ID]) // a key, and no id
			}
			changed := l.Accepted.Standing(l.Server, o) == IsChanged
			if changed {
				item.Tags = append(item.Tags, "changed") // an agent sees it on the card
			}
			d.entries[item.ID] = Entry{Item: item, Server: l.Server.Name, Offered: o, Changed: changed}
			items[o.Kind] = append(items[o.Kind], item)
		}
	}
	for _, kind := range []Kind{Tool, Resource, Prompt} {
		d.catalogs[kind] = catalogOf(items[kind])
	}
	return d
}

func (d *Directory) leave(s Server, o Offered, why string) {
	d.problems = append(d.problems, leftOut(s.Name, o.Kind, o.Name, why))
}

// leftOut says what is left out of what a server offers, and why. What its name hides can be seen.
func leftOut(server string, kind Kind, name, why string) *Error {
	return Fail(UpstreamError, server, "the %s %s of the server %s is left out: %s", kind, quote.Text(Visible(name), 80), server, why)
}

// Held are of what is held back, by id.
func (d *Directory) Held() []*Error {
	all := make([]*Error, 0, len(d.held))
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		all = append(all, d.held[id])
	}
	return all
}

// Catalog is what there is of tools, resources or prompts.
func (d *Directory) Catalog(kind Kind) *Catalog { return d.catalogs[kind] }

// Problems are of what was left out.
func (d *Directory) Problems() []*Error { return d.problems }

// Uncallable are of the tools of servers whose arguments nobody can give. It makes every schema.
func (d *Directory) Uncallable() (all []*Error) {
	tools := d.Catalog(Tool)
	for i := range tools.Len() {
		id := tools.At(i).ID
		if d.entries[id].Server == "" {
			continue
		}
		var e *Error
		if _, err := d.Schema(Tool, id); errors.As(err, &e) {
			all = append(all, Fail(e.Code, d.entries[id].Server, "%s cannot be called: %s", id, e.Message))
		}
	}
	return all
}

// missing are the codes of what is not there.
var missing = map[Kind]Code{Tool: HydrateFailed, Resource: ResourceNotFound, Prompt: PromptNotFound}

// mostCompared is with how many ids one is compared that is not there.
const mostCompared = 1_000

// Find returns what stands behind the id of a tool, a resource or a prompt. An id without its
// hash is taken where one fits. Its error is an [*Error], and says which of all may have been
// meant.
func (d *Directory) Find(kind Kind, id string) (Entry, error) {
	entry, known := d.entries[id]
	if known && entry.Offered.Kind == kind {
		return entry, nil
	}
	if held := d.held[id]; held != nil && held.Code == cmp.Or(missing[kind], HydrateFailed) {
		return Entry{}, held
	}
	same, near := d.alike(kind, id)
	meant, malformed := ParseID(id)
	if malformed == nil && len(same) == 0 {
		for _, held := range d.Held() {
			if meant.begins(held.Path) {
				return Entry{}, held
			}
		}
	}
	if malformed == nil && meant.Hash == "" && meant.Version == "" && len(same) == 1 {
		return d.entries[same[0]], nil
	}
	said := ""
	if len(same) > 0 {
		said = "; there is " + same[0]
	} else if one := nearest(id, near); one != "" {
		said = fmt.Sprintf("; did you mean %q?", one)
	}
	return Entry{}, Fail(cmp.Or(missing[kind], HydrateFailed), id, "no %s has the id %s%s; browse for it", kind, quote.Text(id, 120), said)
}

// alike returns, sorted, which ids of a kind are the same as one that is not there but for version
// and hash, which change with the arguments, and all of its namespace.
func (d *Directory) alike(kind Kind, id string) (same, near []string) {
	meant, err := ParseID(id)
	if err != nil {
		return nil, nil
	}
	for other, entry := range d.entries {
		if entry.Offered.Kind != kind || entry.Item.Namespace != meant.Namespace {
			continue
		}
		if meant.begins(other) {
			same = append(same, other)
		}
		near = append(near, other)
	}
	slices.Sort(same)
	slices.Sort(near)
	return same, near
}

// nearest is which of some ids has nearly the text of one that is not there, without its hash when
// that has none.
func nearest(id string, near []string) string {
	if len(near) > mostCompared {
		return ""
	}
	begins := make([]string, len(near))
	for i, other := range near {
		if begins[i] = other; !strings.Contains(id, "#") {
			begins[i], _, _ = strings.Cut(other, "#")
		}
	}
	if at := slices.Index(begins, fault.Nearest(id, begins)); at >= 0 {
		return near[at]
	}
	return ""
}

// begins reports that the text of another ID is the same but for version and hash.
func (id ID) begins(other string) bool {
	rest, is := strings.CutPrefix(other, ID{Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}.String())
	return is && (rest == "" || rest[0] == '@' || rest[0] == '#')
}

// Schema returns the schema of the arguments of a tool or a prompt. It is made at the first
// need, once. The error is an [*Error]: that of Find, or SCHEMA_INVALID.
func (d *Directory) Schema(kind Kind, id string) (*Schema, error) {
	entry, err := d.Find(kind, id)
	if err != nil {
		return nil, err
	}
	once, _ := d.schemas.LoadOrStore(id, sync.OnceValues(func() (*Schema, error) {
		return NewSchema(id, entry.Offered.InputSchema, UsualLimits)
	}))
	return once.(func() (*Schema, error))()
}

// Output returns the schema of what a tool answers, nil when its server gives none. It is made
// at the first need, once. The error is an [*Error]: that of Find, or SCHEMA_INVALID.
func (d *Directory) Output(id string) (*Schema, error) {
	entry, err := d.Find(Tool, id)
	if err != nil || len(entry.Offered.Output) == 0 {
		return nil, err
	}
	once, _ := d.schemas.LoadOrStore("output "+id, sync.OnceValues(func() (*Schema, error) {
		return compileSchema("output", id, entry.Offered.Output, UsualLimits)
	}))
	return once.(func() (*Schema, error))()
}
