package builtin_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// followed are refused calls on the graph of [TestARefusalThatIsFollowedIsAccepted]: what they
// say, and what becomes of the arguments when that is done, with what the pattern found in the
// place of $1.
var followed = []struct{ capability, args, says, old, new string }{
	// Arguments of calls.
	{"list", `{"type": "Person", "limt": 2}`, `there are .*\b(limit)\b`, `limt`, `$1`},
	{"list", `{"type": "Person", "at": "12"}`, `or a time such as`, `"at": "12"`, `"at": "head~1"`},
	{"create", `{"type": "Person", "id": "at", "data": {"name": "At"}, "at": "1234"}`, `leave it out`, `, "at": "1234"`, ``},
	{"list", `{"type": "Person", "limit": 100000}`, `at most (\d+)`, `100000`, `$1`},
	{"list", `{"type": "Person", "limit": "many"}`, `a JSON (integer)`, `"many"`, `2`},
	{"schema_get", `{"format": "xml"}`, `must be one of (\w+)`, `xml`, `$1`},

	// Nodes that are not there.
	{"get", `{"ids": ["Person/anne"]}`, `did you mean (\S+), "Ann Lee"\?$`, `Person/anne`, `$1`},
	{"get", `{"ids": ["Anne Lee"]}`, `search finds nodes; did you mean (\S+), "Ann Lee"\?$`, `Anne Lee`, `$1`},
	{"history", `{"id": "Person/anne"}`, `did you mean (\S+), `, `Person/anne`, `$1`},
	{"link", `{"from": "Person/ann", "property": "boss", "to": "Person/anne", "dry_run": true}`, `did you mean (\S+), `, `Person/anne`, `$1`},
	{"person.update", `{"id": "anne", "age": 3, "dry_run": true}`, `^Person/anne does not exist; did you mean (\S+), "Ann Lee"\?$`, `"anne"`, `"$1"`},
	{"person.delete", `{"id": "anne", "dry_run": true}`, `did you mean Person/(\w+), `, `"anne"`, `"$1"`},
	{"person.create", `{"id": "x", "boss": "Person/anne"}`, `did you mean (\S+), `, `Person/anne`, `$1`},
	{"person.create", `{"id": "x", "boss": "Person/anne", "age": "old"}`, `did you mean (\S+), `, `Person/anne", "age": "old"`, `$1"`},
	{"load", `{"data": "{\"type\":\"Person\",\"id\":\"x\",\"data\":{\"boss\":\"Person/anne\"}}"}`, `did you mean (\S+), `, `Person/anne`, `$1`},
	{"load", `{"type": "Memo", "data": "[{\"text\":\"A\"},{\"text\":\"B\",\"about\":\"A\"}]"}`, `; "(A)" is the label of a node of this data that has no id: give it one`, `{\"text\":\"A\"}`, `{\"id\":\"$1\",\"text\":\"A\"}`},
	{"mutate", `{"update": "INSERT DATA { :Person\\/x a :Person ; :boss :Person\\/anne }"}`, `did you mean Person/(\w+), `, `anne`, `$1`},

	// Searches in queries.
	{"query", `{"query": "SELECT ?n { ?n trails:matches (\"ann\" :Persn) }"}`, `did you mean "(\w+)"`, `Persn`, `$1`},
	{"query", `{"query": "SELECT ?n { ?n trails:matches (\"ann\" trails:word) }"}`, `did you mean "(\w+)"`, `trails:word`, `trails:$1`},
	{"query", `{"query": "SELECT ?n { ?n trails:matches ?w }"}`, `give a text, .*or VALUES or BIND of a constant`, `?n trails`, `VALUES ?w { \"ann\" } ?n trails`},
	{"query", `{"query": "SELECT ?n { ?n trails:matches $w }"}`, `give a text, a (param)eter`, `"}`, `", "${1}s": {"w": "ann"}}`},
	{"query", `{"query": "SELECT ?n { ?n trails:matches (\"ann\" 1001) }"}`, `one integer from 1 to (\d+)`, `1001`, `$1`},
	{"query", `{"query": "SELECT ?n { ?n trails:matches (\"ann\" trails:meaning) }"}`, `Without (trails:meaning) words find them`, ` trails:meaning`, ``},
	{"query", `{"query": "SELECT ?n { ?n trails:matches (\"ann\" trails:words trails:meaning) }"}`, `leave one of them out`, ` trails:meaning`, ``},
	{"query", `{"query": "SELECT ?n { ?n trails:matches () }"}`, `write \("words" :Type 20\)`, `()`, `(\"words\" :Person 20)`},
	{"query", `{"query": "SELECT ?n { GRAPH :g { ?n trails:matches \"ann\" } }"}`, `write it before GRAPH`, `GRAPH :g { ?n trails:matches \"ann\" }`, `?n trails:matches \"ann\" GRAPH :g { ?s ?p ?o }`},
	{"query", `{"query": "SELECT ?n { ?n trails:matches/:name \"ann\" }"}`, `write it as a triple of its own`, `trails:matches/:name`, `trails:matches`},
	{"query", `{"query": "SELECT ?n FROM :g { ?n trails:matches \"ann\" }"}`, `leave FROM and FROM NAMED out`, ` FROM :g`, ``},
	{"mutate", `{"update": "WITH :g INSERT { ?n <urn:p> 1 } WHERE { ?n trails:matches \"ann\" }"}`, `leave it out, .*write GRAPH in the templates`, `WITH :g INSERT { ?n <urn:p> 1 }`, `INSERT { GRAPH :g { ?n <urn:p> 1 } }`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- update: {forward: 'INSERT {?n <urn:p> 1} WHERE {?n trails:matches \"ann\"}', reverse: history}"}]}`, `compare values instead, with FILTER\(CONTAINS\(…\)\)`, `?n trails:matches \"ann\"`, `?n :name ?t FILTER(CONTAINS(?t, \"ann\"))`},

	// Patches.
	{"schema_apply", `{"patch": "- drop_property: Person.name", "allow_data_loss": true}`, `put before it - (alter_type: .*)$`, `"patch": "`, `"patch": "- $1\n`},
	{"schema_apply", `{"patch": "- drop_property: Person.age", "allow_data_loss": true}`, `types.Person.unique: .*put before it - (alter_type: .*)$`, `"patch": "`, `"patch": "- $1\n`},
	{"schema_apply", `{"patch": "- drop_property: Book.isbn", "allow_data_loss": true}`, `put before it - (alter_type: .*)$`, `"patch": "`, `"patch": "- $1\n`},
	{"schema_apply", `{"patch": "- drop_type: Team", "allow_data_loss": true}`, `put before it - (alter_property: .*)$`, `"patch": "`, `"patch": "- $1\n`},
	{"schema_apply", `{"patch": "- drop_type: Agent", "allow_data_loss": true}`, `put before it - (alter_\w+: .*)$`, `"patch": "`, `"patch": "- $1\n`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- split_property: {Person.name: {into: [first, last], at: ' '}}"}]}`, `put before it - (alter_type: .*)$`, `steps:\n`, `steps:\n- $1\n`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- split_property: {Book.isbn: {into: [group, rest], at: '-'}}"}]}`, `put before it - (alter_type: .*)$`, `steps:\n`, `steps:\n- $1\n`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- merge_property: {Person.all: {from: [name, note], with: ', '}}"}]}`, `put before it - (alter_type: .*)$`, `steps:\n`, `steps:\n- $1\n`},
	{"schema_apply", `{"patch": "add_type: Task"}`, `write it as (.*)$`, `add_type: Task`, `$1`},
	{"schema_apply", `{"patch": "add_type: {Team: {}}"}`, `take (alter_type), add_property or another name`, `add_type: {Team: {}}`, `$1: {Team: {description: Us}}`},
	{"schema_apply", `{"patch": "- rename_type: {Team: Crew}\n- rename_type: {Agent: Team}"}`, `rename in the patch or the migration after it`, `- rename_type: {Team: Crew}\n- rename_type: {Agent: Team}`, `- rename_type: {Team: Crew}`},
	{"schema_apply", `{"patch": "drop_property: Person.code"}`, `inherits it; change (\S+)$`, `Person.code`, `$1`},
	{"schema_apply", `{"patch": "add_property: {Person.memo: {type: string, search: false, embed: true}}"}`, `search is false here; drop one of them$`, `search: false, `, ``},
	{"schema_apply", `{"patch": "add_property: {Person.note: {type: string, max_length: 9}}"}`, `take (alter_property) or another name`, `add_property`, `$1`},
	{"schema_apply", `{"patch": "alter_type: {Person: label}"}`, `say what to alter, such as alter_type: \{Task: (.*)\}$`, `label`, `{label: note, key: null}`},
	{"schema_apply", `{"patch": "- rename_property: {Person.note: text}\n- rename_property: {Person.name: note}"}`, `rename in the patch or the migration after it`, `\n- rename_property: {Person.name: note}`, ``},
	{"schema_apply", `{"patch": "add_property: {due: date}"}`, `a property is named with its type: (.*)$`, `{due: date}`, `{Person.due: date}`},
	{"schema_apply", `{"patch": "alter_type: {Person: {properties: {x: string}}}"}`, `properties have steps of their own: (add_property), `, `alter_type: {Person: {properties: {x: string}}}`, `$1: {Person.x: string}`},
	{"schema_apply", `{"patch": "add_propety: {Person.x: string}"}`, `did you mean "(\w+)"`, `add_propety`, `$1`},
	{"schema_apply", `{"patch": "drop_type: Bock", "allow_data_loss": true}`, `did you mean "(\w+)"`, `Bock`, `$1`},
	{"schema_apply", `{"patch": "alter_property: {Person.nome: {description: x}}"}`, `did you mean "(\w+)"`, `nome`, `$1`},
	{"schema_apply", `{"patch": "move_before: {Person.age: nome}"}`, `did you mean "(\w+)"`, `nome`, `$1`},
	{"schema_apply", `{"patch": "prefixes: {examle: null}"}`, `did you mean "(\w+)"`, `examle`, `$1`},
	{"schema_apply", `{"patch": "text"}`, `such as (- .*)$`, `text`, `$1`},
	{"schema_apply", `{"patch": "[text]"}`, `such as (.*)$`, `"[text]"`, `"- add_property: {Person.due: date}"`},

	// Ids, references and vectors.
	{"person.create", `{"id": "x", "team": "Team/"}`, `give a local id or an IRI`, `"Team/"`, `"red"`},
	{"person.create", `{"id": "a\u0001b"}`, `the id .* holds control characters; remove them`, `a\u0001b`, `ab`},
	{"person.create", `{"id": "a/../b"}`, `a path segment .*; choose another`, `a/../b`, `a/b`},
	{"person.create", `{"id": "urn:a\u0001b"}`, `the IRI .* holds control characters; remove them`, `a\u0001b`, `ab`},
	{"person.create", `{"id": "x", "page": "start"}`, `write the whole IRI or Type/id`, `start`, `https://example.org/start`},
	{"person.create", `{"id": "x", "boss": "ann"}`, `write Type/ann with one of "?(\w+)`, `"ann"`, `"$1/ann"`},
	{"person.create", `{"id": "x", "spot": "here"}`, `give an array of numbers such as (\[.*\])$`, `"here"`, `$1`},
	{"person.create", `{"id": "x", "spot": ["here", 1]}`, `give an array of numbers such as (\[.*\])$`, `["here", 1]`, `$1`},
	{"mutate", `{"update": "INSERT DATA { <urn:trails:example:Person/ann> <urn:trails:example:nots> \"x\" }"}`, `did you mean :(\w+)\? Else`, `nots`, `$1`},
	{"mutate", `{"update": "INSERT DATA { <urn:trails:example:Person/ann> <urn:trails:example:tag> \"x\" }"}`, `or say open: true there; did you mean :(\w+)\?`, `example:tag>`, `example:$1>`},

	// Migrations.
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n"}]}`, `or (steps: \[\]) where there are to be none`, `steps:\n`, `$1`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "description: &a x\nsteps: []"}]}`, `write the value out`, `&a `, ``},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- update: {reverse: history}"}]}`, `say what the update does`, `{reverse`, `{forward: 'DELETE {} WHERE {}', reverse`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- split_property: {Book.title: {into: [head, rest]}}"}]}`, `say what stands between the values: .* at: `, `[head, rest]`, `[head, rest], at: ' '`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- split_property: {Book.title: {into: [title, rest], at: ' '}}"}]}`, `cannot be on both sides; rename it first`, `- split_property: {Book.title`, `- rename_property: {Book.title: whole}\n- split_property: {Book.whole`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- convert_property: {Person.words: string}"}]}`, `would lose its language, en; write an update with (STR)`, `convert_property: {Person.words: string}`, `alter_property: {Person.words: {type: string}}\n- update: {forward: 'DELETE {?x :words ?n} INSERT {?x :words ?m} WHERE {?x :words ?n BIND($1(?n) AS ?m)}', reverse: history}`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- convert_property: {Book.title: lang_string}"}]}`, `has no language; write an update with (STRLANG)`, `convert_property: {Book.title: lang_string}`, `alter_property: {Book.title: {type: lang_string}}\n- update: {forward: 'DELETE {?x :title ?n} INSERT {?x :title ?m} WHERE {?x :title ?n BIND($1(?n, ''en'') AS ?m)}', reverse: history}`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- split_property: {Book.title: {into: {sub: string, rest: string}, at: ' '}}"}]}`, `name it without words to have it take values`, `sub: string`, `sub: `},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- convert_property: {Person.team: string}"}]}`, `which are no text; write an update`, `convert_property: {Person.team: string}`, `alter_property: {Person.team: {class: null, type: string}}\n- update: {forward: 'DELETE {?x :team ?n} INSERT {?x :team ?m} WHERE {?x :team ?n BIND(STR(?n) AS ?m)}', reverse: history}`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- split_property: {Person.tags: {into: [t1, t2], at: '-'}}"}]}`, `which goes with which; write an update`, `split_property: {Person.tags: {into: [t1, t2], at: '-'}}`, `add_property: {Person.t1: string}\n- update: {forward: 'INSERT {?p :t1 ?t} WHERE {?p :tags ?t}', reverse: history}`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- update: {forward: '# later', reverse: history}"}]}`, `write the update, or leave the step out`, `'# later'`, `'DELETE {} WHERE {}'`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps:\n- rename_property: {Person.note: text}\n- rename_property: {Person.name: note}"}]}`, `rename in the patch or the migration after it`, `\n- rename_property: {Person.name: note}"}`, `"}, {"name": "0003_a.yaml", "text": "steps:\n- rename_property: {Person.name: note}"}`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_a.yaml", "text": "steps: []"}, {"name": "0002_b.yaml", "text": "steps: []"}]}`, `give one of them the next free number`, `0002_b`, `0003_b`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0001_z.yaml", "text": "description: first\nsteps: []"}]}`, `it was applied as (\S+); give it that name again`, `0001_z.yaml`, `$1`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0002_z.yaml", "text": "description: first\nsteps: []"}]}`, `its text is that of (\S+), .* give it that name again`, `0002_z.yaml`, `$1`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0001_z.yaml", "text": "steps: []"}]}`, `give this one the number (\d) or higher`, `0001_z`, `000${1}_z`},
	{"trails.meta.migrate.apply", `{"migrations": [{"name": "0001_first.yaml", "text": "description: other\nsteps: []"}]}`, `put the old text back`, `other`, `first`},

	// Schemas.
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: strng}}}}"}`, `did you mean "(\w+)"`, `strng`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: [string]}}}"}`, `write (\{[^}]*\}) for several`, `[string]`, `$1`},
	{"schema_apply", `{"patch": "add_property: {Person.state: [low, high]}"}`, `or (\{.*\}) for one`, `[low, high]`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {many: true}}}}"}`, `there is (\w+)`, `{many`, `{type: $1, many`},
	{"schema_apply", `{"schema": "types: {A: {}, B: {properties: {p: {type: A}}}}"}`, `write (class: \w+)$`, `type: A`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, class: A}}}}"}`, `drop one of them`, `type: string, `, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, min_count: 2}}}}"}`, `raise max_count or add (many: true)`, `min_count`, `$1, min_count`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, required: true, min_count: 0}}}}"}`, `drop one`, `, min_count: 0`, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, many: true, required: false, min_count: 2}}}}"}`, `drop one`, `required: false, `, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, many: false, max_count: 2}}}}"}`, `drop one`, `many: false, `, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, required: false, has_value: x}}}}"}`, `drop required: false`, `required: false, `, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, unique: true, default: x}}}}"}`, `drop one of them`, `, default: x`, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, predicate: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'}}}}"}`, `give another predicate`, `http://www.w3.org/1999/02/22-rdf-syntax-ns#type`, `urn:p`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, predicate: 'urn:p'}, q: {type: string, predicate: 'urn:p'}}}}"}`, `give one another`, `urn:p`, `urn:q`},
	{"schema_apply", `{"schema": "types: {A: {properties: {id: string}}}"}`, `choose another name`, `id:`, `name:`},
	{"schema_apply", `{"schema": "types: {A: {label: p, properties: {p: {class: A}}}}"}`, `a label is text that people read`, `class: A`, `type: string`},
	{"schema_apply", `{"schema": "types: {A: {iri: key, key: [p], properties: {p: {type: string}}}}"}`, `add (required: true)`, `type: string`, `type: string, $1`},
	{"schema_apply", `{"schema": "types: {A: {iri: key, properties: {p: {type: string, required: true}}}}"}`, `name the properties with key: \[…\]`, `iri: key`, `iri: key, key: [p]`},
	{"schema_apply", `{"schema": "types: {A: {iri: 'urn:A'}}"}`, `write (rdf_type)\)`, `iri`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {unique: [[p]], properties: {p: {type: string}}}}"}`, `write (unique: true) on the property`, `unique: [[p]], properties: {p: {type: string}`, `properties: {p: {type: string, $1}`},
	{"schema_apply", `{"schema": "types: {A: {unique: [p, q], properties: {p: {type: string}, q: {type: string}}}}"}`, `each group must be a list of properties`, `[p, q]`, `[[p, q]]`},
	{"schema_apply", `{"schema": "types: {A: {unique: [[p, q]], properties: {p: {type: string, many: true}, q: {type: string}}}}"}`, `only a single-valued property can stand here`, `, many: true`, ``},
	{"schema_apply", `{"schema": "types: {A: {extends: B}, B: {extends: A}}"}`, `cut the circle`, `{extends: B}`, `{}`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: string}}, B: {extends: A, properties: {p: string}}}"}`, `rename it or drop it here`, `extends: A, properties: {p: string}`, `extends: A`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: string}}, B: {properties: {p: {type: string, predicate: 'urn:p'}}}, C: {extends: [A, B]}}"}`, `rename one`, `B: {properties: {p:`, `B: {properties: {q:`},
	{"schema_apply", `{"schema": "types: {ABC: {}, Abc: {}}"}`, `rename one`, `Abc`, `Bcd`},
	{"schema_apply", `{"schema": "types: {A: {rdf_type: 'urn:A'}, B: {rdf_type: 'urn:A'}}"}`, `give another`, `B: {rdf_type: 'urn:A'}`, `B: {rdf_type: 'urn:B'}`},
	{"schema_apply", `{"schema": "types: {A: {}, B: {ids: A}}"}`, `give other ids, such as (ids: \w+)$`, `ids: A`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {}, A: {}}"}`, `keep one`, `, A: {}`, ``},
	{"schema_apply", `{"schema": "types: {Branches: {}}"}`, `rename it`, `Branches`, `Branch`},
	{"schema_apply", `{"schema": "types: {` + strings.Repeat("A", 64) + `: {}}"}`, `shorten it to (\d+)`, strings.Repeat("A", 64), "A"},
	{"schema_apply", `{"schema": "types: {TrailsMetaX: {}}"}`, `rename it`, `TrailsMetaX`, `MetaX`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: string, pattern: '(?=x)'}}}}"}`, `patterns are RE2 \(no look-around`, `(?=x)`, `^x`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: lang_string, languages: [german_]}}}}"}`, `a language is a tag such as (\w+) or`, `german_`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: lang_string, default: hello}}}}"}`, `write text@en, or (\{value: text, lang: en\})`, `hello`, `$1`},
	{"schema_apply", `{"schema": "types: {A: {rdf_type: 'x:A'}}"}`, `or write (<the whole IRI>)`, `'x:A'`, `'<http://example.org/A>'`},
	{"schema_apply", `{"schema": "types: {A: {rdf_type: 'x:A'}}"}`, `add (prefixes: \{x: …\})`, `types: `, `prefixes: {x: 'http://example.org/'}\ntypes: `},
	{"schema_apply", `{"schema": "types: {A: {label: }}"}`, `give one or remove the key`, `label: `, ``},
	{"schema_apply", `{"schema": "base: 'urn:other:'\ntypes: {A: {}}"}`, `leave base out or write the file's`, `base: 'urn:other:'\n`, ``},
	{"schema_apply", `{"schema": "types: {A: &a {}, B: *a}"}`, `write the value out`, `&a {}, B: *a`, `{}, B: {}`},
	{"schema_apply", `{"schema": "types: {A: {}}\n---\ntypes: {}"}`, `remove what follows`, `\n---\ntypes: {}`, ``},
	{"schema_apply", `{"schema": "types: {A: {properties: {p: {type: date, default: soon}}}}"}`, `give one such as (\S+)$`, `soon`, `'2024-05-31'`},
	{"schema_apply", `{"schema": "types: {A: {labl: p, properties: {p: string}}}"}`, `did you mean "(\w+)"|there is (label)`, `labl`, `label`},

	// Tables and records.
	{"load", `{"type": "Team", "format": "csv", "data": "id,name\na,b\nid,name\nc,d\n"}`, `is the header again; take it out`, `\nid,name\nc`, `\nc`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,Aeg\nx,4"}`, `map (\w+=\w+) says so`, `"type"`, `"map": {"Aeg": "age"}, "type"`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,whatever\nx,4"}`, `map (\w+)= passes it over`, `"type"`, `"map": {"$1": ""}, "type"`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,age,AGE\nx,4,5"}`, `map (\w+)= passes one over`, `"type"`, `"map": {"$1": ""}, "type"`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,FULLTIME\nx,true"}`, `map (\w+=\w+) says which`, `"type"`, `"map": {"FULLTIME": "fullTime"}, "type"`},
	{"load", `{"format": "csv", "type": "Person", "map": {"a": "zzz"}, "data": "id,a\nx,4"}`, `; it has (\w+)`, `zzz`, `$1`},
	{"load", `{"format": "csv", "type": "zzz", "data": "id,age\nx,4"}`, `; it has \w+, (\w+)`, `zzz`, `$1`},
	{"load", `{"format": "csv", "data": "id,age\nx,4"}`, `say type`, `"data"`, `"type": "Person", "data"`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,born\nx,3/4/2023"}`, `dates says .*: (\w+) or mdy`, `"type"`, `"dates": "$1", "type"`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,size\nx,\"1.234,5\""}`, `decimal says .* a comma`, `"type"`, `"decimal": ",", "type"`},
	{"load", `{"format": "csv", "type": "Person", "decimal": ",", "data": "id,size\nx,19.95"}`, `as decimal says: (19,95)`, `19.95`, `\"$1\"`},
	{"load", `{"format": "csv", "decimal": ".", "type": "Person", "data": "id,size\nx,€ 1\ny,$ 1"}`, `in one currency, as its first one is`, `$ 1`, `€ 1`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,age\nx,4,5"}`, `a cell that holds a separator is quoted|give its column a name, or empty the cell`, `4,5`, `4`},
	{"load", `{"format": "csv", "type": "Person", "data": "id,name\nx,A, Jr,z"}`, `a cell that holds a separator is quoted|empty the cell`, `A, Jr,z`, `\"A, Jr,z\"`},
	{"load", `{"format": "ndjson", "data": "{\"id\":\"x\",\"age\":4}"}`, `say which: (type)`, `"format"`, `"$1": "Person", "format"`},
	{"load", `{"format": "ndjson", "data": "{\"type\":\"Person\",\"type\":\"Person\",\"id\":\"x\",\"data\":{}}"}`, `give it once`, `\"type\":\"Person\",\"type\":\"Person\"`, `\"type\":\"Person\"`},
	{"load", `{"format": "ndjson", "data": "{\"type\":\"Person\",\"id\":\"x\",\"dta\":{}}"}`, `"data"`, `dta`, `data`},
	{"load", `{"format": "ndjson", "data": "{\"type\":\"Agent\",\"id\":\"x\",\"data\":{}}"}`, `say which of its subtypes`, `Agent`, `Person`},
	{"load", `{"format": "ndjson", "data": "{\"type\":\"Persn\",\"id\":\"x\",\"data\":{}}"}`, `did you mean "?(\w+)`, `Persn`, `$1`},
	{"load", `{"format": "ndjson", "type": "Person", "data": "{\"id\":\"x\",\"age\":4,\"AGE\":5}"}`, `map (\w+)= passes one over`, `"type"`, `"map": {"$1": ""}, "type"`},
	{"load", `{"format": "turtle", "type": "Person", "data": "<urn:a> <urn:b> 1 ."}`, `type, map and id are for`, `"type": "Person", `, ``},
	{"load", `{"format": "turtle", "rejects": true, "data": "<urn:a> <urn:b> 1 ."}`, `rejects is for tables and records, and (lenient) for`, `rejects`, `$1`},
	{"load", `{"format": "turtle", "dates": "dmy", "data": "<urn:a> <urn:b> 1 ."}`, `dates and decimal are for tables`, `"dates": "dmy", `, ``},
	{"load", `{"format": "csv", "sheet": "x", "type": "Person", "data": "id,age\nx,4"}`, `sheet is for XLSX`, `"sheet": "x", `, ``},
	{"load", `{"format": "ndjson", "mode": "replace", "graph": "urn:g", "data": "{\"type\":\"Person\",\"id\":\"x\",\"data\":{}}"}`, `one graph is loaded from RDF text`, `"mode": "replace", `, ``},
	{"load", `{"format": "csv", "rejects": true, "mode": "overwrite", "type": "Person", "data": "id,age\nx,4"}`, `is for (merge), append and skip`, `overwrite`, `$1`},
	{"load", `{"format": "ndjson", "id": "code", "data": "{\"type\":\"Person\",\"id\":\"x\",\"data\":{}}"}`, `say type|id is for`, `"id": "code", `, ``},
	{"load", `{"format": "turtle", "data": "<urn:a> <urn:b> \"x\"@toolonglanguage , 1 ."}`, `argument (lenient)\) leaves such`, `"format"`, `"$1": true, "format"`},
	{"load", `{"data": "a 1"}`, `say the format, or for a table of one column the (type)`, `{`, `{"$1": "Person", "map": {"a 1": ""}, `},
}

// unfollowed are the texts that no call of these follows, with the reason.
var unfollowed = map[string]string{
	"schema: the graph has this schema, and there is nothing to migrate; give the one that is to come, or none for an empty migration": "of the command: the script of migrations follows it",
	"the schema has no base; give the IRI that names begin with, such as urn:trails:example:":                                          "a file has a base",
	"the type is declared twice; merge the two":                                                                                                                                    "of statements: YAML with a name twice is told of that",
	"the property is declared twice; merge the two":                                                                                                                                "of statements: YAML with a name twice is told of that",
	"the type has more than %d properties, inherited ones included; split it":                                                                                                      "there are not so many",
	"%s: %s have the %s %q; write the id of one: %s":                                                                                                                               "of a label in an import: the tests of package kg write an id",
	", which has no types yet; apply one first":                                                                                                                                    "the schema of these calls has types",
	"the data has more than %d types to overwrite; load it in parts":                                                                                                               "there are not so many",
	"the cell is not valid UTF-8; save the table as UTF-8":                                                                                                                         "of files: the arguments of a call are UTF-8",
	"%s is UTF-32, which is not read; save it as UTF-8":                                                                                                                            "of files: the arguments of a call are UTF-8",
	"the workbook has more than %d bytes; save its sheet as CSV":                                                                                                                   "of workbooks, which a program for them mends",
	"%s has more than the %d rows that a sheet can have; save the sheet as CSV":                                                                                                    "of workbooks, which a program for them mends",
	"%s is empty; save the workbook again":                                                                                                                                         "of workbooks, which a program for them mends",
	"the line is longer than %d bytes; shorten it, or divide it":                                                                                                                   "of data that is too large or no text, which its program mends",
	"the %s has objects and arrays within each other more than %d deep; give it less of that":                                                                                      "of data that is too large or no text, which its program mends",
	"the object is longer than %d bytes; shorten it, or divide it":                                                                                                                 "of data that is too large or no text, which its program mends",
	"the cell has a NUL character (U+0000), as text in UTF-16 seems to have many; save the table as UTF-8, or take the character out":                                              "of data that is too large or no text, which its program mends",
	"%s: the workbook is damaged or cut short: %v; open it in a spreadsheet program and save it again":                                                                             "of workbooks, which a program for them mends",
	"the row has more than %d cells, which a table may have; take columns out":                                                                                                     "of data that is too large or no text, which its program mends",
	"the row is longer than %d bytes; shorten its cells, or end its lines as tables do":                                                                                            "of data that is too large or no text, which its program mends",
	"%s has a piece of more than %d bytes; shorten that text, or save the sheet as CSV without it":                                                                                 "of workbooks, which a program for them mends",
	"%s becomes more than %d bytes when it is unpacked, which is too much for a workbook; save the sheet as CSV":                                                                   "of workbooks, which a program for them mends",
	"%s has a document type declaration (DOCTYPE), which no part of a workbook may have; open it in a spreadsheet program and save it again":                                       "of workbooks, which a program for them mends",
	"%s is written in %.40q, and only UTF-8 is read; open the workbook in a spreadsheet program and save it again":                                                                 "of workbooks, which a program for them mends",
	"the workbook has more than %d parts; save its sheet as CSV":                                                                                                                   "of workbooks, which a program for them mends",
	"the workbook has more than %d sheets; save the one to read as CSV":                                                                                                            "of workbooks, which a program for them mends",
	"two of its parts have the name %.80q and %.80q, so that programs may read different ones; open it in a spreadsheet program and save it again":                                 "of workbooks, which a program for them mends",
	"the workbook has a password; save it as .xlsx without one, or as CSV":                                                                                                         "of workbooks, which a program for them mends",
	"a binary workbook (.xlsb); open it in a spreadsheet program and save it as .xlsx or CSV":                                                                                      "of workbooks, which a program for them mends",
	"a document of OpenDocument (as .ods is); open it in a spreadsheet program and save it as .xlsx or CSV":                                                                        "of workbooks, which a program for them mends",
	"the workbook has more than %d texts; save its sheet as CSV":                                                                                                                   "of workbooks, which a program for them mends",
	"a text has more than %d bytes; shorten it, or save the sheet as CSV without it":                                                                                               "of workbooks, which a program for them mends",
	"the cell %.20s of the sheet %q is in no column that is read, of which a table has %d; take out columns, or empty the cell":                                                    "of workbooks, which a program for them mends",
	"the cells of the row have more than %d bytes together; shorten them":                                                                                                          "of workbooks, which a program for them mends",
	"the cell is shown as %s, a day that never was; give it another date, or empty it":                                                                                             "of workbooks, which a program for them mends",
	"the cell has a formula without its value; open the workbook in a spreadsheet and save it":                                                                                     "of workbooks, which a program for them mends",
	"the cell has the error %s in the place of a value; mend it, or empty the cell":                                                                                                "of workbooks, which a program for them mends",
	"the row has a cell right of the header, which is the first row and ends with %q; give its column a name, empty the cell, or take out the rows above the names of the columns": "of workbooks, which a program for them mends",
}

const followedSchema = `
prefixes: {example: "http://example.org/"}
types:
  Team: {iri: preserve, properties: {name: {type: string}}}
  Agent: {iri: preserve, abstract: true, properties: {code: {type: string}}}
  Person:
    extends: Agent
    iri: preserve
    label: name
    unique: [[age, note], [name, born]]
    properties:
      name: {type: string}
      age: {type: integer}
      size: {type: decimal}
      born: {type: date}
      note: {type: string}
      team: {class: Team}
      fullTime: {type: boolean}
      fulltime: {type: boolean}
      tags: {type: string, many: true}
      words: {type: lang_string}
      page: {type: iri}
      spot: {type: vector, dim: 2}
      boss: {class: Agent}
  Robot: {extends: Agent, iri: preserve, properties: {}}
  Memo: {label: text, properties: {text: {type: string}, about: {class: Memo}}}
  Book: {iri: key, key: [isbn], properties: {isbn: {type: string, required: true}, title: {type: string}, sub: {type: string}, tag: {type: string}}}
`

// TestARefusalThatIsFollowedIsAccepted makes refused calls, does what their refusals say, and
// makes them again.
func TestARefusalThatIsFollowedIsAccepted(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, followedSchema, invoke.Config{})
	e.Must(t, "load", `{"data": "{\"type\":\"Team\",\"id\":\"red\",\"data\":{}}\n{\"type\":\"Person\",\"id\":\"ann\",\"data\":{\"name\":\"Ann Lee\",\"age\":3,\"team\":\"Team/red\",\"words\":{\"lang\":\"en\",\"value\":\"hi\"}}}"}`)
	e.Must(t, "book.create", `{"isbn": "1-2", "title": "T"}`)
	e.Must(t, "trails.meta.migrate.apply", `{"migrations": [{"name": "0001_first.yaml", "text": "description: first\nsteps: []"}]}`)
	var heard []string
	for _, c := range followed {
		do := func(args string) error {
			if !json.Valid([]byte(args)) {
				t.Fatalf("%s is no JSON", args)
			}
			if slices.Contains([]string{"load", "schema_apply", "trails.meta.migrate.apply", "person.create", "mutate"}, c.capability) {
				args = `{"dry_run": true, ` + args[1:]
			}
			if strings.Contains(args, `"schema": `) {
				args = `{"allow_data_loss": true, ` + args[1:]
			}
			_, err := e.Do(t, c.capability, args)
			return err
		}
		err := do(c.args)
		if err == nil {
			t.Errorf("%s %s is not refused", c.capability, c.args)
			continue
		}
		args := c.args
		for round := 0; err != nil && round < 4; round++ {
			told := []string{fault.Of(err).Message}
			for _, f := range fault.Of(err).Fields {
				told = append(told, f.Message)
			}
			heard = append(heard, told...)
			says := regexp.MustCompile(c.says)
			at := slices.IndexFunc(told, says.MatchString)
			if at < 0 {
				t.Errorf("%s %s: %q does not say %s", c.capability, args, told, c.says)
				break
			}
			m := says.FindStringSubmatchIndex(told[at])
			next := strings.Replace(args, c.old, string(says.ExpandString(nil, c.new, told[at], m)), 1)
			if next == args {
				t.Errorf("nobody can follow %q of %s", told[at], args)
				break
			}
			args = next
			err = do(args)
		}
		if err != nil {
			t.Errorf("%s %s\nis what becomes of %s\nand is refused, too: %v", c.capability, args, c.args, err)
		}
	}
	for _, text := range waysOut(t) {
		fits := regexp.MustCompile(regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(text), ".*"))
		if said, reason := slices.ContainsFunc(heard, fits.MatchString), unfollowed[text]; said != (reason == "") {
			t.Errorf("%q: followed %v, and %q is said to be why not", text, said, reason)
		}
	}
}

// waysOut are the texts of the sources of what is refused that say what to do instead.
func waysOut(t *testing.T) (all []string) {
	t.Helper()
	says := regexp.MustCompile(`; (?:a group|add|alter|apply|change|choose|compare|cut|drop|empty|give|it has|keep|load|map|mend|open|save|merge|name|put|raise|remove|rename|say|shorten|split|take|there is|write)\b|did you mean|^(?:say|write it)|says so|passes|says which`)
	for _, pattern := range []string{"../schema/patch*.go", "../schema/check*.go", "../schema/yaml*.go", "../kg/load/*.go", "../capability/check.go", "../schema/name.go", "../schema/number.go", "../schema/closed.go", "../schema/migration/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, error %v", pattern, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(source, func(n ast.Node) bool {
				literal, isLiteral := n.(*ast.BasicLit)
				if !isLiteral || literal.Kind != token.STRING {
					return true
				}
				if text, err := strconv.Unquote(literal.Value); err == nil && says.MatchString(text) {
					all = append(all, text)
				}
				return true
			})
		}
	}
	return all
}
