package migration

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"trails/fault"
	"trails/rdf"
)

// Record is a migration that a graph has had applied. The commit that applied it is the one
// that added it.
type Record struct {
	Number     int
	Name, Text string
	Checksum   string // SHA-256 of the text, in hex
	Actor      string
	Time       time.Time
}

// File is the name of its file.
func (r Record) File() string { return FileName(r.Number, r.Name) }

// How the schema graph holds a record: a node with literals.
const (
	nodes        = rdf.TrailsNS + "migration/"
	class        = rdf.IRI(rdf.TrailsNS + "Migration")
	numberProp   = rdf.IRI(rdf.TrailsNS + "migrationNumber")
	nameProp     = rdf.IRI(rdf.TrailsNS + "migrationName")
	textProp     = rdf.IRI(rdf.TrailsNS + "migrationText")
	checksumProp = rdf.IRI(rdf.TrailsNS + "migrationChecksum")
	actorProp    = rdf.IRI(rdf.TrailsNS + "migrationActor")
	timeProp     = rdf.IRI(rdf.TrailsNS + "migrationTime")
)

// IsRecord reports whether a quad of the schema graph is about an applied migration, and not
// of the schema.
func IsRecord(q rdf.Quad) bool {
	iri, ok := q.Subject.(rdf.IRI)
	return ok && strings.HasPrefix(string(iri), nodes)
}

// Node is the node that the schema graph has of the record.
func (r Record) Node() rdf.IRI { return rdf.IRI(fmt.Sprintf("%s%04d", nodes, r.Number)) }

// Quads is how the schema graph holds the record.
func (r Record) Quads() []rdf.Quad {
	quad := func(p rdf.IRI, o rdf.Term) rdf.Quad {
		return rdf.Quad{Subject: r.Node(), Predicate: p, Object: o, Label: rdf.SchemaGraph}
	}
	return []rdf.Quad{
		quad(rdf.Type, class),
		quad(numberProp, rdf.Literal(strconv.Itoa(r.Number), rdf.XSDInteger)),
		quad(nameProp, rdf.Literal(r.Name, rdf.XSDString)),
		quad(textProp, rdf.Literal(r.Text, rdf.XSDString)),
		quad(checksumProp, rdf.Literal(r.Checksum, rdf.XSDString)),
		quad(actorProp, rdf.Literal(r.Actor, rdf.XSDString)),
		quad(timeProp, rdf.Literal(r.Time.UTC().Format(time.RFC3339Nano), rdf.XSDDateTime)),
	}
}

// FromQuads reads what [Record.Quads] wrote, by number. What cannot be read of a record is
// left empty.
func FromQuads(quads []rdf.Quad) []Record {
	byNode := map[rdf.Term]*Record{}
	for _, q := range quads {
		if q.Label != rdf.SchemaGraph || !IsRecord(q) {
			continue
		}
		r := byNode[q.Subject]
		if r == nil {
			r = &Record{}
			byNode[q.Subject] = r
		}
		switch text := rdf.Lexical(q.Object); q.Predicate {
		case numberProp:
			r.Number, _ = strconv.Atoi(text)
		case nameProp:
			r.Name = text
		case textProp:
			r.Text = text
		case checksumProp:
			r.Checksum = text
		case actorProp:
			r.Actor = text
		case timeProp:
			r.Time, _ = time.Parse(time.RFC3339Nano, text)
		}
	}
	var all []Record
	for _, r := range byNode {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
	return all
}

// Check returns what is wrong with the records that a graph has, in the order of their
// numbers: a gap, one that is not read back as it was written, and one of which the text is
// not that of the checksum, or is no migration. No trails writes such a record; an export
// that somebody edited can bring it.
func Check(applied []Record) (problems []string) {
	for i, r := range applied {
		if r.Number != i+1 {
			return append(problems, fmt.Sprintf("number %d is missing before %s", i+1, r.File()))
		}
		m, err := Parse(r.File(), r.Text)
		switch {
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s: %s", r.File(), fault.Of(err).Told(maxTold)))
		case m.Checksum() != r.Checksum:
			problems = append(problems, fmt.Sprintf("%s: its text has the SHA-256 %s, and %s was recorded when it was applied", r.File(), m.Checksum(), r.Checksum))
		case r.Time.IsZero():
			problems = append(problems, r.File()+": it is not recorded when it was applied")
		}
	}
	return problems
}

// maxTold bounds the characters of what is said of one text.
const maxTold = 400

// Gone returns the records of applied migrations that are not among those given.
func Gone(applied []Record, given []*Migration) (gone []Record) {
	for _, r := range applied {
		if !slices.ContainsFunc(given, func(m *Migration) bool { return m.Number == r.Number }) {
			gone = append(gone, r)
		}
	}
	return gone
}

// Pending returns those of the given migrations that are still to be applied, in their order,
// to a graph that has had applied those recorded. Refused are two of one number, a gap, one
// of which the text changed after it was applied, one with a number that another has, and one
// that is an applied one by another name.
func Pending(applied []Record, given []*Migration) ([]*Migration, error) {
	sorted := slices.SortedStableFunc(slices.Values(given), func(a, b *Migration) int { return cmp.Compare(a.Number, b.Number) })
	var problems []fault.FieldError
	report := func(m *Migration, code fault.Code, format string, args ...any) {
		problems = append(problems, fault.FieldError{Field: "migrations", Code: code, Value: m.File(), Message: m.File() + ": " + fmt.Sprintf(format, args...)})
	}
	last := 0
	if len(applied) > 0 {
		last = applied[len(applied)-1].Number
	}
	var pending []*Migration
	next, gone := last+1, Gone(applied, given)
	for i, m := range sorted {
		if i > 0 && sorted[i-1].Number == m.Number {
			report(m, fault.Unique, "%s has the same number; give one of them the next free number", sorted[i-1].File())
			continue
		}
		at := slices.IndexFunc(applied, func(r Record) bool { return r.Number == m.Number })
		was := slices.IndexFunc(gone, func(r Record) bool { return r.Checksum == m.Checksum() })
		switch {
		case at >= 0 && applied[at].Name != m.Name && applied[at].Checksum == m.Checksum():
			report(m, fault.HasValue, "it was applied as %s; give it that name again", applied[at].File())
		case at < 0 && was >= 0:
			report(m, fault.HasValue, "its text is that of %s, which is applied and not among those given; give it that name again, or give both", gone[was].File())
		case at >= 0 && applied[at].Name != m.Name:
			report(m, fault.HasValue, "number %d was applied as %s; give this one the number %d or higher", m.Number, applied[at].File(), last+1)
		case at >= 0 && applied[at].Checksum != m.Checksum():
			report(m, fault.HasValue, "its text changed after it was applied on %s by %s: the SHA-256 was %s and is %s%s; put the old text back, which definitions_get has, and write what is new as migration %d",
				applied[at].Time.Format(time.DateTime), applied[at].Actor, applied[at].Checksum[:min(12, len(applied[at].Checksum))], m.Checksum()[:12], lineEnds(applied[at].Text, m.Text), last+1)
		case at >= 0:
		case m.Number < next:
			report(m, fault.MinValue, "it comes too late: %s is applied, so the next number is %d", applied[len(applied)-1].File(), last+1)
		case m.Number > next:
			report(m, fault.MinValue, "number %d is missing before it", next)
			next = m.Number + 1
		default:
			pending = append(pending, m)
			next++
		}
	}
	if len(problems) > 0 {
		return nil, fault.Invalid(problems)
	}
	return pending, nil
}

// lineEnds says that two texts differ in the ends of their lines alone, or in a byte order mark.
func lineEnds(was, is string) string {
	plain := strings.NewReplacer("\r\n", "\n", "\ufeff", "")
	if plain.Replace(was) != plain.Replace(is) {
		return ""
	}
	return ", by the ends of its lines or a byte order mark alone"
}
