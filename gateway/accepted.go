package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Accepted is a definition that somebody accepted of an upstream server.
type Accepted struct {
	// Server is the digest of the server as it was reached then.
	Server  string   `json:"server"`
	Offered Offered  `json:"offered"`
	Quad    rdf.Quad `json:"-"` // that keeps it
}

// Acceptance is what was accepted of one upstream server, by the thing that it is of: more
// than one where branches that were merged accepted different ones. The zero Acceptance is of
// nothing.
type Acceptance map[string][]Accepted

// Standing is how something stands that a server offers to what was accepted of it.
type Standing string

// The standings.
const (
	IsAccepted Standing = "accepted" // as it is
	IsNew      Standing = "new"      // never
	IsChanged  Standing = "changed"  // when it said something else
	IsMoved    Standing = "moved"    // as it is, when the server was reached in another way
	IsGone     Standing = "gone"     // and it is not offered any more
)

// thing names what is offered, whatever is said of it.
func (o Offered) thing() string { return string(o.Kind) + "\n" + cmp.Or(o.URI, o.Name) }

// Standing says how something stands that a server offers.
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

// HeldBack says why something that a server offers is held back, and how it is accepted; nil
// means that it is not. Only a server that is pinned has what is.
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

// Of returns what was accepted of a server as it is reached now, as far as it is taken: what
// it offers unless it has changed.
func (a Acceptance) Of(s Server) (all []Offered) {
	digest := s.Digest()
	for _, definitions := range a {
		for _, d := range definitions {
			if d.Server == digest && s.Takes(d.Offered.Name) {
				all = append(all, d.Offered)
				break // of two that were accepted either may be offered
			}
		}
	}
	slices.SortFunc(all, func(x, y Offered) int { return strings.Compare(x.thing(), y.thing()) })
	return all
}

// Change is something that a server does not offer as it was accepted.
type Change struct {
	Kind     Kind     `json:"kind"`
	Name     string   `json:"name"`
	ID       string   `json:"id,omitempty"` // "" of what cannot be called
	Standing Standing `json:"standing" oneof:"new,changed,moved,gone" doc:"moved: accepted when the server was reached in another way."`
	// Differences are between what was accepted and what is offered, all of it when it is new.
	Differences []Difference `json:"differences,omitempty"`
	More        int          `json:"more,omitempty" doc:"Differences beside those."`
	// Offered is what is offered, or what was accepted when it is gone.
	Offered Offered `json:"-"`
}

// Review compares what a server offers with what was accepted of it, in the order of kinds and
// names.
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
			continue // of two the first is called
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
	slices.SortStableFunc(all, func(x, y Change) int { return strings.Compare(x.Offered.thing(), y.Offered.thing()) })
	return all
}

// Reviewed names changes, so that nothing else is accepted than what somebody saw.
func Reviewed(s Server, changes []Change) string {
	sum := sha256.New()
	sum.Write([]byte(s.Digest()))
	for _, c := range changes {
		sum.Write([]byte("\n" + string(c.Standing) + " " + c.Offered.Digest()))
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// Limits of what is accepted of one server.
const (
	maxAccepted      = 2_000
	maxAcceptedBytes = 4 << 20
)

// Accept returns the quads that keep changes as accepted, and those that it replaces. The
// fault TooLarge says that it is more than fits.
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
		add = append(add, rdf.Quad{Subject: rdf.IRI(servers + s.Name), Predicate: acceptedProp, Object: rdf.Literal(string(text), rdf.XSDString), Label: rdf.SchemaGraph})
	}
	if count > maxAccepted || size > maxAcceptedBytes {
		return nil, nil, fault.New(fault.TooLarge, "that would be %d accepted definitions of %s with %d bytes; at most %d with %d. Name those to accept, or take less of the server with include", count, s.Name, size, maxAccepted, maxAcceptedBytes)
	}
	return add, remove, nil
}
