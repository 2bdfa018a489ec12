package sparql_test

import (
	"strings"
	"testing"

	"trails/sparql"
)

// TestASyntaxErrorNamesWhatToWrite has what people and models write for SPARQL, a part of what
// the error says, and for most the text as it should have been.
func TestASyntaxErrorNamesWhatToWrite(t *testing.T) {
	opts := sparql.Options{Prefixes: map[string]string{"": "http://example.org/kg/", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "xsd": "http://www.w3.org/2001/XMLSchema#"}}
	for _, c := range []struct{ text, say, right string }{
		{`SELECT ?t { :Group/G0007 :uses ?t }`, `:Group\/G0007`, `SELECT ?t { :Group\/G0007 :uses ?t }`},
		{`SELECT ?m { ?m :mitigates :Technique/T1003.001 . }`, `:Technique\/T1003.001`, `SELECT ?m { ?m :mitigates :Technique\/T1003.001 . }`},
		{`SELECT ?m { ?m :mitigates ?t FILTER(?t = :Technique/T1003) }`, `:Technique\/T1003`, `SELECT ?m { ?m :mitigates ?t FILTER(?t = :Technique\/T1003) }`},
		{`SELECT ?m { ?m :mitigates ?t FILTER(?t IN (:Technique/T1003, :Technique/T1005)) }`, `{"iri":"Technique/T1003"}`, ""},
		{`SELECT ?m { VALUES ?t { :Technique/T1003 } ?m :mitigates ?t }`, `:Technique\/T1003`, ""},
		{`SELECT ?m { ?m :mitigates Technique/T1003 }`, `:Technique\/T1003`, ""},
		{`DESCRIBE :Group/G0007`, `:Group\/G0007`, ""},
		{`SELECT ?t { <Group/G0007> :uses ?t }`, `<http://example.org/kg/Group/G0007>`, `SELECT ?t { <http://example.org/kg/Group/G0007> :uses ?t }`},
		{`SELECT ?t { ?t a <Technique> }`, `<http://example.org/kg/Technique>`, ""},
		{`SELECT ?t { ?t foaf:name ?n }`, `PREFIX foaf: <http://xmlns.com/foaf/0.1/>`, `PREFIX foaf: <http://xmlns.com/foaf/0.1/> SELECT ?t { ?t foaf:name ?n }`},
		{`SELECT ?t { ?t attack:name ?n }`, `known are :, rdf:`, ""},
		{`SELECT * FROM Technique`, "this is SQL", `SELECT ?x { ?x a :Technique } LIMIT 10`},
		{`SELECT name, id FROM Technique WHERE name = 'a'`, "this is SQL", ""},
		{`SELECT t.name FROM Technique t`, "this is SQL", ""},
		{`select count(*) from Technique`, "(count(*) AS ?n)", ""},
		{`SHOW TABLES`, "this is SQL", ""},
		{`MATCH (g:Group)-[:uses]->(t) RETURN t`, "this is Cypher", ""},
		{`{ techniques { name } }`, "a query begins with its form", ""},
		{`DELETE WHERE { ?x :name "a" }`, "run by mutate", ""},
		{`INSERT DATA { <urn:a> :name "a" }`, "run by mutate", ""},
		{`PREFIX ex: <urn:x:> DELETE { ?x ex:a ?y } WHERE { ?x ex:a ?y }`, "run by mutate", ""},
		{`SELECT COUNT(*) { ?x a :T }`, "(COUNT(*) AS ?n)", `SELECT (COUNT(*) AS ?n) { ?x a :T }`},
		{`SELECT ?g COUNT(DISTINCT ?x) { ?x :in ?g } GROUP BY ?g`, "(COUNT(DISTINCT ?x) AS ?n)", `SELECT ?g (COUNT(DISTINCT ?x) AS ?n) { ?x :in ?g } GROUP BY ?g`},
		{`SELECT (COUNT(?x)) { ?x a :T }`, "(COUNT(?x) AS ?n)", `SELECT (COUNT(?x) AS ?n) { ?x a :T }`},
		{`SELECT DISTINCT(?x) { ?x a :T }`, "SELECT DISTINCT ?x", `SELECT DISTINCT ?x { ?x a :T }`},
		{`SELECT ?x, ?y { ?x :p ?y }`, "no comma", `SELECT ?x ?y { ?x :p ?y }`},
		{`SELECT ?x { ?x a :T ?x :name ?n }`, "'.' is missing", `SELECT ?x { ?x a :T . ?x :name ?n }`},
		{`SELECT ?x { ?x :name "a" :age 5 }`, "';' is missing", `SELECT ?x { ?x :name "a" ; :age 5 }`},
		{`SELECT ?x { ?x :name ?n ?y :name ?n }`, "'.' is missing", `SELECT ?x { ?x :name ?n . ?y :name ?n }`},
		{`SELECT ?x { ?x :name = "a" }`, "a pattern has no =", `SELECT ?x { ?x :name "a" }`},
		{`SELECT ?x { ?x a :T . ?x = "a" }`, `FILTER(?x = "a")`, `SELECT ?x { ?x a :T . FILTER(?x = "a") }`},
		{`SELECT ?x { ?x :age ?a FILTER(?a == 5) }`, "equality is one =", `SELECT ?x { ?x :age ?a FILTER(?a = 5) }`},
		{`SELECT ?x { ?x :age ?a FILTER(?a <> 5) }`, "inequality is !=", `SELECT ?x { ?x :age ?a FILTER(?a != 5) }`},
		{`SELECT ?x { ?x :age ?a FILTER ?a > 5 }`, "FILTER(?a > 5)", `SELECT ?x { ?x :age ?a FILTER(?a > 5) }`},
		{`SELECT ?x { ?x :age ?a FILTER(?a > 5 AND ?a < 9) }`, "and is &&", `SELECT ?x { ?x :age ?a FILTER(?a > 5 && ?a < 9) }`},
		{`SELECT ?x { ?x :age ?a FILTER(?a > 5 OR ?a < 2) }`, "or is ||", `SELECT ?x { ?x :age ?a FILTER(?a > 5 || ?a < 2) }`},
		{`SELECT ?x { ?x :age ?a FILTER(NOT (?a > 5)) }`, "not is !", `SELECT ?x { ?x :age ?a FILTER(!(?a > 5)) }`},
		{`SELECT ?x { ?x :name ?n FILTER(?n LIKE '%cobalt%') }`, `CONTAINS(LCASE(?n), LCASE("cobalt"))`, `SELECT ?x { ?x :name ?n FILTER(CONTAINS(LCASE(?n), LCASE("cobalt"))) }`},
		{`SELECT ?x { ?x :name ?n FILTER(?n IS NULL) }`, "!BOUND(?n)", `SELECT ?x { ?x :name ?n FILTER(!BOUND(?n)) }`},
		{`SELECT ?x { ?x :name ?n FILTER(?n IS NOT NULL) }`, "BOUND(?n)", `SELECT ?x { ?x :name ?n FILTER(BOUND(?n)) }`},
		{`SELECT ?x { ?x :age ?a FILTER(?a BETWEEN 1 AND 5) }`, "?a >= 1 && ?a <= 5", `SELECT ?x { ?x :age ?a FILTER(?a >= 1 && ?a <= 5) }`},
		{`SELECT ?x { ?x :age ?a BIND ?a AS ?b }`, "BIND(?a AS ?b)", `SELECT ?x { ?x :age ?a BIND(?a AS ?b) }`},
		{`SELECT ?x { ?x a :T LIMIT 5 }`, "behind the last }", `SELECT ?x { ?x a :T } LIMIT 5`},
		{`SELECT ?x { ?x a :T } LIMIT 5 ORDER BY ?x`, "LIMIT comes last", `SELECT ?x { ?x a :T } ORDER BY ?x LIMIT 5`},
		{`SELECT ?x { ?x a :T } ORDER BY ?x DESC`, "DESC(?x)", `SELECT ?x { ?x a :T } ORDER BY DESC(?x)`},
		{`SELECT ?x { ?x a :T } ORDER BY DESC ?x`, "DESC(?x)", `SELECT ?x { ?x a :T } ORDER BY DESC(?x)`},
		{`SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x HAVING ?n > 5`, "HAVING (?n > 5)", `SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x HAVING (?n > 5)`},
		{`SELECT ?x { ?x a :T } GROUP BY ?x, ?y`, "no comma", ""},
		{`SELECT ?x WHERE ?x a :T`, "WHERE { ?x a :Type }", ""},
		{`SELECT ?x { ?x :name “a” }`, `texts stand in "`, `SELECT ?x { ?x :name "a" }`},
		{"SELECT ?x { ?x `name` ?n }", "names need no quotes", ""},
		{"SELECT ?x { ?x :name ?n } -- all", "a comment begins with #", "SELECT ?x { ?x :name ?n } # all"},
		{"SELECT ?x { ?x :name ?n // all\n }", "a comment begins with #", ""},
		{`SELECT ?x { ?x :name ?n FILTER(REGEX(?n, "a", i)) }`, `flags are a text: "i"`, `SELECT ?x { ?x :name ?n FILTER(REGEX(?n, "a", "i")) }`},
		{`SELECT ?x { ?x :name {{name}} }`, "params", `SELECT ?x { ?x :name ?name }`},
		{`SELECT ?x { ?x :name ${name} }`, "params", ""},
		{`SELECT ?x { ?x a :T FILTER NOT EXISTS (?x :p ?y) }`, "EXISTS { ", `SELECT ?x { ?x a :T FILTER NOT EXISTS { ?x :p ?y } }`},
	} {
		_, err := sparql.Parse(c.text, opts)
		if err == nil {
			t.Errorf("%s is right", c.text)
			continue
		}
		if !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s\nis refused with %v, which does not say %q", c.text, err, c.say)
		}
		if c.right == "" {
			continue
		}
		if _, err := sparql.Parse(c.right, opts); err != nil {
			t.Errorf("following %q fails: %v\n%s", c.say, err, c.right)
		}
	}
	for _, c := range [][2]string{
		{`SELECT ?x { ?x a :T }`, "run by query"},
		{`MATCH (n) RETURN n`, "this is Cypher"},
		{`INSERT INTO Technique (name) VALUES ('a')`, "this is SQL"},
		{`DELETE FROM Technique WHERE name = 'a'`, "this is SQL"},
		{`UPDATE Technique SET name = 'a'`, "this is SQL"},
		{`CREATE (n:Technique {name: 'a'})`, "this is Cypher"},
		{`INSERT DATA { :Group/G0007 :name "a" }`, `:Group\/G0007`},
		{`DELETE { ?x :name "a" :age 5 } WHERE { ?x :name "a" }`, "';' is missing"},
	} {
		if _, err := sparql.ParseUpdate(c[0], opts); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s\nis refused with %v, which does not say %q", c[0], err, c[1])
		}
	}
}
