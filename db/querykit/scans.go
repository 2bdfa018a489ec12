package querykit

// Scans are the names of the shapes that must look at many rows whatever the order of
// their joins. Targets for scans are geometric means over these.
var Scans = []string{
	"chain-ends", "number-labels", "group", "group-avg", "group-sum", "group-bounds", "group-keys", "group-distinct",
	"plus", "reach", "reach-back", "not-exists", "not-exists-star", "not-exists-type", "exists-type", "minus-type",
	"prefix", "contains", "word-type", "distinct", "distinct-plain", "distinct-count", "distinct-counts",
}

// scanShapes look at all rows of a type or of a property.
var scanShapes = []Shape{
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
		Columns: []Column{IRI, Integer, Integer},
	},
	{
		Name:  "group-keys",
		Query: `SELECT ?t ?s (COUNT(*) AS ?n) { ?w ex:topic ?t ; ex:status ?s } GROUP BY ?t ?s`,
		SQL: `SELECT t.value, s.value, x.n FROM (SELECT a.o AS t, b.o AS s, count(*) AS n FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:topic} AND a.g = 0 AND b.s = a.s AND b.p = {ex:status} AND b.g = 0 GROUP BY a.o, b.o) x
			CROSS JOIN terms t CROSS JOIN terms s WHERE t.id = x.t AND s.id = x.s`,
		Columns: []Column{IRI, String, Number},
	},
	{
		Name:  "group-distinct",
		Query: `SELECT ?s (COUNT(DISTINCT ?p) AS ?n) { ?w ex:status ?s ; ex:creator ?p } GROUP BY ?s`,
		SQL: `SELECT t.value, x.n FROM (SELECT a.o, count(DISTINCT b.o) AS n FROM live a INDEXED BY live_pos CROSS JOIN live b NOT INDEXED
			WHERE a.p = {ex:status} AND a.g = 0 AND b.s = a.s AND b.p = {ex:creator} AND b.g = 0 GROUP BY a.o) x CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{String, Number},
	},
	{
		Name:  "distinct-plain",
		Query: `SELECT DISTINCT ?p { ?w ex:creator ?p }`,
		SQL: `SELECT t.value FROM (SELECT DISTINCT o FROM live INDEXED BY live_pos WHERE p = {ex:creator} AND g = 0) x
			CROSS JOIN terms t WHERE t.id = x.o`,
		Columns: []Column{IRI},
	},
	{
		Name:  "minus-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?w a ex:Work MINUS { ?w ex:isbn ?i } }`,
		SQL: `SELECT count(*) FROM live a INDEXED BY live_pos WHERE a.p = {rdf:type} AND a.o = {ex:Work} AND a.g = 0
			AND a.s NOT IN (SELECT s FROM live INDEXED BY live_pos WHERE p = {ex:isbn} AND g = 0)`,
		Columns: []Column{Number},
	},
	{
		Name:  "exists-type",
		Query: `SELECT (COUNT(*) AS ?n) { ?p a ex:Person FILTER EXISTS { ?w ex:creator ?p } }`,
		SQL: `SELECT count(*) FROM (SELECT s FROM live INDEXED BY live_pos WHERE p = {rdf:type} AND o = {ex:Person} AND g = 0
			INTERSECT SELECT o FROM live INDEXED BY live_pos WHERE p = {ex:creator} AND g = 0 ORDER BY 1)`,
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
