package migration

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// Record is a migration that was applied to a graph. The commit that added the record applied
// the migration.
type Record struct {
	Number     int
	Name, Text string
	Checksum   string // SHA-256 of the text, in hex
	Actor      string
	Time       time.Time
}

// File returns the file's name.
func (r Record) File() string { return FileName(r.Number, r.Name) }

// Terms of a record, which is a node with literals in the schema graph.
const (
	class        = rdf.IRI(rdf.TrailsNS + "Migration")
	numberProp   = rdf.IRI(rdf.TrailsNS + "migrationNumber")
	nameProp     = rdf.IRI(rdf.TrailsNS + "migrationName")
	textProp     = rdf.IRI(rdf.TrailsNS + "migrationText")
	checksumProp = rdf.IRI(rdf.TrailsNS + "migrationChecksum")
	actorProp    = rdf.IRI(rdf.TrailsNS + "migrationActor")
	timeProp     = rdf.IRI(rdf.TrailsNS + "migrationTime")
)

// Node returns the record's node in the schema graph.
func (r Record) Node() rdf.IRI { return schema.MigrationRecord.Node(fmt.Sprintf("%04d", r.Number)) }

// Quads returns the record as quads of the schema graph.
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

// FromQuads reads the quads of records, and sorts these by number. Unreadable fields stay
// empty.
func FromQuads(quads []rdf.Quad) []Record {
	byNode := map[rdf.Term]*Record{}
	for _, q := range quads {
		if kind, _ := schema.RecordOf(q); kind != schema.MigrationRecord {
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
	for _, r := range slices.SortedStableFunc(maps.Values(byNode), func(a, b *Record) int { return cmp.Compare(a.Number, b.Number) }) {
		all = append(all, *r)
	}
	return all
}

// Check returns the problems of a graph's records, in the order of their numbers: a gap, an
// incomplete record, a text that does not match its checksum or is no migration. trails writes
// no such record, but an edited export can contain one.
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

// maxTold bounds the characters quoted from one error.
const maxTold = 400

// Gone returns the records of applied migrations that are not in given.
func Gone(applied []Record, given []*Migration) (gone []Record) {
	for _, r := range applied {
		if !slices.ContainsFunc(given, func(m *Migration) bool { return m.Number == r.Number }) {
			gone = append(gone, r)
		}
	}
	return gone
}

// Pending returns the migrations in given that are still to be applied, in order. It refuses
// two with the same number, a gap, a text that changed after it was applied, a number that
// another applied migration has, and an applied migration under another name.
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

// lineEnds explains that two texts differ only in line endings or a byte order mark; else it
// returns "".
func lineEnds(was, is string) string {
	plain := strings.NewReplacer("\r\n", "\n", "\ufeff", "")
	if plain.Replace(was) != plain.Replace(is) {
		return ""
	}
	return ", by the ends of its lines or a byte order mark alone"
}
