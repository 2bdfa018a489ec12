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

// Listing is what one upstream server offers, and what was accepted.
type Listing struct {
	Server   Server
	Offered  []Offered
	Accepted Acceptance
	// Problems describe what was left out when the listing was read.
	Problems []*Error
}

// Entry is a tool, resource or prompt of a [Directory], with its server.
type Entry struct {
	Item    Item
	Server  string // name of its server, "" for a tool of the graph
	Offered Offered
	// Changed reports that another definition of it was accepted.
	Changed bool
}

// Directory is what all servers offer at one time, by id. It is immutable, so a call finds what was browsed, or
// nothing; after changes another one replaces it. It is safe for concurrent use. Only [NewDirectory] makes one.
type Directory struct {
	catalogs map[Kind]*Catalog
	entries  map[string]Entry
	schemas  sync.Map          // by id, output schemas with the prefix "output "; each is a func() (*Schema, error) that makes it once
	held     map[string]*Error // reason why the id is held back
	problems []*Error
}

// NewDirectory makes a directory of the graph's own tools, whose ids differ, and of what servers offer, in the order
// of the listings. Of tools or prompts with the same id the first is taken; resources with the same id get distinct
// ones. Things without an id, or too large for a card, are left out. For servers with Pin, what was not accepted is
// held back.
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

// leftOut describes what is left out of a server's offer, and why. Invisible characters in its name are escaped.
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

// Catalog returns the tools, resources or prompts.
func (d *Directory) Catalog(kind Kind) *Catalog { return d.catalogs[kind] }

// Problems describe what was left out.
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

// mostCompared bounds how many ids an unknown id is compared with.
const mostCompared = 1_000

// Find returns the entry with an id. An id without its hash is accepted if only one fits. Its error is an [*Error]
// that suggests similar ids.
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
	note := ""
	if len(same) > 0 {
		note = "; there is " + same[0]
	} else if one := nearest(id, near); one != "" {
		note = fmt.Sprintf("; did you mean %q?", one)
	}
	return Entry{}, Fail(cmp.Or(missing[kind], HydrateFailed), id, "no %s has the id %s; browse for it%s", kind, quote.Text(id, 120), note)
}

// alike returns, sorted, the ids of a kind that differ from an unknown id only in version and hash, which change with
// the arguments, and all ids of its namespace.
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

// nearest is the id most similar to an unknown one, ignoring the hash if that has none.
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

// begins reports whether another ID is the same except for version and hash.
func (id ID) begins(other string) bool {
	rest, is := strings.CutPrefix(other, ID{Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}.String())
	return is && (rest == "" || rest[0] == '@' || rest[0] == '#')
}

// Schema returns the input schema of a tool or prompt, made once on first use. The error is an [*Error]: that of
// Find, or SCHEMA_INVALID.
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

// Output returns the output schema of a tool, nil if there is none, made once on first use. The error is an [*Error]:
// that of Find, or SCHEMA_INVALID.
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
