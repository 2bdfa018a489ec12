package schema

import (
	"strings"

	"trails/rdf"
)

// RecordKind is a kind of record that the schema graph holds beside the schema. The zero RecordKind is no record: a
// part of the schema.
type RecordKind int

// The kinds of records.
const (
	QueryRecord     RecordKind = iota + 1 // stored query
	MigrationRecord                       // applied migration
	PromotionRecord                       // definitions as they were after the last promotion
	UpstreamRecord                        // upstream server of the gateway
	GatewayRecord                         // settings of the gateway
	PolicyRecord                          // policies: who may do what
)

// recordNodes are the nodes of records: an IRI, or, if it ends in a slash, what comes before the name of the record.
var recordNodes = [...]string{
	QueryRecord:     rdf.TrailsNS + "query/",
	MigrationRecord: rdf.TrailsNS + "migration/",
	PromotionRecord: rdf.TrailsNS + "promotion",
	UpstreamRecord:  rdf.TrailsNS + "upstream/",
	GatewayRecord:   rdf.TrailsNS + "gateway",
	PolicyRecord:    rdf.TrailsNS + "policies",
}

// Node returns the node of the record with a name; "" for the only record of its kind.
func (k RecordKind) Node(name string) rdf.IRI { return rdf.IRI(recordNodes[k] + name) }

// RecordOf returns to which kind of record a quad of the schema graph belongs, and the name of the record.
func RecordOf(q rdf.Quad) (kind RecordKind, name string) {
	iri, _ := q.Subject.(rdf.IRI)
	if q.Label != rdf.SchemaGraph || !strings.HasPrefix(string(iri), rdf.TrailsNS) {
		return 0, ""
	}
	for k, node := range recordNodes[1:] {
		if name, found := strings.CutPrefix(string(iri), node); found && (name == "" || strings.HasSuffix(node, "/")) {
			return RecordKind(k + 1), name
		}
	}
	return 0, ""
}
