package querykit

// papersShapes are the queries of SP²Bench under its names, and five that group, count and negate, which SPARQL 1.0
// could not.
var papersShapes = []Shape{
	{Name: "q1", Query: `SELECT ?yr { ?journal a ex:Journal ; dc:title "Journal 1 (1940)" ; dcterms:issued ?yr }`},
	{
		Name: "q2",
		Query: `SELECT ?d ?author ?booktitle ?title ?proc ?ee ?pages ?url ?yr ?abstract {
			?d a ex:Inproceedings ; dc:creator ?author ; ex:booktitle ?booktitle ; dc:title ?title ; dcterms:partOf ?proc ;
				rdfs:seeAlso ?ee ; swrc:pages ?pages ; foaf:homepage ?url ; dcterms:issued ?yr
			OPTIONAL { ?d ex:abstract ?abstract } } ORDER BY ?yr`,
	},
	{Name: "q3a", Query: `SELECT ?d { ?d a ex:Article ; ?p ?value FILTER(?p = swrc:pages) }`},
	{Name: "q3b", Query: `SELECT ?d { ?d a ex:Article ; ?p ?value FILTER(?p = swrc:month) }`},
	{Name: "q3c", Query: `SELECT ?d { ?d a ex:Article ; ?p ?value FILTER(?p = swrc:isbn) }`},
	{
		Name: "q4",
		Query: `SELECT DISTINCT ?name1 ?name2 {
			?d1 a ex:Article ; dc:creator ?p1 ; swrc:journal ?journal . ?p1 foaf:name ?name1 .
			?d2 swrc:journal ?journal ; a ex:Article ; dc:creator ?p2 . ?p2 foaf:name ?name2 FILTER(?name1 < ?name2) }`,
	},
	{Name: "q5a", Query: `SELECT DISTINCT ?p ?name { ` + bothByName + ` }`},
	{
		Name:  "q5b",
		Query: `SELECT DISTINCT ?p ?name { ?d1 a ex:Article ; dc:creator ?p . ?d2 dc:creator ?p ; a ex:Inproceedings . ?p foaf:name ?name }`,
	},
	{
		Name: "q6",
		Query: `SELECT ?yr ?name ?d {
			?class rdfs:subClassOf foaf:Document . ?d a ?class ; dcterms:issued ?yr ; dc:creator ?p . ?p foaf:name ?name
			OPTIONAL { ?class2 rdfs:subClassOf foaf:Document . ?d2 a ?class2 ; dcterms:issued ?yr2 ; dc:creator ?p2 FILTER(?p = ?p2 && ?yr2 < ?yr) }
			FILTER(!BOUND(?p2)) }`,
	},
	{
		Name: "q7",
		Query: `SELECT DISTINCT ?title {
			?class rdfs:subClassOf foaf:Document . ?d a ?class ; dc:title ?title . ?bag ?in ?d . ?by dcterms:references ?bag
			OPTIONAL {
				?class3 rdfs:subClassOf foaf:Document . ?d3 a ?class3 ; dcterms:references ?bag3 . ?bag3 ?in3 ?d
				OPTIONAL {
					?class4 rdfs:subClassOf foaf:Document . ?d4 a ?class4 ; dcterms:references ?bag4 . ?bag4 ?in4 ?d3
				}
				FILTER(!BOUND(?d4))
			}
			FILTER(!BOUND(?d3)) }`,
	},
	{Name: "q8", Query: `SELECT DISTINCT ?name { ` + nearErdos + ` }`},
	{Name: "q9", Query: `SELECT DISTINCT ?p { ?person a foaf:Person . { ?s ?p ?person } UNION { ?person ?p ?o } }`},
	{Name: "q10", Query: `SELECT ?s ?p { ?s ?p person:Paul_Erdoes }`},
	{Name: "q11", Query: `SELECT ?ee { ?d rdfs:seeAlso ?ee } ORDER BY ?ee LIMIT 10 OFFSET 50`, Ordered: true},
	{Name: "q12a", Query: `ASK { ` + bothByName + ` }`},
	{Name: "q12b", Query: `ASK { ` + nearErdos + ` }`},
	{Name: "q12c", Query: `ASK { person:John_Q_Public a foaf:Person }`},
	{
		Name:  "by-class",
		Query: `SELECT ?class (COUNT(?d) AS ?n) { ?class rdfs:subClassOf foaf:Document . ?d a ?class } GROUP BY ?class`,
	},
	{
		Name:  "by-year",
		Query: `SELECT ?yr ?class (COUNT(*) AS ?n) (COUNT(DISTINCT ?p) AS ?people) { ?d a ?class ; dcterms:issued ?yr ; dc:creator ?p } GROUP BY ?yr ?class`,
	},
	{
		Name:    "prolific",
		Query:   `SELECT ?name (COUNT(?d) AS ?n) { ?d dc:creator ?p . ?p foaf:name ?name } GROUP BY ?name ORDER BY DESC(?n) ?name LIMIT 20`,
		Ordered: true,
	},
	{Name: "co-authors", Query: `SELECT (COUNT(*) AS ?n) { ?d dc:creator ?p , ?q FILTER(?p != ?q) }`},
	{Name: "uncited", Query: `SELECT (COUNT(*) AS ?n) { ?d a ex:Article FILTER NOT EXISTS { ?bag ?in ?d ; a rdf:Bag } }`},
}

// bothByName finds who wrote an article and something in proceedings, joined by names.
const bothByName = `?d1 a ex:Article ; dc:creator ?p . ?p foaf:name ?name .
	?d2 a ex:Inproceedings ; dc:creator ?p2 . ?p2 foaf:name ?name2 FILTER(?name = ?name2)`

// nearErdos finds who wrote with Erdős, or with one of his co-authors.
const nearErdos = `?erdos a foaf:Person ; foaf:name "Paul Erdoes" .
	{
		?d dc:creator ?erdos , ?p . ?d2 dc:creator ?p , ?p2 . ?p2 foaf:name ?name
		FILTER(?p != ?erdos && ?d2 != ?d && ?p2 != ?erdos && ?p2 != ?p)
	} UNION {
		?d dc:creator ?erdos , ?p . ?p foaf:name ?name FILTER(?p != ?erdos)
	}`
