package querykit

// libraryPatterns are basic graph patterns, and queries that only list terms.
var libraryPatterns = []Shape{
	{
		Name:  "point",
		Query: `SELECT ?p ?o { work:17 ?p ?o }`,
		SQL: `SELECT p.value, l.o, o.kind, o.value, o.lang FROM live l NOT INDEXED CROSS JOIN terms p LEFT JOIN terms o ON o.id = l.o
			WHERE l.s = {work:17} AND l.g = 0 AND p.id = l.p`,
		Columns: []Column{IRI, Any},
	},
	{
		Name:  "star",
		Query: `SELECT ?w ?title ?d ?n { ?w a ex:Work ; ex:status "withdrawn" ; rdfs:label ?title ; ex:published ?d ; ex:pages ?n }`,
		SQL: `SELECT tw.value, tt.value, tt.lang, d.o, n.o
			FROM live s INDEXED BY live_pos CROSS JOIN live a NOT INDEXED CROSS JOIN live t NOT INDEXED CROSS JOIN live d NOT INDEXED CROSS JOIN live n NOT INDEXED CROSS JOIN terms tw CROSS JOIN terms tt
			WHERE s.p = {ex:status} AND s.o = {"withdrawn"} AND s.g = 0 AND a.s = s.s AND a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0
			AND t.s = s.s AND t.p = {rdfs:label} AND t.g = 0 AND d.s = s.s AND d.p = {ex:published} AND d.g = 0
			AND n.s = s.s AND n.p = {ex:pages} AND n.g = 0 AND tw.id = s.s AND tt.id = t.o`,
		Columns: []Column{IRI, Tagged, Date, Integer},
	},
	{
		Name:  "hop2",
		Query: `SELECT ?c { ?w ex:creator person:0 . ?c ex:cites ?w }`,
		SQL: `SELECT t.value FROM live a INDEXED BY live_pos CROSS JOIN live b INDEXED BY live_pos CROSS JOIN terms t
			WHERE a.p = {ex:creator} AND a.o = {person:0} AND a.g = 0 AND b.p = {ex:cites} AND b.o = a.s AND b.g = 0 AND t.id = b.s`,
		Cypher:  `MATCH (c:work)-[:ex_cites]->(:work)-[:ex_creator]->(:person {id: {person:0}}) RETURN c.id`,
		Columns: []Column{IRI},
	},
	{
		Name:  "chain3",
		Query: `SELECT (COUNT(*) AS ?n) { ?p ex:bornIn place:0 . ?w ex:creator ?p . ?c ex:cites ?w }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos CROSS JOIN live b INDEXED BY live_pos CROSS JOIN live c INDEXED BY live_pos
			WHERE a.p = {ex:bornIn} AND a.o = {place:0} AND a.g = 0 AND b.p = {ex:creator} AND b.o = a.s AND b.g = 0
			AND c.p = {ex:cites} AND c.o = b.s AND c.g = 0`,
		Cypher:  `MATCH (:work)-[:ex_cites]->(:work)-[:ex_creator]->(:person)-[:ex_bornIn]->(:place {id: {place:0}}) RETURN count(*)`,
		Columns: []Column{Number},
	},
	{
		Name:  "chain-ends",
		Query: `SELECT (COUNT(*) AS ?n) { ?c ex:status "available" . ?c ex:cites ?w . ?w ex:cites ?d . ?d ex:status "repair" }`,
		SQL: `SELECT count(*) FROM live d INDEXED BY live_pos CROSS JOIN live w INDEXED BY live_pos CROSS JOIN live c INDEXED BY live_pos CROSS JOIN live s NOT INDEXED
			WHERE d.p = {ex:status} AND d.o = {"repair"} AND d.g = 0 AND w.p = {ex:cites} AND w.o = d.s AND w.g = 0
			AND c.p = {ex:cites} AND c.o = w.s AND c.g = 0 AND s.s = c.s AND s.p = {ex:status} AND s.o = {"available"} AND s.g = 0`,
		Cypher:  `MATCH (c:work)-[:ex_cites]->(:work)-[:ex_cites]->(d:work) WHERE c.status = 'available' AND d.status = 'repair' RETURN count(*)`,
		Columns: []Column{Number},
	},
	{
		Name: "values",
		Query: `SELECT ?p ?title { VALUES ?p { person:1 person:2 person:3 person:5 person:8 person:13 person:21 person:34 person:55 person:89 }
			?w ex:creator ?p ; rdfs:label ?title }`,
		SQL: `SELECT tp.value, tt.value, tt.lang FROM live w INDEXED BY live_pos CROSS JOIN live t NOT INDEXED CROSS JOIN terms tp CROSS JOIN terms tt
			WHERE w.p = {ex:creator} AND w.o IN ({person:1}, {person:2}, {person:3}, {person:5}, {person:8}, {person:13}, {person:21}, {person:34}, {person:55}, {person:89}) AND w.g = 0
			AND t.s = w.s AND t.p = {rdfs:label} AND t.g = 0 AND tp.id = w.o AND tt.id = t.o`,
		Columns: []Column{IRI, Tagged},
	},
	{
		Name:  "scan",
		Query: `SELECT ?c ?w { ?c ex:cites ?w }`,
		SQL: `SELECT a.value, b.value FROM live l INDEXED BY live_pos CROSS JOIN terms a CROSS JOIN terms b
			WHERE l.p = {ex:cites} AND l.g = 0 AND a.id = l.s AND b.id = l.o`,
		Cypher:  `MATCH (c:work)-[:ex_cites]->(w:work) RETURN c.id, w.id`,
		Columns: []Column{IRI, IRI},
	},
	{
		Name:  "construct",
		Query: `CONSTRUCT { ?p ex:wrote ?w . ?w ex:about ?t } { ?w ex:status "reserved" ; ex:creator ?p ; ex:topic ?t }`,
		SQL: `SELECT a.value, x.p, b.value FROM (
			SELECT c.o AS a, 'wrote' AS p, c.s AS b FROM live s INDEXED BY live_pos CROSS JOIN live c NOT INDEXED
			WHERE s.p = {ex:status} AND s.o = {"reserved"} AND s.g = 0 AND c.s = s.s AND c.p = {ex:creator} AND c.g = 0
			AND EXISTS (SELECT 1 FROM live t NOT INDEXED WHERE t.s = s.s AND t.p = {ex:topic} AND t.g = 0)
			UNION ALL
			SELECT t.s, 'about', t.o FROM live s INDEXED BY live_pos CROSS JOIN live t NOT INDEXED
			WHERE s.p = {ex:status} AND s.o = {"reserved"} AND s.g = 0 AND t.s = s.s AND t.p = {ex:topic} AND t.g = 0
			AND EXISTS (SELECT 1 FROM live c NOT INDEXED WHERE c.s = s.s AND c.p = {ex:creator} AND c.g = 0)
			) x CROSS JOIN terms a CROSS JOIN terms b WHERE a.id = x.a AND b.id = x.b`,
		Columns: []Column{IRI, Word, IRI},
	},
}

// libraryFilters restrict values.
var libraryFilters = []Shape{
	{
		Name:  "number",
		Query: `SELECT ?w ?n { ?w ex:pages ?n FILTER(?n >= 300 && ?n < 320) }`,
		SQL: `SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t
			WHERE l.p = {ex:pages} AND l.o >= {300} AND l.o < {320} AND l.g = 0 AND t.id = l.s`,
		Cypher:  `MATCH (w:work) WHERE w.pages >= 300 AND w.pages < 320 RETURN w.id, w.pages`,
		Columns: []Column{IRI, Integer},
	},
	{
		Name:  "date",
		Query: `SELECT ?w ?d { ?w ex:published ?d FILTER(?d >= "2015-01-01"^^xsd:date && ?d < "2017-01-01"^^xsd:date) }`,
		SQL: `SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t
			WHERE l.p = {ex:published} AND l.o >= {2015-01-01} AND l.o < {2017-01-01} AND l.g = 0 AND t.id = l.s`,
		Cypher:  `MATCH (w:work) WHERE w.published >= date('2015-01-01') AND w.published < date('2017-01-01') RETURN w.id, w.published`,
		Columns: []Column{IRI, Date},
	},
	{
		Name:  "moment",
		Query: `SELECT ?r ?at { ?r ex:at ?at FILTER(?at >= "2017-01-01T00:00:00Z"^^xsd:dateTime && ?at < "2018-01-01T00:00:00Z"^^xsd:dateTime) }`,
		SQL: `SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t
			WHERE l.p = {ex:at} AND l.o >= {2017-01-01T00:00:00Z} AND l.o < {2018-01-01T00:00:00Z} AND l.g = 0 AND t.id = l.s`,
		Cypher:  `MATCH (r:review) WHERE r.at >= timestamp('2017-01-01T00:00:00Z') AND r.at < timestamp('2018-01-01T00:00:00Z') RETURN r.id, r.at`,
		Columns: []Column{IRI, Moment},
	},
	{
		Name:  "string",
		Query: `SELECT ?w ?s { ?w ex:status ?s FILTER(?s = "repair" || ?s = "ordered") }`,
		SQL: `SELECT t.value, s.value FROM live l INDEXED BY live_pos CROSS JOIN terms s CROSS JOIN terms t
			WHERE l.p = {ex:status} AND l.o IN ({"repair"}, {"ordered"}) AND l.g = 0 AND s.id = l.o AND t.id = l.s`,
		Cypher:  `MATCH (w:work) WHERE w.status = 'repair' OR w.status = 'ordered' RETURN w.id, w.status`,
		Columns: []Column{IRI, String},
	},
	{
		Name:  "lang",
		Query: `SELECT ?x ?l { ?x rdfs:label ?l FILTER(LANG(?l) = "de") }`,
		SQL: `SELECT x.value, t.value, t.lang FROM live l INDEXED BY live_pos CROSS JOIN terms t CROSS JOIN terms x
			WHERE l.p = {rdfs:label} AND l.g = 0 AND t.id = l.o AND t.lang = 'de' AND x.id = l.s`,
		Columns: []Column{IRI, Tagged},
	},
	{
		Name:  "prefix",
		Query: `SELECT ?x ?l { ?x rdfs:label ?l FILTER(STRSTARTS(STR(?l), "Winter of")) }`,
		SQL: `SELECT x.value, t.kind, t.value, t.lang FROM live l INDEXED BY live_pos CROSS JOIN terms t CROSS JOIN terms x
			WHERE l.p = {rdfs:label} AND l.g = 0 AND t.id = l.o AND t.value >= 'Winter of' AND t.value < 'Winter og' AND x.id = l.s`,
		Columns: []Column{IRI, Label},
	},
	{
		Name:  "contains",
		Query: `SELECT ?x ?l { ?x rdfs:label ?l FILTER(CONTAINS(?l, "harbour")) }`,
		SQL: `SELECT x.value, t.kind, t.value, t.lang FROM live l INDEXED BY live_pos CROSS JOIN terms t CROSS JOIN terms x
			WHERE l.p = {rdfs:label} AND l.g = 0 AND t.id = l.o AND instr(t.value, 'harbour') > 0 AND x.id = l.s`,
		Columns: []Column{IRI, Label},
	},
	{
		Name:  "regex",
		Query: `SELECT ?x ?l { ?x rdfs:label ?l FILTER(REGEX(?l, "winter.*[0-9]$")) }`,
		SQL: `SELECT x.value, t.kind, t.value, t.lang FROM live l INDEXED BY live_pos CROSS JOIN terms t CROSS JOIN terms x
			WHERE l.p = {rdfs:label} AND l.g = 0 AND t.id = l.o AND t.value GLOB '*winter*[0-9]' AND x.id = l.s`,
		Columns: []Column{IRI, Label},
	},
	{
		Name:  "regex-i",
		Query: `SELECT ?x ?l { ?x rdfs:label ?l FILTER(REGEX(?l, "^the .*castle", "i")) }`,
		SQL: `SELECT x.value, t.kind, t.value, t.lang FROM live l INDEXED BY live_pos CROSS JOIN terms t CROSS JOIN terms x
			WHERE l.p = {rdfs:label} AND l.g = 0 AND t.id = l.o AND t.value LIKE 'the %castle%' AND x.id = l.s`,
		Columns: []Column{IRI, Label},
	},
}

// libraryAlgebra combine patterns.
var libraryAlgebra = []Shape{
	{
		Name:  "optional",
		Query: `SELECT ?p ?name ?mail { ?p ex:worksFor org:0 ; rdfs:label ?name OPTIONAL { ?p ex:email ?mail } }`,
		SQL: `SELECT tp.value, tn.value, tm.value FROM live a INDEXED BY live_pos CROSS JOIN live n NOT INDEXED CROSS JOIN terms tp CROSS JOIN terms tn
			LEFT JOIN live m NOT INDEXED ON m.s = a.s AND m.p = {ex:email} AND m.g = 0 LEFT JOIN terms tm ON tm.id = m.o
			WHERE a.p = {ex:worksFor} AND a.o = {org:0} AND a.g = 0 AND n.s = a.s AND n.p = {rdfs:label} AND n.g = 0 AND tp.id = a.s AND tn.id = n.o`,
		Cypher:  `MATCH (p:person)-[:ex_worksFor]->(:org {id: {org:0}}) RETURN p.id, p.label, p.email`,
		Columns: []Column{IRI, String, String},
	},
	{
		Name:  "union",
		Query: `SELECT ?x { { ?x ex:status "lost" } UNION { ?x ex:rating 1 } }`,
		SQL: `SELECT t.value FROM live l INDEXED BY live_pos CROSS JOIN terms t WHERE l.p = {ex:status} AND l.o = {"lost"} AND l.g = 0 AND t.id = l.s
			UNION ALL SELECT t.value FROM live l INDEXED BY live_pos CROSS JOIN terms t WHERE l.p = {ex:rating} AND l.o = {1} AND l.g = 0 AND t.id = l.s`,
		Cypher:  `MATCH (x:work) WHERE x.status = 'lost' RETURN x.id UNION ALL MATCH (x:review) WHERE x.rating = 1 RETURN x.id`,
		Columns: []Column{IRI},
	},
	{
		Name:  "minus",
		Query: `SELECT ?w { ?w ex:status "lent" MINUS { ?w ex:isbn ?i } }`,
		SQL: `SELECT t.value FROM live a INDEXED BY live_pos CROSS JOIN terms t WHERE a.p = {ex:status} AND a.o = {"lent"} AND a.g = 0
			AND NOT EXISTS (SELECT 1 FROM live b NOT INDEXED WHERE b.s = a.s AND b.p = {ex:isbn} AND b.g = 0) AND t.id = a.s`,
		Cypher:  `MATCH (w:work) WHERE w.status = 'lent' AND w.isbn IS NULL RETURN w.id`,
		Columns: []Column{IRI},
	},
	{
		Name:  "not-exists",
		Query: `SELECT (COUNT(*) AS ?n) { ?w ex:status "available" FILTER NOT EXISTS { ?c ex:cites ?w . ?c ex:status "lent" } }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos WHERE a.p = {ex:status} AND a.o = {"available"} AND a.g = 0
			AND a.s NOT IN (SELECT b.o FROM live c INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE c.p = {ex:status} AND c.o = {"lent"} AND c.g = 0 AND b.s = c.s AND b.p = {ex:cites} AND b.g = 0)`,
		Cypher:  `MATCH (w:work) WHERE w.status = 'available' AND NOT EXISTS { MATCH (c:work)-[:ex_cites]->(w) WHERE c.status = 'lent' } RETURN count(*)`,
		Columns: []Column{Number},
	},
	{
		Name:  "not-exists-star",
		Query: `SELECT ?w { ?w a ex:Work ; ex:status "available" ; ex:topic topic:0 FILTER NOT EXISTS { ?r ex:of ?w ; ex:by ?p . ?p ex:worksFor ?o } }`,
		SQL: `SELECT n.value FROM live t INDEXED BY live_pos CROSS JOIN live s NOT INDEXED CROSS JOIN live a NOT INDEXED CROSS JOIN terms n
			WHERE t.p = {ex:topic} AND t.o = {topic:0} AND t.g = 0 AND s.s = t.s AND s.p = {ex:status} AND s.o = {"available"} AND s.g = 0
			AND a.s = t.s AND a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0 AND n.id = t.s
			AND NOT EXISTS (SELECT 1 FROM live r INDEXED BY live_pos CROSS JOIN live b NOT INDEXED CROSS JOIN live o NOT INDEXED
			WHERE r.p = {ex:of} AND r.o = a.s AND r.g = 0 AND b.s = r.s AND b.p = {ex:by} AND b.g = 0 AND o.s = b.o AND o.p = {ex:worksFor} AND o.g = 0)`,
		Cypher:  `MATCH (w:work)-[:ex_topic]->(:topic {id: {topic:0}}) WHERE w.status = 'available' AND NOT EXISTS { MATCH (r:review)-[:ex_of]->(w), (r)-[:ex_by]->(:person)-[:ex_worksFor]->(:org) } RETURN w.id`,
		Columns: []Column{IRI},
	},
	{
		Name:  "not-exists-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?w a ex:Work FILTER NOT EXISTS { ?c ex:cites ?w } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Work} AND g = 0
			EXCEPT SELECT o FROM live INDEXED BY live_pos WHERE p = {ex:cites} AND g = 0 ORDER BY 1)`,
		Cypher:  `MATCH (w:work) WHERE NOT EXISTS { MATCH (:work)-[:ex_cites]->(w) } RETURN count(*)`,
		Columns: []Column{Number},
	},
	{
		Name: "subquery",
		Query: `SELECT ?p ?name ?n { { SELECT ?p (COUNT(*) AS ?n) { ?w ex:creator ?p } GROUP BY ?p ORDER BY DESC(?n) ?p LIMIT 10 }
			?p rdfs:label ?name }`,
		SQL: `SELECT x.value, tn.value, x.n FROM (SELECT g.o, t.value, g.n FROM
			(SELECT o, count(*) AS n FROM live INDEXED BY live_pos WHERE p = {ex:creator} AND g = 0 GROUP BY o) g CROSS JOIN terms t
			WHERE t.id = g.o ORDER BY g.n DESC, t.value LIMIT 10) x CROSS JOIN live l NOT INDEXED CROSS JOIN terms tn
			WHERE l.s = x.o AND l.p = {rdfs:label} AND l.g = 0 AND tn.id = l.o`,
		Cypher:  `MATCH (:work)-[:ex_creator]->(p:person) RETURN p.id, p.label, count(*) AS n ORDER BY n DESC, p.id LIMIT 10`,
		Columns: []Column{IRI, String, Number},
	},
}

// libraryGroups count and sum.
var libraryGroups = []Shape{
	{
		Name:  "group",
		Query: `SELECT ?p (COUNT(?w) AS ?n) { ?w ex:creator ?p } GROUP BY ?p HAVING(COUNT(?w) > 10)`,
		SQL: `SELECT t.value, x.n FROM (SELECT o, count(*) AS n FROM live INDEXED BY live_pos WHERE p = {ex:creator} AND g = 0 GROUP BY o HAVING count(*) > 10) x
			CROSS JOIN terms t WHERE t.id = x.o`,
		Cypher:  `MATCH (w:work)-[:ex_creator]->(p:person) WITH p, count(*) AS n WHERE n > 10 RETURN p.id, n`,
		Columns: []Column{IRI, Number},
	},
	{
		Name:  "group-sum",
		Query: `SELECT ?s (COUNT(*) AS ?n) (SUM(?pages) AS ?sum) (MAX(?pages) AS ?most) { ?w ex:status ?s ; ex:pages ?pages } GROUP BY ?s`,
		SQL: `SELECT t.value, x.n, x.sum, x.most FROM (SELECT a.o, count(*) AS n, sum(b.o - {0}) AS sum, max(b.o - {0}) AS most
			FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED WHERE a.p = {ex:status} AND a.g = 0 AND b.s = a.s AND b.p = {ex:pages} AND b.g = 0 GROUP BY a.o) x
			CROSS JOIN terms t WHERE t.id = x.o`,
		Cypher:  `MATCH (w:work) RETURN w.status, count(*), sum(w.pages), max(w.pages)`,
		Columns: []Column{String, Number, Number, Number},
	},
	{
		Name:  "group-avg",
		Query: `SELECT ?s (COUNT(?w) AS ?n) (FLOOR(AVG(?pages)) AS ?mean) { ?w a ex:Work ; ex:status ?s ; ex:pages ?pages } GROUP BY ?s`,
		SQL: `SELECT t.value, x.n, x.mean FROM (SELECT s.o, count(*) AS n, sum(p.o - {0}) / count(*) AS mean
			FROM live a INDEXED BY live_pos CROSS JOIN live s NOT INDEXED CROSS JOIN live p NOT INDEXED
			WHERE a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0 AND s.s = a.s AND s.p = {ex:status} AND s.g = 0 AND p.s = a.s AND p.p = {ex:pages} AND p.g = 0
			GROUP BY s.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Cypher:  `MATCH (w:work) RETURN w.status, count(*), CAST(floor(avg(w.pages)) AS INT64)`,
		Columns: []Column{String, Number, Whole},
	},
	{
		Name:  "distinct-count",
		Query: `SELECT (COUNT(DISTINCT ?t) AS ?n) { ?w ex:status "available" ; ex:topic ?t }`,
		SQL: `SELECT count(DISTINCT b.o) FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:status} AND a.o = {"available"} AND a.g = 0 AND b.s = a.s AND b.p = {ex:topic} AND b.g = 0`,
		Cypher:  `MATCH (w:work)-[:ex_topic]->(t:topic) WHERE w.status = 'available' RETURN count(DISTINCT t.id)`,
		Columns: []Column{Number},
	},
	{
		Name:  "distinct-counts",
		Query: `SELECT (COUNT(DISTINCT ?p) AS ?authors) (COUNT(DISTINCT ?t) AS ?topics) { ?w a ex:Work ; ex:status "lent" ; ex:creator ?p ; ex:topic ?t }`,
		SQL: `SELECT count(DISTINCT c.o), count(DISTINCT t.o) FROM live s INDEXED BY live_pos CROSS JOIN live a NOT INDEXED CROSS JOIN live t NOT INDEXED CROSS JOIN live c NOT INDEXED
			WHERE s.p = {ex:status} AND s.o = {"lent"} AND s.g = 0 AND a.s = s.s AND a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0
			AND t.s = s.s AND t.p = {ex:topic} AND t.g = 0 AND c.s = s.s AND c.p = {ex:creator} AND c.g = 0`,
		Cypher:  `MATCH (p:person)<-[:ex_creator]-(w:work)-[:ex_topic]->(t:topic) WHERE w.status = 'lent' RETURN count(DISTINCT p.id), count(DISTINCT t.id)`,
		Columns: []Column{Number, Number},
	},
	{
		Name:  "distinct",
		Query: `SELECT DISTINCT ?t ?s { ?w ex:topic ?t ; ex:status ?s }`,
		SQL: `SELECT t.value, s.value FROM (SELECT DISTINCT a.o AS t, b.o AS s FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:topic} AND a.g = 0 AND b.s = a.s AND b.p = {ex:status} AND b.g = 0) x CROSS JOIN terms t CROSS JOIN terms s WHERE t.id = x.t AND s.id = x.s`,
		Cypher:  `MATCH (w:work)-[:ex_topic]->(t:topic) RETURN DISTINCT t.id, w.status`,
		Columns: []Column{IRI, String},
	},
}

// libraryOrders sort.
var libraryOrders = []Shape{
	{
		Name:  "top",
		Query: `SELECT ?r ?at { ?r ex:at ?at } ORDER BY DESC(?at) LIMIT 20`,
		SQL: `SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t
			WHERE l.p = {ex:at} AND l.g = 0 AND t.id = l.s ORDER BY l.o DESC LIMIT 20`,
		Cypher:  `MATCH (r:review) WHERE r.at IS NOT NULL RETURN r.id, r.at AS moment ORDER BY moment DESC LIMIT 20`,
		Columns: []Column{IRI, Moment},
		Ordered: true,
	},
	{
		Name:  "top-join",
		Query: `SELECT ?w ?n ?d { ?w ex:status "lent" ; ex:pages ?n ; ex:published ?d } ORDER BY DESC(?n) ?w LIMIT 20`,
		SQL: `SELECT t.value, n.o, d.o FROM live n INDEXED BY live_pos CROSS JOIN live s NOT INDEXED CROSS JOIN live d NOT INDEXED CROSS JOIN terms t
			WHERE n.p = {ex:pages} AND n.g = 0 AND s.s = n.s AND s.p = {ex:status} AND s.o = {"lent"} AND s.g = 0
			AND d.s = n.s AND d.p = {ex:published} AND d.g = 0 AND t.id = n.s ORDER BY n.o DESC, t.value LIMIT 20`,
		Cypher:  `MATCH (w:work) WHERE w.status = 'lent' RETURN w.id AS id, w.pages AS n, w.published ORDER BY n DESC, id LIMIT 20`,
		Columns: []Column{IRI, Integer, Date},
		Ordered: true,
	},
	{
		Name:  "top-text",
		Query: `SELECT ?p ?name { ?p a ex:Person ; rdfs:label ?name } ORDER BY ?name ?p LIMIT 20`,
		SQL: `SELECT tp.value, tn.value FROM live a INDEXED BY live_pos CROSS JOIN live n NOT INDEXED CROSS JOIN terms tn CROSS JOIN terms tp
			WHERE a.p = {rdf:type} AND a.o = {ex:Person} AND a.g = 0 AND n.s = a.s AND n.p = {rdfs:label} AND n.g = 0 AND tn.id = n.o AND tp.id = a.s
			ORDER BY tn.value, tp.value LIMIT 20`,
		Cypher:  `MATCH (p:person) RETURN p.id AS id, p.label AS name ORDER BY name, id LIMIT 20`,
		Columns: []Column{IRI, String},
		Ordered: true,
	},
	{
		Name:  "page",
		Query: `SELECT ?w ?d { ?w ex:published ?d } ORDER BY ?d ?w LIMIT 20 OFFSET 300`,
		SQL: `SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t
			WHERE l.p = {ex:published} AND l.g = 0 AND t.id = l.s ORDER BY l.o, t.value LIMIT 20 OFFSET 300`,
		Cypher:  `MATCH (w:work) RETURN w.id AS id, w.published AS d ORDER BY d, id SKIP 300 LIMIT 20`,
		Columns: []Column{IRI, Date},
		Ordered: true,
	},
	{
		Name:  "page-deep",
		Query: `SELECT ?r ?at { ?r ex:at ?at } ORDER BY ?at LIMIT 20 OFFSET 20000`,
		SQL: `SELECT t.value, x.o FROM (SELECT s, o FROM live INDEXED BY live_pos WHERE p = {ex:at} AND g = 0 ORDER BY o LIMIT 20 OFFSET 20000) x
			CROSS JOIN terms t WHERE t.id = x.s`,
		Cypher:  `MATCH (r:review) WHERE r.at IS NOT NULL RETURN r.id, r.at AS moment ORDER BY moment SKIP 20000 LIMIT 20`,
		Columns: []Column{IRI, Moment},
		Ordered: true,
	},
}

// libraryPaths walk.
var libraryPaths = []Shape{
	{
		Name:  "plus",
		Query: `SELECT ?t { ?t ex:broader+ topic:0 }`,
		SQL: `WITH RECURSIVE r(x) AS (SELECT s FROM live INDEXED BY live_pos WHERE p = {ex:broader} AND o = {topic:0} AND g = 0
			UNION SELECT l.s FROM r CROSS JOIN live l INDEXED BY live_pos WHERE l.p = {ex:broader} AND l.o = r.x AND l.g = 0)
			SELECT t.value FROM r CROSS JOIN terms t WHERE t.id = r.x`,
		Cypher:  `MATCH (t:topic)-[:ex_broader*SHORTEST 1..1000]->(:topic {id: {topic:0}}) RETURN t.id`,
		Columns: []Column{IRI},
	},
	{
		Name:  "star-path",
		Query: `SELECT ?w ?t { ?t ex:broader* topic:1 . ?w ex:topic ?t }`,
		SQL: `WITH RECURSIVE r(x) AS (VALUES({topic:1})
			UNION SELECT l.s FROM r CROSS JOIN live l INDEXED BY live_pos WHERE l.p = {ex:broader} AND l.o = r.x AND l.g = 0)
			SELECT tw.value, tt.value FROM r CROSS JOIN live w INDEXED BY live_pos CROSS JOIN terms tt CROSS JOIN terms tw
			WHERE w.p = {ex:topic} AND w.o = r.x AND w.g = 0 AND tt.id = r.x AND tw.id = w.s`,
		Cypher:  `MATCH (w:work)-[:ex_topic]->(t:topic {id: {topic:1}}) RETURN w.id, t.id UNION ALL MATCH (w:work)-[:ex_topic]->(t:topic)-[:ex_broader*SHORTEST 1..1000]->(:topic {id: {topic:1}}) RETURN w.id, t.id`,
		Columns: []Column{IRI, IRI},
	},
	{
		Name:  "reach",
		Query: `SELECT ?x { work:0 ex:related+ ?x }`,
		SQL: `WITH RECURSIVE r(x) AS (SELECT o FROM live NOT INDEXED WHERE s = {work:0} AND p = {ex:related} AND g = 0
			UNION SELECT l.o FROM r CROSS JOIN live l NOT INDEXED WHERE l.s = r.x AND l.p = {ex:related} AND l.g = 0)
			SELECT t.value FROM r CROSS JOIN terms t WHERE t.id = r.x`,
		Columns: []Column{IRI},
	},
}

// libraryScans look at all rows of a type or of a property.
var libraryScans = []Shape{
	{
		Name:  "number-labels",
		Query: `SELECT ?w ?title ?n { ?w ex:pages ?n ; rdfs:label ?title FILTER(?n >= 300 && ?n < 400) }`,
		SQL: `SELECT tw.value, tt.value, tt.lang, n.o FROM live n INDEXED BY live_pos CROSS JOIN live t NOT INDEXED CROSS JOIN terms tw CROSS JOIN terms tt
			WHERE n.p = {ex:pages} AND n.o >= {300} AND n.o < {400} AND n.g = 0 AND t.s = n.s AND t.p = {rdfs:label} AND t.g = 0 AND tw.id = n.s AND tt.id = t.o`,
		Columns: []Column{IRI, Tagged, Integer},
	},
	{
		Name:  "word-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?w a ex:Work ; rdfs:label ?l FILTER(CONTAINS(LCASE(STR(?l)), "river")) }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos CROSS JOIN live l NOT INDEXED CROSS JOIN terms t
			WHERE a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0 AND l.s = a.s AND l.p = {rdfs:label} AND l.g = 0 AND t.id = l.o AND t.value LIKE '%river%'`,
		Columns: []Column{Number},
	},
	{
		Name:  "group-bounds",
		Query: `SELECT ?t (MIN(?n) AS ?least) (MAX(?n) AS ?most) { ?w a ex:Work ; ex:topic ?t ; ex:pages ?n } GROUP BY ?t`,
		SQL: `SELECT n.value, x.least, x.most FROM (SELECT t.o, min(p.o) AS least, max(p.o) AS most
			FROM live a INDEXED BY live_pos CROSS JOIN live t NOT INDEXED CROSS JOIN live p NOT INDEXED
			WHERE a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0 AND t.s = a.s AND t.p = {ex:topic} AND t.g = 0 AND p.s = a.s AND p.p = {ex:pages} AND p.g = 0
			GROUP BY t.o) x CROSS JOIN terms n WHERE n.id = x.o`,
		Cypher:  `MATCH (w:work)-[:ex_topic]->(t:topic) RETURN t.id, min(w.pages), max(w.pages)`,
		Columns: []Column{IRI, Integer, Integer},
	},
	{
		Name:  "group-keys",
		Query: `SELECT ?t ?s (COUNT(*) AS ?n) { ?w ex:topic ?t ; ex:status ?s } GROUP BY ?t ?s`,
		SQL: `SELECT t.value, s.value, x.n FROM (SELECT a.o AS t, b.o AS s, count(*) AS n FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:topic} AND a.g = 0 AND b.s = a.s AND b.p = {ex:status} AND b.g = 0 GROUP BY a.o, b.o) x
			CROSS JOIN terms t CROSS JOIN terms s WHERE t.id = x.t AND s.id = x.s`,
		Cypher:  `MATCH (w:work)-[:ex_topic]->(t:topic) RETURN t.id, w.status, count(*)`,
		Columns: []Column{IRI, String, Number},
	},
	{
		Name:  "group-distinct",
		Query: `SELECT ?s (COUNT(DISTINCT ?p) AS ?n) { ?w ex:status ?s ; ex:creator ?p } GROUP BY ?s`,
		SQL: `SELECT t.value, x.n FROM (SELECT a.o, count(DISTINCT b.o) AS n FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:status} AND a.g = 0 AND b.s = a.s AND b.p = {ex:creator} AND b.g = 0 GROUP BY a.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Cypher:  `MATCH (w:work)-[:ex_creator]->(p:person) RETURN w.status, count(DISTINCT p.id)`,
		Columns: []Column{String, Number},
	},
	{
		Name:  "distinct-plain",
		Query: `SELECT DISTINCT ?p { ?w ex:creator ?p }`,
		SQL: `SELECT t.value FROM (SELECT DISTINCT o FROM live INDEXED BY live_pos WHERE p = {ex:creator} AND g = 0) x
			CROSS JOIN terms t WHERE t.id = x.o`,
		Cypher:  `MATCH (:work)-[:ex_creator]->(p:person) RETURN DISTINCT p.id`,
		Columns: []Column{IRI},
	},
	{
		Name:  "minus-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?w a ex:Work MINUS { ?w ex:isbn ?i } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Work} AND g = 0
			EXCEPT SELECT s FROM live INDEXED BY live_pos WHERE p = {ex:isbn} AND g = 0 ORDER BY 1)`,
		Cypher:  `MATCH (w:work) WHERE w.isbn IS NULL RETURN count(*)`,
		Columns: []Column{Number},
	},
	{
		Name:  "exists-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?p a ex:Person FILTER EXISTS { ?w ex:creator ?p } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Person} AND g = 0
			INTERSECT SELECT o FROM live INDEXED BY live_pos WHERE p = {ex:creator} AND g = 0 ORDER BY 1)`,
		Cypher:  `MATCH (p:person) WHERE EXISTS { MATCH (:work)-[:ex_creator]->(p) } RETURN count(*)`,
		Columns: []Column{Number},
	},
	{
		Name:  "reach-back",
		Query: `SELECT (COUNT(*) AS ?n) { ?x ex:related+ work:0 }`,
		SQL: `WITH RECURSIVE r(x) AS (SELECT s FROM live INDEXED BY live_pos WHERE p = {ex:related} AND o = {work:0} AND g = 0
			UNION SELECT l.s FROM r CROSS JOIN live l INDEXED BY live_pos WHERE l.p = {ex:related} AND l.o = r.x AND l.g = 0)
			SELECT count(*) FROM r`,
		Columns: []Column{Number},
	},
}
