package sparql_test

import (
	"testing"

	"trails/sparql"
)

// tenPatterns is a query as applications send them.
const tenPatterns = `PREFIX ex: <http://example.org/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?person ?name (COUNT(DISTINCT ?paper) AS ?papers) (MAX(?year) AS ?latest)
WHERE {
  ?person a ex:Person ; ex:name ?name ; ex:worksFor ?org .
  ?org rdfs:label ?orgName ; ex:locatedIn/ex:partOf* ex:Europe .
  ?paper ex:author ?person ; ex:year ?year ; ex:cites [ ex:title ?title ] .
  OPTIONAL { ?paper ex:doi ?doi FILTER(STRSTARTS(STR(?doi), "10.")) }
  FILTER(?year >= 2010 && LANGMATCHES(LANG(?name), "en"))
}
GROUP BY ?person ?name
HAVING(COUNT(DISTINCT ?paper) > 3)
ORDER BY DESC(?papers) ?name
LIMIT 20`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sparql.Parse(tenPatterns, sparql.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkString(b *testing.B) {
	q, err := sparql.Parse(tenPatterns, sparql.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = q.String()
	}
}
