package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sort"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Accepted is the accepted definition of a tool, resource or prompt of an upstream server.
type Accepted struct {
	// Server is the digest of the server definition at that time.
	Server  string   `json:"server"`
	Offered Offered  `json:"offered"`
	Quad    rdf.Quad `json:"-"` // the quad that stores it
}

// Acceptance are the accepted definitions of one upstream server, by what they define. There may be several for one
// thing if merged branches accepted different ones. The zero Acceptance is empty.
type Acceptance map[string][]Accepted

// Standing compares what a server offers with what was accepted.
type Standing string

// The standings.
const (
	IsAccepted Standing = "accepted" // accepted as it is now
	IsNew      Standing = "new"      // never accepted
	IsChanged  Standing = "changed"  // accepted with another definition
	IsMoved    Standing = "moved"    // accepted, but for another definition of the server
	IsGone     Standing = "gone"     // accepted, but not offered any more
)

// thing identifies what is offered, independently of its definition.
func (o Offered) thing() string { return string(o.Kind) + "\n" + cmp.Or(o.URI, o.Name) }

// Standing returns the standing of something that a server offers.
func (a Acceptance) Standing(s Server, o Offered) Standing {
	standing, digest := IsNew, ""
	for _, known := range a[o.thing()] {
		digest = cmp.Or(digest, o.Digest())
		switch {
		case known.Offered.Digest() != digest:
			if standing == IsNew {
				standing = IsChanged
			}
		case known.Server == s.Digest():
			return IsAccepted
		default:
			standing = IsMoved
		}
	}
	return standing
}

// HeldBack returns why something is held back, and how to accept it; nil if it is not. Only servers with Pin hold
// things back.
func HeldBack(s Server, o Offered, accepted Acceptance) *Error {
	if !s.Pin {
		return nil
	}
	why := ""
	switch accepted.Standing(s, o) {
	case IsAccepted, IsGone:
		return nil
	case IsNew:
		why = "was not accepted yet"
	case IsChanged:
		why = "is not what was accepted, since the server says something else of it now"
	case IsMoved:
		why = "was accepted when the server was reached in another way"
	}
	id := o.Name
	if item, err := o.Item(s.Space()); err == nil {
		id = item.ID
	}
	return Fail(cmp.Or(missing[o.Kind], HydrateFailed), id, "%s of the upstream %s is held back: it %s. A person accepts it with trails gateway accept FILE %s", quote.Text(o.Name, 80), s.Name, why, s.Name)
}

// Of returns the part of what was accepted that applies to the current definition of a server, and that its filters
// take: what it offers if it has not changed.
func (a Acceptance) Of(s Server) (all []Offered) {
	digest := s.Digest()
	for _, thing := range slices.Sorted(maps.Keys(a)) {
		for _, d := range a[thing] {
			if d.Server == digest && s.Takes(d.Offered.Name) {
				all = append(all, d.Offered)
				break // if two were accepted either may be offered
			}
		}
	}
	return all
}

// Change is a difference between what a server offers and what was accepted.
type Change struct {
	Kind     Kind     `json:"kind"`
	Name     string   `json:"name"`
	ID       string   `json:"id,omitempty"` // "" if it cannot be called
	Standing Standing `json:"standing" oneof:"new,changed,moved,gone" doc:"moved: accepted when the server was reached in another way."`
	// Differences are the differences between the accepted and the offered definition, everything if it is new.
	Differences []Difference `json:"differences,omitempty"`
	More        int          `json:"more,omitempty" doc:"Differences beside those."`
	// Offered is the offered definition, or the accepted one if it is gone.
	Offered Offered `json:"-"`
}

// Review compares what a server offers with what was accepted, sorted by kind and name.
func (a Acceptance) Review(s Server, offered []Offered) []Change {
	var all []Change
	there := map[string]bool{}
	add := func(o Offered, standing Standing) {
		c := Change{Kind: o.Kind, Name: quote.Line(o.Name, maxName), Standing: standing, Offered: o}
		if item, err := o.Item(s.Space()); err == nil {
			c.ID = item.ID
		}
		before := Offered{Kind: o.Kind, URI: o.URI, Definition: Definition{Name: o.Name}}
		if standing == IsChanged {
			before = a[o.thing()][0].Offered
		}
		if standing == IsChanged || standing == IsNew {
			c.Differences, c.More = Differences(before, o)
		}
		all = append(all, c)
	}
	for _, o := range offered {
		if there[o.thing()] {
			continue // of two with the same name the first is called
		}
		there[o.thing()] = true
		if standing := a.Standing(s, o); standing != IsAccepted {
			add(o, standing)
		}
	}
	for thing, definitions := range a {
		if !there[thing] {
			add(definitions[0].Offered, IsGone)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Offered.thing() < all[j].Offered.thing() })
	return all
}

// Reviewed identifies a set of changes, so that only changes that somebody has seen can be accepted.
func Reviewed(s Server, changes []Change) string {
	sum := sha256.New()
	sum.Write([]byte(s.Digest()))
	for _, c := range changes {
		sum.Write([]byte("\n" + string(c.Standing) + " " + c.Offered.Digest()))
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// Limits on the accepted definitions of one server.
const (
	maxAccepted      = 2_000
	maxAcceptedBytes = 4 << 20
)

// Accept returns the quads that store changes as accepted, and the quads that they replace. Too many are the fault
// TooLarge.
func (a Acceptance) Accept(s Server, changes []Change) (add, remove []rdf.Quad, err error) {
	size, count := 0, 0
	for _, definitions := range a {
		count++
		for _, d := range definitions {
			size += len(rdf.Lexical(d.Quad.Object))
		}
	}
	for _, c := range changes {
		known := a[c.Offered.thing()]
		if len(known) > 0 {
			count--
		}
		for _, d := range known {
			remove, size = append(remove, d.Quad), size-len(rdf.Lexical(d.Quad.Object))
		}
		if c.Standing == IsGone {
			continue
		}
		text, err := jsontext.Marshal(Accepted{Server: s.Digest(), Offered: c.Offered})
		if err != nil {
			return nil, nil, fault.New(fault.InvalidData, "what %s says of %s cannot be kept", s.Name, quote.Text(c.Name, 80)).Because(err)
		}
		count, size = count+1, size+len(text)
		add = append(add, rdf.Quad{Subject: schema.UpstreamRecord.Node(s.Name), Predicate: acceptedProp, Object: rdf.Literal(string(text), rdf.XSDString), Label: rdf.SchemaGraph})
	}
	if count > maxAccepted || size > maxAcceptedBytes {
		return nil, nil, fault.New(fault.TooLarge, "that would be %d accepted definitions of %s with %d bytes; at most %d with %d. Name those to accept, or take less of the server with include", count, s.Name, size, maxAccepted, maxAcceptedBytes)
	}
	return add, remove, nil
}
