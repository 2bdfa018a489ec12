package db

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trails/db/history"
	"trails/db/stmt"
	"trails/rdf"
)

// form converts values of a column to terms and back. Each value has one term, and key finds the value of a term. A
// nil term is none; false means that no value has this term.
type form struct {
	term func(s *stmt.Stmt, column int) rdf.Term
	key  func(rdf.Term) (any, bool)
}

var (
	textForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return rdf.Literal(s.ColumnText(i), "") },
		key:  func(t rdf.Term) (any, bool) { return rdf.Lexical(t), t == rdf.Literal(rdf.Lexical(t), "") },
	}
	iriForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return rdf.IRI(s.ColumnText(i)) },
		key:  iriKey(func(iri string) (any, bool) { return iri, true }),
	}
	countForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return countTerm(s.ColumnInt64(i)) },
		key: func(t rdf.Term) (any, bool) {
			n, err := strconv.ParseInt(rdf.Lexical(t), 10, 64)
			return n, err == nil && countTerm(n) == t
		},
	}
	// trueForm is for flags: only true has a term.
	trueForm = form{
		term: func(*stmt.Stmt, int) rdf.Term { return trueTerm },
		key:  func(t rdf.Term) (any, bool) { return 1, t == trueTerm },
	}
	momentForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return momentTerm(s.Time(i)) },
		key: func(t rdf.Term) (any, bool) {
			moment, err := time.Parse(time.RFC3339Nano, rdf.Lexical(t))
			n := moment.UnixMicro()
			return n, err == nil && momentTerm(time.UnixMicro(n).UTC()) == t
		},
	}
	agentForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return AgentIRI(s.ColumnText(i)) },
		key: iriKey(func(iri string) (any, bool) {
			agent, err := url.PathUnescape(strings.TrimPrefix(iri, agentPrefix))
			return agent, err == nil && string(AgentIRI(agent)) == iri
		}),
	}
	activityForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return rdf.IRI(activityPrefix + s.ColumnText(i)) },
		key:  iriKey(func(iri string) (any, bool) { return cutPrefix(iri, activityPrefix) }),
	}
	commitForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term {
			var id history.CommitID
			s.ColumnBytes(i, id[:])
			return id.IRI()
		},
		key: iriKey(func(iri string) (any, bool) {
			digits, _ := strings.CutPrefix(iri, history.CommitPrefix)
			id, err := history.ParseCommitID(digits)
			return id[:], err == nil && string(id.IRI()) == iri
		}),
	}
	capabilityForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term { return rdf.IRI(capabilityPrefix + s.ColumnText(i)) },
		key:  iriKey(func(iri string) (any, bool) { return cutPrefix(iri, capabilityPrefix) }),
	}
	// entityForm is for nodes as provenance stores them: an IRI, or a blank node after "_:".
	entityForm = form{
		term: func(s *stmt.Stmt, i int) rdf.Term {
			if label, ok := strings.CutPrefix(s.ColumnText(i), "_:"); ok {
				return rdf.BNode(label)
			}
			return rdf.IRI(s.ColumnText(i))
		},
		key: func(t rdf.Term) (any, bool) {
			switch t := t.(type) {
			case rdf.IRI:
				return string(t), true
			case rdf.BNode:
				return "_:" + string(t), true
			}
			return nil, false
		},
	}
)

func iriKey(key func(string) (any, bool)) func(rdf.Term) (any, bool) {
	return func(t rdf.Term) (any, bool) {
		iri, ok := t.(rdf.IRI)
		if !ok {
			return nil, false
		}
		return key(string(iri))
	}
}

func cutPrefix(s, prefix string) (any, bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	return rest, ok
}

var trueTerm = rdf.Literal("true", rdf.XSDBoolean)

func countTerm(n int64) rdf.Term {
	return rdf.Literal(strconv.FormatInt(n, 10), rdf.XSDInteger)
}

func momentTerm(t time.Time) rdf.Term {
	return rdf.Literal(t.UTC().Format(time.RFC3339Nano), rdf.XSDDateTime)
}

// The beginnings of IRIs in virtual graphs.
const (
	activityPrefix   = "urn:uuid:"
	agentPrefix      = "urn:trails:agent:"
	capabilityPrefix = "urn:trails:capability:"
)

// IRI returns the IRI of the activity.
func (a Activity) IRI() rdf.IRI { return rdf.IRI(activityPrefix + a.ID) }

// AgentIRI returns the IRI of a principal. Different principals have different IRIs.
func AgentIRI(agent string) rdf.IRI {
	escaped := []byte(agentPrefix)
	for _, c := range []byte(agent) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("<>\"{}|\\^`%", c) >= 0 {
			escaped = fmt.Appendf(escaped, "%%%02X", c)
		} else {
			escaped = append(escaped, c)
		}
	}
	return rdf.IRI(escaped)
}
