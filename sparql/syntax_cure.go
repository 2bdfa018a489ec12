package sparql

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// cure is advice for a syntax error that people and models often make. It applies when before matches the text that
// precedes the error, and behind the text that follows it.
type cure struct {
	before, behind string // regular expressions, "" for anything
	// say is the advice; $1, $2 and so on are the groups of before and then of behind.
	say string
}

// begin matches a text in which only a prologue precedes the error. unvar matches a bare word where a variable, a
// string or a prefixed name was meant.
const (
	begin = `(?is)^(?:\s*(?:PREFIX\s+\S*\s*<[^>]*>|BASE\s*<[^>]*>))*\s*$`
	unvar = `^([A-Za-z_]\w*)(?:[^\w:/(]|$)`
)

// later is the advice for syntax of SPARQL 1.2.
const later = `triples as terms, annotations, reifiers, base directions and VERSION are of RDF 1.2, which is not read yet`

// nameAhead and nameBehind match the two sides of the slash in a node's name, such as Person/ana.
const (
	nameAhead  = `([A-Za-z][\w-]*)?:([\w-]+)`
	nameBehind = `([\pL\pN_%](?:[^\s{}()<>"'^|;,]*[^\s{}()<>"'^|;,.])?)`
)

// ahead matches a text behind which a property is due.
const ahead = `(?:[{.]\s*(?:[?$]\w+|<[^>]*>|[\w-]*:[\w\\/-]+)\s+|;\s*)$`

// cures are tried in order; the first that matches is shown.
var cures = []cure{
	// Names of nodes as answers show them.
	{nameAhead + `$`, `^/` + nameBehind, `a node is written $1:$2\/$3, or as its whole IRI in < >, or is a parameter: {"iri":"$2/$3"}`},
	{nameAhead + `/$`, `^` + nameBehind, `a node is written $1:$2\/$3, or as its whole IRI in < >, or is a parameter: {"iri":"$2/$3"}`},
	{`[\s(,]([A-Z]\w*)$`, `^/` + nameBehind, `a node is written :$1\/$2, or as its whole IRI in < >, or is a parameter: {"iri":"$1/$2"}`},
	{`[\s(,{]$`, `^([A-Z]\w*)/` + nameBehind, `a node is written :$1\/$2, or as its whole IRI in < >, or is a parameter: {"iri":"$1/$2"}`},

	// SPARQL 1.2.
	{``, `^<<|^\{\||^~\s*[^\s"'/*]`, later},
	{`<$`, `^<`, later},
	{`\{$`, `^\|`, later},
	{`@[A-Za-z][\w-]*$`, `^-{0,2}(?i:ltr|rtl)\b`, later},
	{``, `(?i)^(?:(?:is)?TRIPLE|SUBJECT|PREDICATE|OBJECT|LANGDIR|hasLANG|hasLANGDIR|STRLANGDIR)\s*\(`, later},
	{begin, `(?i)^VERSION\s*["']`, later},

	// Markup around a query.
	{"", "^```", "the text stands alone: leave the lines of ``` out"},
	{``, `^%[0-9A-Fa-f]{2}`, `the text is encoded for an address: decode it`},
	{``, `^&(?:lt|gt|amp|quot|apos|#\d+);`, `the text is encoded for HTML: < > & " stand as they are`},
	{``, `^\\["'nrt]`, `the text is escaped twice: quotation marks and ends of lines stand as they are`},
	{`^\s*$`, `(?i)^["'](?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE|PREFIX|BASE)\b`, `the text stands without quotation marks around it`},
	{`^\s*$`, `^\{\s*"`, `the text of the query stands alone, without JSON around it`},
	{`^\s*$`, `(?i)^(?:sparql|query)\b\s*:?\s*(?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE|PREFIX|BASE)\b`, `the text begins with its form, such as SELECT`},
	{begin, `(?i)^(?:EXPLAIN|PROFILE)\b`, `how a query is run is asked beside its text, by the argument explain`},
	{begin, `(?i)^@(PREFIX|BASE)\b`, `in SPARQL it is $1 without @ before it and a full stop behind it`},
	{`(?i)(?:PREFIX\s+\S*|BASE)\s*<[^>]*>\s*$`, `^[.;,]`, `nothing stands behind the IRI of PREFIX and BASE`},
	{`(?i)\bPREFIX\s+$`, `^(\w[\w-]*)\s*=?\s*(<[^>]*>)`, `write PREFIX $1: $2`},
	{`(?i)\bPREFIX\s+(\S*:)\s*$`, `^["']?([A-Za-z]+:[^\s"'<>]+)`, `write PREFIX $1 <$2>`},
	{`\}[^{}]*$`, `^[;.]\s*$`, `leave it out: nothing stands behind the last operation or query`},
	{`(?is)\b(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b.*\}[^{}]*$`, `^;\s*\S`, `a text has one query: ask the next one by itself`},
	{`\}[^{}]*$`, `^\.\s*\S`, `operations have a ; between them`},
	{`\}\s*$`, `^\}`, `there is a } more than there are {`},
	{`\}\s*$`, `^\)`, `there is a ) more than there are (`},

	// Other languages.
	{`^\s*$`, `(?i)^g\.add`, `this is Gremlin; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }, an update`},
	{`^\s*$`, `(?i)^(?:g|graph)\s*\.`, `this is Gremlin; in SPARQL g.V().hasLabel("Type").out("rel") is SELECT ?y { ?x a :Type ; :rel ?y }`},
	{`^\s*$`, `(?i)^mutation\b`, `this is GraphQL; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }, an update`},
	{`^\s*$`, `(?i)^(?:(?:query|subscription|fragment)\b|\{)`, `this is GraphQL; in SPARQL a query begins with its form: SELECT ?x { ?x a :Type ; :name ?name }`},
	{`^\s*$`, `(?i)^WITH\s+(?:RECURSIVE\s+)?\w+\s+AS\b`, `this is SQL; in SPARQL a query within another stands in braces: { SELECT … }`},
	{`^\s*$`, `(?i)^CALL\b`, `this is Cypher; in SPARQL the types that there are are SELECT DISTINCT ?type { ?x a ?type }`},
	{`^\s*$`, `(?i)^(?:DETACH\s+DELETE|REMOVE)\b`, `this is Cypher; in SPARQL it is DELETE WHERE { <IRI> ?p ?o }, an update`},
	{`^\s*$`, `(?i)^FOR\s+\w+\s+IN\b`, `this is AQL; in SPARQL FOR x IN type is SELECT ?x { ?x a :Type }`},
	{`^\s*$`, `(?i)^INSERT\s+INTO\s+\w+\s*(?:\(|VALUES)`, `this is SQL; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }, an update`},
	{`^\s*$`, `(?i)^DELETE\s+FROM\s+\w`, `this is SQL; in SPARQL it is DELETE WHERE { <IRI> ?p ?o }, an update`},
	{begin, `(?i)^COUNT\b`, `it is SELECT (COUNT(*) AS ?n) { ?x a :Type }`},
	{`\}\s*$`, `(?i)^RETURN\b`, `what is returned stands in SELECT: leave RETURN out`},
	{`^\s*$`, `(?i)^(?:SET\b|UPDATE\s.*\sSET\b)`, `this is SQL; in SPARQL it is DELETE { ?x :name ?old } INSERT { ?x :name "…" } WHERE { ?x :name ?old }, an update`},
	{`(?i)^\s*SELECT\s+(?:DISTINCT\s+)?$`, `(?i)^TOP\s+(\d+)`, `there is no TOP: LIMIT $1 at the end`},
	{``, `(?i)^FETCH\s+(?:FIRST|NEXT)\s+(\d+)`, `it is LIMIT $1`},
	{`(?i)\bSELECT\s+$`, `(?i)^UNIQUE\b`, `it is DISTINCT`},
	{`(?i)\bSELECT\s[^{]*\?[^{]*\bFROM\s+$`, `^([A-Za-z_]\w*)`, `FROM names a graph by its IRI; nodes of a type are a pattern: { ?x a :$1 }`},
	{`(?i)^\s*SELECT\s[^{?]*$`, `(?i)^FROM\s+(\w+)`, `this is SQL; in SPARQL it is SELECT ?x { ?x a :$1 } LIMIT 10`},
	{`(?is)^\s*SELECT\s[^{?]*\bFROM\s$`, `^([A-Za-z_]\w*)`, `this is SQL; in SPARQL it is SELECT ?x { ?x a :$1 } LIMIT 10`},
	{`(?i)^\s*SELECT\s+(?:DISTINCT\s+)?$`, `^[A-Za-z_]\w*(?:\.\w+)?\s*(?:,|(?i:FROM)\b)`, `this is SQL; in SPARQL it is SELECT ?x ?name { ?x a :Type ; :name ?name } LIMIT 10`},
	{`^\s*$`, `(?i)^(?:SHOW|USE|ALTER|UPDATE)\b`, `this is SQL; a query begins with SELECT ?x { ?x a :Type }, and statements are changed by INSERT { … } and DELETE { … } of an update`},
	{`(?i)^\s*INSERT\s+$`, `(?i)^INTO\s+\w+\s*(?:\(|VALUES)`, `this is SQL; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }`},
	{`(?i)^\s*DELETE\s+$`, `(?i)^FROM\s`, `this is SQL; in SPARQL it is DELETE WHERE { <IRI> ?p ?o }`},
	{`^\s*$`, `(?i)^(?:OPTIONAL\s+)?MATCH\b|^(?i:MERGE|UNWIND|RETURN)\b`, `this is Cypher; in SPARQL MATCH (n:Type)-[:rel]->(m) RETURN n is SELECT ?n { ?n a :Type ; :rel ?m }`},
	{`(?i)^\s*CREATE\s+$`, `^\(`, `this is Cypher; in SPARQL it is INSERT DATA { <IRI> a :Type ; :name "…" }, an update`},

	// Updates sent as queries, and queries sent as updates.
	{begin, `(?i)^(?:INSERT|DELETE|WITH|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY)\b`, `this is an update, which is run by mutate (in the SPARQL Protocol by POST, as update=), not by query`},
	{begin, `(?i)^(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b`, `this is a query, which is run by query (in the SPARQL Protocol as query=), not as an update`},

	{`(?is)\bINSERT\s*(\{[^{}?$]*\})\s*$`, `^$`, `without WHERE it is INSERT DATA $1`},
	{`(?is)\bDELETE\s*(\{[^{}?$]*\})\s*$`, `^$`, `without WHERE it is DELETE DATA $1`},
	{`(?is)\bDELETE\s*(\{[^{}]*\})\s*$`, `^$`, `what has variables is DELETE WHERE $1`},
	{`(?is)\bINSERT\s*\{[^{}]*\}\s*$`, `^$`, `what has variables needs a pattern for them: INSERT { … } WHERE { … }`},
	{`(?i)\bINSERT\s+DATA\s*\{[^}]*$`, `^[?$]`, `write a node, such as <IRI>, or take it from a pattern: INSERT { … } WHERE { … }`},
	{`(?i)\bDELETE\s+DATA\s*\{[^}]*$`, `^[?$]`, `what has variables is DELETE WHERE { … }`},
	{`(?i)\b(INSERT|DELETE)\s+$`, `^[:<?$]`, `statements stand in braces: $1 DATA { … }`},
	{`(?i)\bINSERT\s+$`, `(?i)^INTO\s+(?:GRAPH\s+)?(<[^>]*>)`, `statements of a graph are INSERT DATA { GRAPH $1 { … } }`},

	// Aggregates and expressions of SELECT.
	{`(?i)\bSELECT\s[^{]*$`, `(?i)^(?:LIMIT|OFFSET|ORDER|GROUP|HAVING)\b`, `the pattern stands before it, in braces: WHERE { ?s ?p ?o }`},
	{`(?i)\b(?:COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\([^{}]*$`, `(?i)^(?:COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\(`, `compute the inner one in a query within: { SELECT … }`},
	{`(?i)\bSELECT\s[^{]*$`, `(?i)^WITH\s*\{`, `a query within another stands in braces in the pattern: WHERE { { SELECT … } }`},
	{`(?i)\b(ORDER|GROUP)\s+$`, `^[?$(\w]`, `it is $1 BY`},
	{`(?i)\b(?:ORDER|GROUP)\s+BY\s[^{]*$`, `^["'](\w+)["']`, `a variable has a question mark and no quotes: ?$1`},
	{`(?i)\b(?:ORDER|GROUP)\s+BY\s[^{]*$`, `^\d`, `a key is a variable of SELECT, such as ?x, and not its number`},
	{`(?i)\b(?:ORDER|GROUP)\s+BY\s[^{]*?:(\w+)>?\s*$`, `(?i)^(?:LIMIT\b|OFFSET\b|$)`, `a key is a variable: write ?x :$1 ?$1 as a pattern, and ?$1 as the key`},
	{`(?i)\bORDER\s+BY\s[^{]*\b(COUNT|SUM|MIN|MAX|AVG)\s*$`, `(?i)^(?:[)?$]|LIMIT\b|$)`, `an aggregate takes its argument in brackets: DESC($1(?x))`},
	{`(?i)\bSELECT\s[^{(]*(?:\([^{]*\)\s*)?$`, `(?i)^(\w+\s*\((?:[^()]|\([^()]*\))*\))\s+AS\s+[?$]?(\w+)`, `an expression of SELECT needs brackets: ($1 AS ?$2)`},
	{`(?i)\bSELECT\s[^{(]*(?:\([^{]*\)\s*)?$`, `(?i)^((?:COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\((?:[^()]|\([^()]*\))*\))`, `an expression of SELECT needs brackets and a name: ($1 AS ?n)`},
	{`(?i)\bSELECT\s[^{]*\((COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\(((?:[^()]|\([^()]*\))*)\)\s*$`, `^\)`, `an expression of SELECT needs a name: ($1($2) AS ?n)`},
	{`(?i)\bSELECT\s+DISTINCT\s*\(\s*(\?\w+)\s*$`, `^\)`, `DISTINCT takes no brackets: SELECT DISTINCT $1`},
	{`(?i)\bSELECT\s+(?:DISTINCT\s+)?(?:[?$]\w+\s+)*$`, `^([A-Za-z]\w*\s*\((?:[^()]|\([^()]*\))*\))`, `an expression of SELECT needs brackets and a name: ($1 AS ?value)`},
	{`(?i)\bSELECT\s[^{]*\(\s*([?$]\w+)\s*$`, `^\)`, `a variable alone needs no brackets: $1`},
	{`(?i)\bSELECT\s[^{]*\(([^(){}]+?)\s*$`, `^\)`, `an expression of SELECT needs a name: ($1 AS ?value)`},
	{`(?i)\bSELECT\s[^{(]*?([?$]\w+)\s*$`, `^([-+*/])\s*([?$]?[\w.]+)`, `an expression of SELECT needs brackets and a name: ($1 $2 $3 AS ?value)`},
	{`(?i)\bSELECT\s[^{(]*?([?$]\w+)\s+$`, `(?i)^AS\s+[?$]?(\w+)`, `another name needs brackets: ($1 AS ?$2)`},
	{`(?i)\bSELECT\s+(?:DISTINCT\s+)?\*\s*$`, `^,?\s*[?$(]`, `* is all variables, and stands alone`},
	{`(?i)\bBIND\s*\(([^{}]*?)\s*$`, `^\)`, `BIND names a variable: BIND($1 AS ?value)`},
	{`(?i)\b(?:SELECT|BIND)\b[^{}]*\([^{}]*(?:[)"'>]|\d|[?$]\w+)\s+$`, `^([?$]\w+)\s*\)`, `before the name stands AS: AS $1`},
	{`(?i)\bAS\s+$`, `^["']?(\w+)`, `a variable has a question mark: ?$1`},
	{`(?i)\bCOUNT\s*\(\s*$`, `^\)`, `solutions are counted by COUNT(*)`},
	{`(?i)\bCOUNT\s*\([^()]*$`, `^,`, `COUNT takes one expression; different solutions are COUNT(DISTINCT *)`},
	{`(?i)\bGROUP_CONCAT\s*\(\s*((?:DISTINCT\s+)?[^(),;]+|[^(),;]*\([^()]*\)\s*)$`, `^,\s*("[^"]*"|'[^']*')`, `the separator is named: GROUP_CONCAT($1; SEPARATOR=$2)`},
	{`(?i)\bGROUP_CONCAT\s*\([^;]*;\s*(?:SEPARATOR\s*)?$`, `^("[^"]*"|'[^']*')`, `the separator is named: SEPARATOR=$1`},
	{`(?i)(COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*$`, `(?i)^(?:DISTINCT\s+)?(\?\w+)`, `an aggregate takes its argument in brackets: ($1($2) AS ?n)`},
	{`(?i)\bSELECT\s[^{]*(?:[?$]\w+|\))\s*$`, `^,`, `variables of SELECT have no comma between them`},
	{`(?i)\bGROUP\s+BY\s[^{]*(?:[?$]\w+|\))\s*$`, `^,`, `keys of GROUP BY have no comma between them`},
	{`(?i)\bORDER\s+BY\s[^{]*(?:[?$]\w+|\))\s*$`, `^,`, `keys of ORDER BY have no comma between them`},
	{`(?i)\bORDER\s+BY\s[^{]*([?$]\w+)\s+$`, `(?i)^(ASC|DESC)ENDING\b`, `the direction stands before its key: $2($1)`},
	{`(?i)\bORDER\s+BY\s[^{]*([?$]\w+)\)?\s+$`, `(?i)^NULLS\b`, `what has no value comes first; (!BOUND($1)) as a key before it has it last`},
	{`(?i)\bORDER\s+BY\s[^{]*$`, `(?i)^(\w+)\s+(ASC|DESC)(?:ENDING)?\b`, `a variable has a question mark, and the direction stands before it: $2(?$1)`},
	{`(?i)\bORDER\s+BY\s[^{]*(\?\w+)\s+(DESC|ASC)\s*$`, `^(?:[^(?\s]|$)`, `the direction stands before its key: $2($1)`},
	{`(?i)\b(?:ASC|DESC)\s+$`, `^(\?\w+)`, `the key of a direction stands in brackets: DESC($1)`},
	{`(?i)\b(HAVING|FILTER)\s+(\w+\s*\((?:[^()]|\([^()]*\))*\))\s*$`, `^([<>=!]+\s*[^\s{}]+)`, `the condition stands in brackets: $1($2 $3)`},
	{`(?i)\bHAVING\s+$`, `^(\S+\s*[<>=!]+\s*\S+)`, `a condition of HAVING stands in brackets: HAVING ($1)`},
	{`(?i)\bFILTER\s+$`, `^(\?\w+\s*(?:[<>=!]+\s*\S+)?)`, `a condition stands in brackets: FILTER($1)`},
	{`(?i)\bBIND\s+$`, `(?i)^(\?\w+)\s+AS\s+(\?\w+)`, `BIND stands in brackets: BIND($1 AS $2)`},
	{`(?i)\b(?:LIMIT|OFFSET)\s+\d+\s*$`, `(?i)^(?:ORDER|GROUP|HAVING)\b`, `LIMIT comes last: GROUP BY … HAVING … ORDER BY … LIMIT`},
	{`(?s)\{[^}]*$`, `(?i)^(?:LIMIT|OFFSET|ORDER|GROUP|HAVING)\b`, `LIMIT, OFFSET, ORDER BY, GROUP BY and HAVING stand behind the last }`},
	{`(?i)\bLIMIT\s+\d+\s*$`, `^,\s*(\d+)`, `LIMIT takes one number; what is left out before it is OFFSET`},
	{`(?i)\bWHERE\s*$`, `^(?:\?\w+|:\w+|\w+|[(\[])`, `the pattern stands in braces: WHERE { ?x a :Type }`},
	{`\}\s*$`, `(?i)^WHERE\b`, `one WHERE { … } has all patterns`},
	{`\}\s*$`, `(?i)^UNION\b`, `UNION stands inside the braces: WHERE { { … } UNION { … } }`},
	{`\}\s*$`, `(?i)^(OPTIONAL|MINUS|FILTER|BIND|GRAPH|SERVICE)\b`, `$1 stands inside the braces, before the last }`},
	{`[^\s{}]\s*$`, `(?i)^UNION\b`, `both sides of UNION stand in braces: { … } UNION { … }`},
	{`(?i)\bASK\s*$`, `^[?$<:\w]`, `the pattern stands in braces: ASK { ?x a :Type }`},
	{``, `(?i)^SORT\s+BY\b`, `it is ORDER BY`},
	{`(?i)\b(OPTIONAL|MINUS|UNION|EXISTS)\s*$`, `^[?$<:(\w]`, `$1 takes a pattern in braces: $1 { ?x :property ?y }`},
	{`(?i)\bVALUES\s+([?$]\w+)\s*$`, `^[(\[]`, `values stand in braces: VALUES $1 { 1 2 }`},
	{`(?i)\bVALUES\s+[?$]\w+\s*,?\s*$`, `^,?\s*[?$]\w+`, `several variables stand in brackets: VALUES (?x ?y) { (1 2) }`},
	{`(?i)\bVALUES\b[^}]*$`, `^,`, `values have no comma between them`},

	// Operators.
	{`=\s*$`, `^=`, `equality is one =`},
	{`<\s*$`, `^>`, `inequality is !=`},
	{``, `^<>`, `inequality is !=`},
	{`=\s*$`, `^>`, `at least is >=`},
	{`=\s*$`, `^<`, `at most is <=`},
	{``, `^≥`, `at least is >=`},
	{``, `^≤`, `at most is <=`},
	{``, `^≠`, `inequality is !=`},
	{``, `^[∧&]`, `and is &&`},
	{``, `^[∨|]`, `or is ||`},
	{``, `^¬`, `not is !`},
	{``, `^[–—−]`, `minus is -`},
	{`(?i)\bIN\s*$`, `^[\[{]\s*([^\]}]*?)\s*[\]}]`, `a list stands in brackets: IN ($1)`},
	{``, `(?i)^AND\b`, `and is &&; between patterns it is a full stop`},
	{``, `(?i)^OR\b`, `or is ||; between patterns it is { … } UNION { … }`},
	{`[(&|!]\s*$`, `(?i)^NOT\s*[(?]`, `not is !; of a pattern it is NOT EXISTS { … }`},
	{`(\?\w+|\w+\(\?\w+\))\s+$`, `(?i)^I?LIKE\s+['"]%?([^'"%]*)%?['"]`, `there is no LIKE: CONTAINS(LCASE($1), LCASE("$2"))`},
	{`([?$]\w+)\s*(?:!?=\s*)?$`, `(?i)^(?:~\*?|MATCHES|RLIKE|REGEXP?)\s*["'/]([^"'/]*)["'/]`, `a text is matched by REGEX($1, "$2")`},
	{`(?i)\b(?:REGEX|REPLACE)\s*\([^{}]*,\s*$`, `^/([^/]*)/`, `a pattern is a text: "$1"`},
	{`([?$]\w+)\s+$`, `(?i)^(?:CONTAINS|INCLUDES)\s+("[^"]*"|'[^']*')`, `it is CONTAINS($1, $2)`},
	{`([?$]\w+)\s+$`, `(?i)^STARTS\s*WITH\s+("[^"]*"|'[^']*')`, `it is STRSTARTS($1, $2)`},
	{`([?$]\w+)\s+$`, `(?i)^ENDS\s*WITH\s+("[^"]*"|'[^']*')`, `it is STRENDS($1, $2)`},
	{`([?$]\w+)$`, `^\.(\w+)\s*\(`, `a function takes its value in brackets: $2($1, …)`},
	{`(?i)\bSELECT\s[^{]*([?$]\w+)$`, `^\.(\w+)`, `a property is a pattern: SELECT ?$2 { $1 :$2 ?$2 }`},
	{`([?$]\w+)$`, `^\.(\w+)`, `a property is a pattern: $1 :$2 ?$2`},
	{`(\?\w+)\s+$`, `(?i)^IS\s+NOT\s+NULL`, `a variable that has a value is BOUND($1)`},
	{`(\?\w+)\s+$`, `(?i)^IS\s+NULL`, `a variable without a value is !BOUND($1)`},
	{`(\?\w+)\s+$`, `(?i)^BETWEEN\s+(\S+)\s+AND\s+([^\s)}]+)`, `there is no BETWEEN: $1 >= $2 && $1 <= $3`},
	{`(?i)\bNOT\s+$`, `^[(?]`, `not is !; of a pattern it is NOT EXISTS { … }`},
	{``, `(?i)^NULL\b`, `there is no NULL: BOUND(?x) says whether a variable has a value`},
	{`(?i)(REGEX|REPLACE)\s*\([^()]*,\s*$`, `^([a-z]+)\s*\)`, `flags are a text: "$2"`},

	// Functions by the names of other languages.
	{``, `(?i)^(?:TO_?)?LOWER(?:_?CASE)?\s*\(`, `it is LCASE`},
	{``, `(?i)^(?:TO_?)?UPPER(?:_?CASE)?\s*\(`, `it is UCASE`},
	{``, `(?i)^(?:LEN|LENGTH|SIZE|CHAR_LENGTH)\s*\(`, `it is STRLEN`},
	{``, `(?i)^SUBSTRING\s*\(`, `it is SUBSTR(text, from 1, length)`},
	{``, `(?i)^STARTS_?WITH\s*\(`, `it is STRSTARTS`},
	{``, `(?i)^ENDS_?WITH\s*\(`, `it is STRENDS`},
	{``, `(?i)^(?:LIKE|INSTR|POSITION|INDEX_?OF|INCLUDES)\s*\(`, `it is CONTAINS(text, part)`},
	{``, `(?i)^(?:MATCH|MATCHES|RLIKE|REGEXP|REGEXP_LIKE|REGEX_MATCH)\s*\(`, `it is REGEX(text, "pattern", "i")`},
	{``, `(?i)^(?:L|R)?TRIM\s*\(`, `it is REPLACE(text, "^\\s+|\\s+$", "")`},
	{``, `(?i)^(?:IFNULL|ISNULL|NVL)\s*\(`, `it is COALESCE, or !BOUND(?x)`},
	{``, `(?i)^CASE\b`, `there is no CASE: IF(condition, value, otherwise)`},
	{``, `(?i)^(?:CAST|CONVERT)\s*\(`, `a type is a function: xsd:integer(?x), or STR(?x) for a text`},
	{``, `(?i)^(?:TO_?)?INT(?:EGER)?\s*\(`, `it is xsd:integer`},
	{``, `(?i)^(?:TO_?)?(?:FLOAT|DOUBLE|DECIMAL|NUMBER)\s*\(`, `it is xsd:decimal`},
	{``, `(?i)^(?:TO_?STRING|STRING|TO_CHAR)\s*\(`, `it is STR`},
	{``, `(?i)^(?:TO_?)?DATE\s*\(\s*["'](\d{4}-\d\d-\d\d)["']`, `a date is "$1"^^xsd:date`},
	{``, `(?i)^(?:TO_?)?DATE\s*\(`, `it is xsd:date`},
	{``, `(?i)^(?:TO_?)?(?:DATE_?TIME|TIMESTAMP)\s*\(`, `it is xsd:dateTime`},
	{``, `(?i)^(?:CURRENT_DATE|CURRENT_TIMESTAMP|GETDATE|TODAY)\b`, `it is NOW()`},
	{``, `(?i)^(?:COLLECT|STRING_AGG|ARRAY_AGG|LIST)\s*\(`, `it is GROUP_CONCAT(?x; SEPARATOR=", ")`},
	{``, `(?i)^(?:MEAN|AVERAGE)\s*\(`, `it is AVG`},
	{``, `(?i)^(?:RANDOM|RND)\s*\(`, `it is RAND()`},
	{``, `(?i)^CEILING\s*\(`, `it is CEIL`},
	{``, `(?i)^TYPE\s*\(`, `it is DATATYPE of a value; the type of a node is a pattern: ?x a ?type`},
	{``, `(?i)^ID\s*\(`, `it is STR(?x), the whole IRI of a node`},

	// Patterns.
	{ahead, `^_:(\w+)`, `a property is no blank node: write a variable, ?$1`},
	{ahead, `^["'](\w+)["']`, `a property has a colon and no quotes: :$1`},
	{ahead, `^-([\w-]*:\w+|<[^>]*>)`, `the inverse of a property is ^$1`},
	{`[{.;]\s*([?$]\w+)\s+$`, `^([<>]=?|!=)\s*([^\s.;})]+)`, `a condition is a filter: FILTER($1 $2 $3)`},
	{`(\([^()]*\)|[\w-]*:[\w-]+|<[^>]*>)$`, `^\{\d*,?\d*\}`, `a path has no numbers: write $1+ for one step and more, $1/$1 for two, $1? for none or one`},
	{`(?s)\{[^{}]*[^\s{}]\s+$`, `(?i)^WHERE\s+([?$]\w+\s*[<>=!]+\s*[^\s})]+)`, `a condition is a filter: FILTER($1)`},
	{``, `(?i)^LET\s*\(\s*([?$]\w+)\s*:?=\s*([^()]+?)\s*\)`, `a variable is named by BIND($2 AS $1)`},
	{`(?i)\bVALUES\s*\([^)]*\)\s*\{\s*(?:\([^)]*\)\s*)*$`, `^("[^"]*"|[^\s(){}]+)`, `each row stands in brackets: ($1)`},
	{`(?is)\bCONSTRUCT\s*(?:WHERE\s*)?\{[^{}]*$`, `(?i)^(FILTER|OPTIONAL|BIND|VALUES|MINUS|GRAPH|SERVICE)\b`, `a template has patterns alone, and $1 stands behind WHERE: CONSTRUCT { … } WHERE { … }`},
	{`["']$`, `^\^([\w-]*:\w+|<[^>]*>)`, `a datatype stands behind two signs: ^^$1`},
	{`'[^'"\n]*'$`, `^\w+[^'"\n]*'`, `a ' within a text is \', or the text stands in "`},
	{`(\s:[\w-]+)\s+$`, `(?i)^((?:NOT\s+)?IN)\s*(\([^)]*\))`, `a pattern compares nothing: write$1 ?v FILTER(?v $2 $3)`},
	{`[{.;}]\s*$`, `(?i)^((?:NOT\s+)?EXISTS)\s*\{`, `a condition on patterns is a filter: FILTER $1 { … }`},
	{`\b(\d{4})$`, `^(-\d\d-\d\d)(T\d\d:\d\d:\d\dZ?)`, `a time is a text with its datatype: "$1$2$3"^^xsd:dateTime`},
	{`\b(\d{4})$`, `^(-\d\d-\d\d)`, `a date is a text with its datatype: "$1$2"^^xsd:date`},
	{`\^\^$`, `^([a-zA-Z]\w*)`, `a datatype has a prefix: ^^xsd:$1`},
	{`(\s:[\w-]+)\s+$`, `^([<>]=?|!=)\s*([^\s.;})]+)`, `a pattern compares nothing: write$1 ?v FILTER(?v $2 $3)`},
	{`,\s*[?$]\w+\s+$`, `^[\w-]*:\w+`, `between patterns stands a '.'; a ',' is between objects of one property`},
	{`,\s*[\w-]*:[\w-]+\s+$`, `^["'?$<\d:]`, `before another property stands a ';'; a ',' is between objects of one property`},
	{`[{.;(]\s*$`, `(?i)^LET\b`, `a variable is named by BIND(1 AS ?x)`},
	{`(?i)\bNOT\s+$`, `(?i)^EXIST\b`, `it is NOT EXISTS { … }`},
	{`(\?\w+|:[\w\\/-]+)\s*$`, `^=\s*([^\s.;})]+)`, `a pattern has no =: write ?x :property $2, or FILTER($1 = $2)`},
	{`[.{;]\s*(?:\?\w+\s+)?(?:a|:\w+)\s+\S+\s+$`, `^(:\w+|a)\s+[\w?:"<]`, `a ';' is missing before it, or a '.' where another subject begins`},
	{`\{[^{}]*[^.{}(,;\s]\s*$`, `^(?:\?\w+|<[^>]*>|[\w-]*:[\w\\/-]+)\s+(?:a|\?\w+|\^?[\w-]*:[\w-]+|<)`, `a '.' is missing before it`},

	// Punctuation.
	{``, `^[“”„‟‘’‚‛«»‹›´′″＂]`, `texts stand in " or '`},
	{``, `^(?:"[^"'\n]*'|'[^"'\n]*")`, `a text ends with the sign that it begins with, " or '`},
	{``, `^[\p{Zs}\x{200B}-\x{200F}\x{2060}\x{FEFF}]`, `it looks like a blank and is none: write a blank`},
	{``, `^？`, `a variable has a question mark: ?x`},
	{"", "^`", `texts stand in " or ', names need no quotes`},
	{``, `^--|^//|^/\*`, `a comment begins with #`},
	{`/$`, `^[/*]`, `a comment begins with #`},
	{`-$`, `^-`, `a comment begins with #`},
	{``, `^(?:%|\$\{|\{\{|\{[A-Za-z]\w*\}|@\w{3})`, `a value that is filled in is a variable with a parameter: ?name and params {"name": …}`},
	{`\.\s*$`, `^\.`, `one full stop is enough`},
	{`[;,]\s*$`, `^,`, `behind a ',' stands another object`},

	// Words in the wrong place for which no more special advice is above.
	{`(?i)\bSELECT\s+(?:(?:DISTINCT|REDUCED)\s+)?(?:[?$]\w+\s+)*$`, unvar, `a variable has a question mark: ?$1`},
	{`(?i)\b(?:ORDER|GROUP)\s+BY\s[^{]*$`, unvar, `a variable has a question mark: ?$1`},
	{`(?:\sa|\brdf:type)\s+$`, unvar, `a type has a colon: :$1`},
	{`(?:^|[\s{.;])(?:[?$]\w+|<[^>]*>|[\w-]*:[\w\\/-]+)\s+[\w-]*:[\w-]+\s+$|;\s*[\w-]*:[\w-]+\s+$`, unvar, `a text stands in quotation marks, "$1", and a variable has a question mark, ?$1`},
	{`[{.;]\s*(?:[?$]\w+|<[^>]*>|[\w-]*:[\w\\/-]+)\s+$|;\s*$`, unvar, `a property has a colon: :$1`},
	{`(?s)\{(?:[^{}]*[.}])?\s*$`, unvar, `a variable has a question mark, ?$1, and a node is <IRI> or :Type\/id`},
	{`[(,=<>!&|+*/-]\s*$`, unvar, `a variable has a question mark, ?$1, and a text stands in quotation marks, "$1"`},
	{begin, `^\S`, `a query is SELECT ?x { ?x a :Type ; :name ?name }, and an update INSERT DATA { <IRI> a :Type ; :name "…" }`},
}

// curesCompiled are the compiled regular expressions of cures.
var curesCompiled = sync.OnceValue(func() (all [][2]*regexp.Regexp) {
	for _, c := range cures {
		all = append(all, [2]*regexp.Regexp{regexp.MustCompile(c.before), regexp.MustCompile(c.behind)})
	}
	return all
})

// curesLook is how many bytes before and behind a syntax error the cures see.
const curesLook = 400

// cureOf returns the advice for a syntax error at a byte of the text, or "".
func cureOf(text string, at int) string {
	before, behind := text[max(0, at-curesLook):at], text[at:min(len(text), at+curesLook)]
	for i, both := range curesCompiled() {
		left, right := both[0].FindStringSubmatch(before), both[1].FindStringSubmatch(behind)
		if left == nil || right == nil {
			continue
		}
		say := cures[i].say
		for n, group := range slices.Concat(left[1:], right[1:]) {
			say = strings.ReplaceAll(say, fmt.Sprintf(`\/$%d`, n+1), `\/`+reserved.ReplaceAllString(group, `\$0`))
			say = strings.ReplaceAll(say, fmt.Sprintf("$%d", n+1), group)
		}
		return "; " + say
	}
	return ""
}

// reserved are the characters that have a backslash before them in a prefixed name.
var reserved = regexp.MustCompile(`[~!$&'()*+,;=/?#@%]`)

// namespaces are the namespaces of prefixes that are often used without a declaration.
var namespaces = map[string]string{
	"foaf": "http://xmlns.com/foaf/0.1/", "dc": "http://purl.org/dc/elements/1.1/", "dcterms": "http://purl.org/dc/terms/", "dct": "http://purl.org/dc/terms/",
	"schema": "https://schema.org/", "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#", "vcard": "http://www.w3.org/2006/vcard/ns#", "dcat": "http://www.w3.org/ns/dcat#",
	"org": "http://www.w3.org/ns/org#", "time": "http://www.w3.org/2006/time#", "void": "http://rdfs.org/ns/void#", "wd": "http://www.wikidata.org/entity/",
	"wdt": "http://www.wikidata.org/prop/direct/", "p": "http://www.wikidata.org/prop/", "ps": "http://www.wikidata.org/prop/statement/", "pq": "http://www.wikidata.org/prop/qualifier/",
	"dbp": "http://dbpedia.org/property/", "dbo": "http://dbpedia.org/ontology/", "dbr": "http://dbpedia.org/resource/", "fn": "http://www.w3.org/2005/xpath-functions#",
	"rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#", "xsd": "http://www.w3.org/2001/XMLSchema#",
	"owl": "http://www.w3.org/2002/07/owl#", "skos": "http://www.w3.org/2004/02/skos/core#", "sh": "http://www.w3.org/ns/shacl#", "prov": "http://www.w3.org/ns/prov#",
}

// foreign says what to write for the prefixes of what other engines do beyond SPARQL.
var foreign = map[string]string{
	"wikibase": "Wikidata; leave SERVICE wikibase:label out: a label is a pattern, ?x rdfs:label ?label",
	"bd":       "Blazegraph; leave it out: a label is a pattern, ?x rdfs:label ?label",
	"hint":     "Blazegraph; leave it out: the order of patterns is chosen here",
	"bif":      `Virtuoso; a word is searched by FILTER(CONTAINS(LCASE(?text), "word"))`,
	"text":     `Jena; a word is searched by FILTER(CONTAINS(LCASE(?text), "word"))`,
}

// bareIRI is an IRI without its brackets.
var bareIRI = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://|urn:|mailto:)[^\s<>"{}|\\^]*[^\s<>"{}|\\^.,;)]`)

// undeclared says how to declare a prefix, and which prefixes are known.
func (p *parser) undeclared(prefix string, at int) string {
	if iri := bareIRI.FindString(p.text[at:]); iri != "" {
		return fmt.Sprintf("; an IRI stands in < >: <%s>", iri)
	}
	if way := foreign[prefix]; way != "" {
		return "; it is of " + way
	}
	namespace := namespaces[prefix]
	if namespace == "" {
		namespace = "…"
	}
	way := fmt.Sprintf("; declare it before the query: PREFIX %s: <%s>", prefix, namespace)
	if len(p.prefixes) == 0 {
		return way
	}
	const most = 12
	known := slices.Sorted(maps.Keys(p.prefixes))
	list := strings.Join(known[:min(len(known), most)], ":, ") + ":"
	if more := len(known) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("; known are %s%s", list, way)
}

// relative says how to write the name of a node that was written as a relative IRI in brackets.
func (p *parser) relative(ref string) string {
	namespace, known := p.prefixes[""]
	name, local, isNode := strings.Cut(ref, "/")
	switch {
	case !known || ref == "":
		return "; write the whole IRI, or declare one: BASE <…>"
	case isNode && isPlainLocal(name):
		return fmt.Sprintf(`; write <%s%s>, or the parameter {"iri":"%s/%s"}`, namespace, ref, name, local)
	}
	return fmt.Sprintf("; write <%s%s>", namespace, ref)
}
