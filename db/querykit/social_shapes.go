package querykit

var socialShapes = []Shape{
	{
		Name:  "point",
		Query: `SELECT ?p ?o { post:17 ?p ?o }`,
		SQL: `SELECT p.value, l.o, o.kind, o.value, o.lang FROM live l NOT INDEXED CROSS JOIN terms p LEFT JOIN terms o ON o.id = l.o
			WHERE l.s = {post:17} AND l.g = 0 AND p.id = l.p`,
		Columns: []Column{IRI, Any},
	},
	{
		Name:  "star-values",
		Query: `SELECT ?p ?e ?l { ?p ex:livesIn city:3 ; ex:email ?e ; ex:speaks ?l }`,
		SQL: `SELECT tp.value, te.value, tl.value FROM live c INDEXED BY live_pos CROSS JOIN live e NOT INDEXED CROSS JOIN live l NOT INDEXED
			CROSS JOIN terms tp CROSS JOIN terms te CROSS JOIN terms tl
			WHERE c.p = {ex:livesIn} AND c.o = {city:3} AND c.g = 0 AND e.s = c.s AND e.p = {ex:email} AND e.g = 0 AND l.s = c.s AND l.p = {ex:speaks} AND l.g = 0
			AND tp.id = c.s AND te.id = e.o AND tl.id = l.o`,
		Columns: []Column{IRI, String, String},
	},
	{
		Name:  "timeline",
		Query: `SELECT ?x ?at { person:3 ex:follows ?p . ?x ex:by ?p ; ex:at ?at } ORDER BY DESC(?at) LIMIT 20`,
		SQL: `SELECT t.value, y.o FROM (SELECT b.s, a.o FROM live f NOT INDEXED CROSS JOIN live b INDEXED BY live_pos CROSS JOIN live a NOT INDEXED
			WHERE f.s = {person:3} AND f.p = {ex:follows} AND f.g = 0 AND b.p = {ex:by} AND b.o = f.o AND b.g = 0 AND a.s = b.s AND a.p = {ex:at} AND a.g = 0
			ORDER BY a.o DESC LIMIT 20) y CROSS JOIN terms t WHERE t.id = y.s`,
		Columns: []Column{IRI, Moment},
		Ordered: true,
	},
	{
		Name:  "followed",
		Query: `SELECT DISTINCT ?c { person:3 ex:follows ?b . ?b ex:follows ?c }`,
		SQL: `SELECT t.value FROM (SELECT DISTINCT b.o FROM live a NOT INDEXED CROSS JOIN live b NOT INDEXED
			WHERE a.s = {person:3} AND a.p = {ex:follows} AND a.g = 0 AND b.s = a.o AND b.p = {ex:follows} AND b.g = 0) x CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI},
	},
	{
		Name:  "ends",
		Query: `SELECT (COUNT(*) AS ?n) { ?a ex:livesIn city:0 ; ex:follows ?b . ?b ex:follows ?c . ?c ex:livesIn city:1 }`,
		SQL: `SELECT count(*) FROM live c INDEXED BY live_pos CROSS JOIN live b INDEXED BY live_pos CROSS JOIN live a INDEXED BY live_pos CROSS JOIN live h NOT INDEXED
			WHERE c.p = {ex:livesIn} AND c.o = {city:1} AND c.g = 0 AND b.p = {ex:follows} AND b.o = c.s AND b.g = 0
			AND a.p = {ex:follows} AND a.o = b.s AND a.g = 0 AND h.s = a.s AND h.p = {ex:livesIn} AND h.o = {city:0} AND h.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "triangle",
		Query: `SELECT (COUNT(*) AS ?n) { person:1 ex:follows ?a . ?a ex:follows ?b . ?b ex:follows person:1 }`,
		SQL: `SELECT count(*) FROM live a NOT INDEXED CROSS JOIN live b NOT INDEXED CROSS JOIN live c NOT INDEXED
			WHERE a.s = {person:1} AND a.p = {ex:follows} AND a.g = 0 AND b.s = a.o AND b.p = {ex:follows} AND b.g = 0
			AND c.s = b.o AND c.p = {ex:follows} AND c.o = {person:1} AND c.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "hub-paths",
		Query: `SELECT (COUNT(*) AS ?n) { ?a ex:follows ?b . ?b ex:follows person:0 }`,
		SQL: `SELECT count(*) FROM live b INDEXED BY live_pos CROSS JOIN live a INDEXED BY live_pos
			WHERE b.p = {ex:follows} AND b.o = {person:0} AND b.g = 0 AND a.p = {ex:follows} AND a.o = b.s AND a.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "mutual",
		Query: `SELECT (COUNT(*) AS ?n) { ?a ex:follows ?b . ?b ex:follows ?a }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:follows} AND a.g = 0 AND b.s = a.o AND b.p = {ex:follows} AND b.o = a.s AND b.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "group-values",
		Query: `SELECT ?t (COUNT(*) AS ?n) { ?p a ex:Person ; ex:interest ?t ; ex:email ?e } GROUP BY ?t`,
		SQL: `SELECT t.value, x.n FROM (SELECT i.o, count(*) AS n FROM live a INDEXED BY live_pos CROSS JOIN live i NOT INDEXED CROSS JOIN live e NOT INDEXED
			WHERE a.p = {rdf:type} AND a.o = {ex:Person} AND a.g = 0 AND i.s = a.s AND i.p = {ex:interest} AND i.g = 0
			AND e.s = a.s AND e.p = {ex:email} AND e.g = 0 GROUP BY i.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI, Number},
	},
	{
		Name:  "group-keys",
		Query: `SELECT ?l ?t (COUNT(*) AS ?n) { ?p ex:speaks ?l ; ex:interest ?t } GROUP BY ?l ?t`,
		SQL: `SELECT l.value, t.value, x.n FROM (SELECT a.o AS l, b.o AS t, count(*) AS n FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:speaks} AND a.g = 0 AND b.s = a.s AND b.p = {ex:interest} AND b.g = 0 GROUP BY a.o, b.o) x
			CROSS JOIN terms l CROSS JOIN terms t WHERE l.id = x.l AND t.id = x.t`,
		Columns: []Column{String, IRI, Number},
	},
	{
		Name:  "group-sum",
		Query: `SELECT ?t (COUNT(*) AS ?n) (SUM(?len) AS ?sum) { ?x ex:tag ?t ; ex:length ?len } GROUP BY ?t`,
		SQL: `SELECT t.value, x.n, x.sum FROM (SELECT a.o, count(*) AS n, sum(b.o - {0}) AS sum FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:tag} AND a.g = 0 AND b.s = a.s AND b.p = {ex:length} AND b.g = 0 GROUP BY a.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI, Number, Number},
	},
	{
		Name:  "group-bounds",
		Query: `SELECT ?p (MIN(?at) AS ?first) (MAX(?at) AS ?last) { ?x ex:by ?p ; ex:at ?at } GROUP BY ?p`,
		SQL: `SELECT t.value, x.least, x.most FROM (SELECT a.o, min(b.o) AS least, max(b.o) AS most FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:by} AND a.g = 0 AND b.s = a.s AND b.p = {ex:at} AND b.g = 0 GROUP BY a.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI, Moment, Moment},
	},
	{
		Name:  "group-having",
		Query: `SELECT ?p (COUNT(?f) AS ?n) { ?f ex:follows ?p } GROUP BY ?p HAVING(COUNT(?f) > 20)`,
		SQL: `SELECT t.value, x.n FROM (SELECT o, count(*) AS n FROM live INDEXED BY live_pos WHERE p = {ex:follows} AND g = 0 GROUP BY o HAVING count(*) > 20) x
			CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI, Number},
	},
	{
		Name:  "group-optional",
		Query: `SELECT ?c (COUNT(?e) AS ?n) { ?p ex:livesIn ?c OPTIONAL { ?p ex:email ?e } } GROUP BY ?c`,
		SQL: `SELECT t.value, x.n FROM (SELECT a.o, count(e.o) AS n FROM live a INDEXED BY live_pos LEFT JOIN live e NOT INDEXED ON e.s = a.s AND e.p = {ex:email} AND e.g = 0
			WHERE a.p = {ex:livesIn} AND a.g = 0 GROUP BY a.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI, Number},
	},
	{
		Name:  "count-values",
		Query: `SELECT (COUNT(*) AS ?n) { ?p a ex:Person ; ex:email ?e ; ex:speaks ?l ; ex:interest ?t }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos CROSS JOIN live e NOT INDEXED CROSS JOIN live l NOT INDEXED CROSS JOIN live t NOT INDEXED
			WHERE a.p = {rdf:type} AND a.o = {ex:Person} AND a.g = 0 AND e.s = a.s AND e.p = {ex:email} AND e.g = 0
			AND l.s = a.s AND l.p = {ex:speaks} AND l.g = 0 AND t.s = a.s AND t.p = {ex:interest} AND t.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "distinct-counts",
		Query: `SELECT (COUNT(DISTINCT ?p) AS ?people) (COUNT(DISTINCT ?x) AS ?posts) { ?p ex:likes ?x . ?x ex:tag tag:0 }`,
		SQL: `SELECT count(DISTINCT l.s), count(DISTINCT l.o) FROM live t INDEXED BY live_pos CROSS JOIN live l INDEXED BY live_pos
			WHERE t.p = {ex:tag} AND t.o = {tag:0} AND t.g = 0 AND l.p = {ex:likes} AND l.o = t.s AND l.g = 0`,
		Columns: []Column{Number, Number},
	},
	{
		Name:  "distinct-subjects",
		Query: `SELECT DISTINCT ?p { ?p ex:likes ?x }`,
		SQL: `SELECT t.value FROM (SELECT DISTINCT s FROM live INDEXED BY live_pos WHERE p = {ex:likes} AND g = 0) x
			CROSS JOIN terms t WHERE t.id = x.s`,
		Columns: []Column{IRI},
	},
	{
		Name:  "not-exists-join",
		Query: `SELECT (COUNT(*) AS ?n) { ?p a ex:Person FILTER NOT EXISTS { ?p ex:likes ?x . ?x ex:by person:2 } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Person} AND g = 0
			EXCEPT SELECT l.s FROM live b INDEXED BY live_pos CROSS JOIN live l INDEXED BY live_pos
			WHERE b.p = {ex:by} AND b.o = {person:2} AND b.g = 0 AND l.p = {ex:likes} AND l.o = b.s AND l.g = 0)`,
		Columns: []Column{Number},
	},
	{
		Name:  "not-exists-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?x a ex:Post FILTER NOT EXISTS { ?p ex:likes ?x } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Post} AND g = 0
			EXCEPT SELECT o FROM live INDEXED BY live_pos WHERE p = {ex:likes} AND g = 0 ORDER BY 1)`,
		Columns: []Column{Number},
	},
	{
		Name:  "exists-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?p a ex:Person FILTER EXISTS { ?q ex:follows ?p ; ex:livesIn city:1 } }`,
		SQL: `SELECT count(DISTINCT f.o) FROM live c INDEXED BY live_pos CROSS JOIN live f NOT INDEXED
			WHERE c.p = {ex:livesIn} AND c.o = {city:1} AND c.g = 0 AND f.s = c.s AND f.p = {ex:follows} AND f.g = 0
			AND EXISTS (SELECT 1 FROM live a NOT INDEXED WHERE a.s = f.o AND a.p = {rdf:type} AND a.o = {ex:Person} AND a.g = 0)`,
		Columns: []Column{Number},
	},
	{
		Name:  "minus-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?p a ex:Person MINUS { ?p ex:email ?e } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Person} AND g = 0
			EXCEPT SELECT s FROM live INDEXED BY live_pos WHERE p = {ex:email} AND g = 0 ORDER BY 1)`,
		Columns: []Column{Number},
	},
	{
		Name:  "minus-pairs",
		Query: `SELECT (COUNT(*) AS ?n) { ?a ex:follows ?b MINUS { ?b ex:follows ?a } }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos WHERE a.p = {ex:follows} AND a.g = 0
			AND NOT EXISTS (SELECT 1 FROM live b NOT INDEXED WHERE b.s = a.o AND b.p = {ex:follows} AND b.o = a.s AND b.g = 0)`,
		Columns: []Column{Number},
	},
	{
		Name:  "number-texts",
		Query: `SELECT ?x ?c { ?x ex:length ?n ; ex:content ?c FILTER(?n >= 100 && ?n < 110) }`,
		SQL: `SELECT tx.value, tc.value, tc.lang FROM live n INDEXED BY live_pos CROSS JOIN live c NOT INDEXED CROSS JOIN terms tx CROSS JOIN terms tc
			WHERE n.p = {ex:length} AND n.o >= {100} AND n.o < {110} AND n.g = 0 AND c.s = n.s AND c.p = {ex:content} AND c.g = 0 AND tx.id = n.s AND tc.id = c.o`,
		Columns: []Column{IRI, Tagged},
	},
	{
		Name:  "word",
		Query: `SELECT (COUNT(*) AS ?n) { ?x ex:content ?c FILTER(CONTAINS(?c, "written")) }`,
		SQL: `SELECT count(*) FROM live l INDEXED BY live_pos CROSS JOIN terms t
			WHERE l.p = {ex:content} AND l.g = 0 AND t.id = l.o AND instr(t.value, 'written') > 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "lang",
		Query: `SELECT (COUNT(*) AS ?n) { ?x ex:tag ?t ; ex:content ?c FILTER(LANG(?c) = "es") }`,
		SQL: `SELECT count(*) FROM live c INDEXED BY live_pos CROSS JOIN terms t CROSS JOIN live g NOT INDEXED
			WHERE c.p = {ex:content} AND c.g = 0 AND t.id = c.o AND t.lang = 'es' AND g.s = c.s AND g.p = {ex:tag} AND g.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "places",
		Query: `SELECT ?c (COUNT(?p) AS ?n) { ?p ex:livesIn/ex:partOf+ ?c . ?c a ex:Continent } GROUP BY ?c`,
		SQL: `SELECT t.value, x.n FROM (SELECT d.o, count(*) AS n FROM live l INDEXED BY live_pos CROSS JOIN live c NOT INDEXED CROSS JOIN live d NOT INDEXED
			WHERE l.p = {ex:livesIn} AND l.g = 0 AND c.s = l.o AND c.p = {ex:partOf} AND c.g = 0 AND d.s = c.o AND d.p = {ex:partOf} AND d.g = 0 GROUP BY d.o) x
			CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI, Number},
	},
	{
		Name:  "thread",
		Query: `SELECT (COUNT(*) AS ?n) { ?x ex:replyOf+ post:0 ; ex:tag ?t }`,
		SQL: `WITH RECURSIVE r(x) AS (SELECT s FROM live INDEXED BY live_pos WHERE p = {ex:replyOf} AND o = {post:0} AND g = 0
			UNION SELECT l.s FROM r CROSS JOIN live l INDEXED BY live_pos WHERE l.p = {ex:replyOf} AND l.o = r.x AND l.g = 0)
			SELECT count(*) FROM r CROSS JOIN live t NOT INDEXED WHERE t.s = r.x AND t.p = {ex:tag} AND t.g = 0`,
		Columns: []Column{Number},
	},
	{
		Name:  "reach",
		Query: `SELECT (COUNT(*) AS ?n) { person:0 ex:follows+ ?x }`,
		SQL: `WITH RECURSIVE r(x) AS (SELECT o FROM live NOT INDEXED WHERE s = {person:0} AND p = {ex:follows} AND g = 0
			UNION SELECT l.o FROM r CROSS JOIN live l NOT INDEXED WHERE l.s = r.x AND l.p = {ex:follows} AND l.g = 0)
			SELECT count(*) FROM r`,
		Columns: []Column{Number},
	},
}
