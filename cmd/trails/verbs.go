package main

import (
	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/kg/load"
	"trails/rdf"
)

// verbs is the table of commands, in the order of first use.
func (p *program) verbs() []verb {
	server := &namedServer{}
	ofMigrations := map[string]option{"migrations": {hidden: true}}
	ofServer := map[string]option{"name": {complete: p.completeUpstream}}
	schemaOptions := map[string]option{
		"schema": {file: true}, "patch": {file: true, usage: "a `file` with steps, - for stdin, in the place of SCHEMA"},
		"allow_data_loss": {usage: "take steps that lose data"}, "allow_broken_queries": {usage: "leave stored queries that it breaks"},
	}
	return []verb{
		{path: "init", by: p.initCommand},
		{path: "import", by: p.importCommand, covers: "import_plan import import_types"},
		{
			path: "load", capability: "load", words: "DATA...",
			short: "Load data as one atomic commit",
			long: `Load data into FILE: any number of files, plain or gzip, and - for stdin. All of it is
validated and becomes one commit, or nothing is changed. The format is told by the name, or by
how the data begins: NDJSON, CSV, TSV, XLSX, JSON arrays, N-Quads, N-Triples, Turtle, TriG,
JSON-LD, RDF/XML, as UTF-8 or UTF-16. Nothing is fetched from the network: a JSON-LD context
stands in the document, or is given with --context; trails://schema names the one that the
graph's own schema makes.

NDJSON has one record a line, {"type":"Note","id":"n1","data":{...}} or
{"edge":"cites","from":"Note/n1","to":"Note/n2"}. A bad line is reported with its
file, line, field and reason, all at once; those of one kind are one, with their number.
Statements of RDF text with an IRI or a language tag that is none are left out with --lenient,
and listed in the file of --rejects. With --keep-going --rejects bad rows and records are left
out, the good ones become one commit, and the file has the bad ones with what is wrong with
each, as CSV or NDJSON: mend it and load it in the same way.

With --type the rows of a table, and objects of JSON that are no records, are nodes of that type.
Columns are called as its properties, whatever the case, or --map says which they are. An empty
cell says nothing. Many values in a cell are separated by ";", or are a JSON array.

  merge      make new nodes, set the given properties of existing ones (default)
  append     make new nodes only; one that exists is refused
  overwrite  replace every instance of the types that the data has
  replace    put RDF text in the place of the graph that --graph names; statements that
             stay are not touched

With --from, the branch of --branch is made if it is not there, in the same commit.
`,
			example: `  trails load notes.trails notes.ndjson edges.ndjson.gz
  trails load notes.trails people.csv --type Person --map "Full name=name" --map Fax= --id email
  zcat dump.nq.gz | trails load notes.trails - --format nquads --message "nightly dump"
  trails load notes.trails vocabulary.ttl --graph urn:vocabulary --replace
  trails load notes.trails page.jsonld --context https://example.org/context=context.jsonld
  trails load notes.trails people.csv --type Person --keep-going --rejects bad.csv
  trails load notes.trails people.csv --type Person --branch people --from main`,
			only: "format mode type map id dates decimal sheet graph contexts base keep_going lenient from" + ofWrites,
			options: map[string]option{
				"mode":       {usage: words(load.Modes())},
				"type":       {usage: "`name` of the type that rows of tables and objects of JSON are of"},
				"map":        {usage: "`COLUMN=PROPERTY`: what a column that is not called so is, without PROPERTY nothing; can be repeated", read: anything(func(given []string) (map[string]string, error) { return columnsOf("map", given) })},
				"id":         {usage: "`column` that has the ids (default: the one called id, else the type makes them)"},
				"graph":      {usage: "`IRI` of the graph for quads that name none (default: " + string(rdf.DefaultGraph) + ")"},
				"contexts":   {flag: "context", usage: "`URL=FILE`: what a JSON-LD context that the data names is; can be repeated", read: anything(contextsOf)},
				"from":       {usage: "the `branch` or commit from which the branch of --branch is made, if it is not there", complete: p.completeStates},
				"keep_going": {usage: "with --rejects: leave out bad rows and records; without it all bad lines are reported, as they are anyway, and nothing is changed"},
				"lenient":    {usage: "leave out statements of RDF text with an IRI or a language tag that is none"},
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("replace", false, "the same as --mode replace")
				cmd.Flags().String("rejects", "", "`FILE` for what --lenient or --keep-going leaves out: statements, or the rows, to be mended and loaded")
			},
			run: (*asked).load,
		},
		{path: "export", by: p.exportCommand, covers: "export"},
		{
			path: "query", capability: "query", words: "FILE... SPARQL", files: true,
			short: "Ask a graph, or files of RDF, in SPARQL",
			long: `Answer a SPARQL 1.1 query on FILE: SELECT, ASK, CONSTRUCT or DESCRIBE. The whole answer is
written as it is found: rows as a table on a terminal and as TSV elsewhere, or with -o as
table, json, xml, csv or tsv; graphs as Turtle, or with -o as turtle, ntriples, jsonld or rdfxml.
With -o json rows are SPARQL 1.1 Query Results JSON, and graphs JSON-LD.

FILE is a database, told by how it begins, or any number of other files in the formats of
trails load except NDJSON, plain or gzip, and - for stdin. These are read into a database of
their own, which is removed at the end: triples into the default graph, quads into their graphs,
and files of --named into a graph of their name. Relative IRIs in a file are relative to it.
` + paramHelp + remoteHelp + fileHelp,
			example: `  trails query notes.trails 'SELECT ?type (COUNT(*) AS ?n) { ?node a ?type } GROUP BY ?type'
  trails query notes.trails -f report.rq -o csv > report.csv
  trails query notes.trails 'DESCRIBE ?node' --param node='<urn:trails:notes:Note/n1>'
  trails query notes.trails -f slow.rq --explain
  trails query notes.trails -f slow.rq --explain=sql
  trails query notes.trails 'SELECT * { ?node a :Note }' --at 3f9a01c2
  trails query data.ttl other.nq.gz 'SELECT DISTINCT ?type { ?s a ?type }'
  trails query data.rdf 'CONSTRUCT WHERE { ?s ?p ?o }' > data.ttl`,
			only: "params base branch at",
			options: map[string]option{
				"base": {usage: "`IRI` that relative ones in the query, and in files of data, are resolved against"},
			},
			own: func(cmd *cobra.Command) {
				flags := cmd.Flags()
				flags.String("explain", "", "show how the query is run, and how many rows it has, not these; =sql shows the `SQL`, too")
				flags.Lookup("explain").NoOptDefVal = explainPlan
				flags.StringP("file", "f", "", "`file` with the query, or - for stdin, in the place of SPARQL")
				flags.Duration("timeout", 0, "`DURATION` after which it is given up, as 30s (default: none)")
				flags.String("format", "auto", "`FORMAT` of files of data: "+words(queryFormats()))
				flags.StringArray("named", nil, "`FILE` of data for a graph named by the file's IRI, or IRI=FILE; may be repeated")
				completeWords(cmd, "format", texts(queryFormats())...)
				p.remoteFlag(cmd)
			},
			forms: queryOutputs, run: (*asked).query,
		},
		{
			path: "query add", capability: "trails.meta.query.add", words: "QUERY...",
			short: "Store queries in the file, to be asked by name",
			long: `Store queries and updates of SPARQL in FILE, all of them or, when one is wrong, none. QUERY is
a file, a folder, of which all .rq and .ru files are taken, or - for stdin. Each query becomes a
tool of MCP, POST /queries/NAME, and trails q NAME. One with the same id is replaced.

A query says what it is in its first lines, comments that begin with "#+" and are YAML:

  #+ id: techniques_of_group          the file's name without its end when left out
  #+ description: Techniques that a group uses.
  #+ instruction: Find the group by search first.
  #+ params:
  #+   group: ref(Group)              string bool int bigint float decimal date datetime iri
  #+   since: {type: date, nullable: true}        ref(Type) blob vector list(…)
  #+   most: {type: int, default: 20, max_value: 100}
  #+ expose: false                    no tool, but callable by name
  #+ tool_name, cost, idempotent      the tool's name; constant, change, result or graph; of updates

A parameter is a variable of the text, and its value is put in as a term, never as text. A list
is any of its values. One that is nullable and left out leaves its variable free.`,
			example: `  trails query add notes.trails queries/
  trails query add notes.trails open-tasks.rq --dry-run
  trails q notes.trails open_tasks owner=ana`,
			options: map[string]option{"queries": {hidden: true}},
			text:    decoded(writeStoring), run: (*asked).storeQueries,
		},
		{
			path: "query list", capability: "stored_query_list",
			short:   "List the stored queries of the file",
			long:    "List the stored queries of the file with their parameters; ? behind one means that it can be left out.",
			example: `  trails query list notes.trails`,
			options: map[string]option{"name": {hidden: true}},
			text:    decoded(writeStored),
		},
		{
			path: "query rm", capability: "trails.meta.query.remove", words: "NAME...", takes: "names",
			short:   "Remove stored queries from the file",
			long:    "Remove stored queries from the file, as one commit. The history keeps them.",
			example: `  trails query rm notes.trails open_tasks`,
			options: map[string]option{"names": {complete: p.completeStored}},
		},
		{
			path: "q", capability: "stored_query_run", words: "[NAME] [PARAM=VALUE...]", takes: "name",
			short: "Ask a stored query, or run a stored update",
			long: `Ask the stored query NAME of FILE, or run the stored update, with values for its parameters: as
text, repeated for a list, or PARAM:=JSON. Without NAME it lists what there is. The whole answer is
written as it is found, in the forms of trails query.`,
			example: `  trails q notes.trails
  trails q notes.trails open_tasks owner=Person/ana -o csv
  trails q notes.trails open_tasks owner=Person/ana --at 3f9a01c2`,
			only: "at" + ofWrites, options: map[string]option{"name": {complete: p.completeStored}}, later: p.completeStored,
			forms: queryOutputs, run: (*asked).runStored,
		},
		{
			path: "update", capability: "mutate", words: "[SPARQL]",
			short: "Change the graph by SPARQL, as one atomic commit",
			long: `Run a SPARQL 1.1 update on FILE: INSERT and DELETE, with DATA, WHERE or both, WITH and
USING, LOAD, CLEAR, DROP, CREATE, COPY, MOVE and ADD. All operations, parted by semicolons, become
one commit: each sees what those before it did, the end of it is validated, and if anything
is refused nothing is changed. LOAD and SERVICE are answered before the file is locked.
` + paramHelp + remoteHelp,
			example: `  trails update notes.trails 'PREFIX : <urn:trails:notes:> DELETE { ?n :status "draft" } INSERT { ?n :status "done" } WHERE { ?n :status "draft" }' --dry-run
  trails update notes.trails -f clean-up.ru --message "clean up"
  trails update notes.trails 'DELETE WHERE { ?node ?p ?o }' --param node='<urn:trails:notes:Note/n1>'`,
			only: "params base timeout_ms ask" + ofWrites,
			options: map[string]option{
				"base":       {usage: "`IRI` that relative ones in the update are resolved against"},
				"timeout_ms": {usage: "`milliseconds` after which it is given up and nothing is changed", value: "600000"}, // as long as any may take
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().StringP("file", "f", "", "`file` with the update, or - for stdin, in the place of SPARQL")
				p.remoteFlag(cmd)
			},
			run: (*asked).update,
		},
		{path: "mcp", by: p.mcpCommand},
		{path: "install", by: p.installCommand},
		{path: "uninstall", by: p.uninstallCommand},
		{path: "serve", by: p.serveCommand},
		{path: "proxy", by: p.proxyCommand},
		{path: "demo", by: p.demoCommand},
		{path: "invoke", by: p.invokeCommand, covers: "capability_history"},
		{path: "schema", by: p.schemaCommand, covers: "trails.meta.schema.plan trails.meta.schema.apply"},
		{
			path: "schema show", capability: "schema_get",
			short: "Print the schema, one type of it, or its outline",
			long: `Print the schema: as YAML, which schema apply reads back, as JSON, or as SHACL in Turtle; or
as an outline, a line for each type. With --type it is that type alone, in YAML as a patch
has it, or in JSON.`,
			example: `  trails schema show notes.trails > schema.yaml
  trails schema show notes.trails --format outline
  trails schema show notes.trails --type Note`,
			options: map[string]option{"format": {value: "yaml", usage: "yaml, json, turtle or outline"}, "type": {usage: "only this `type`"}},
			text:    writeSchema,
		},
		{
			path: "schema plan", capability: "schema_apply", words: "[SCHEMA]", takes: "schema",
			short: "Say of each step to a new schema whether it is safe, breaks nodes or loses data",
			long: `List the steps from the graph's schema to the one in SCHEMA (YAML, - for stdin), or those of
a patch, and say of each whether it is safe, which data contradicts it, and what it loses; and
which stored queries it renames something in, or breaks, with the place. Nothing is changed.
It exits with 6 when data or a stored query contradicts the new schema.
` + patchHelp,
			example: `  trails schema plan notes.trails schema.yaml
  trails schema plan notes.trails --patch patch.yaml`,
			only: "patch", always: arguments{"plan": true}, options: schemaOptions,
			text: decoded(writePlan), run: (*asked).changeSchema,
		},
		{
			path: "schema apply", capability: "schema_apply", words: "[SCHEMA]", takes: "schema",
			short: "Make a new schema the graph's, whole or by a patch, as one commit",
			long: `Make the schema in SCHEMA (YAML, - for stdin) the graph's, or the one that the steps of a
patch lead to, as one commit. What the data contradicts is refused, and so is a step that
loses data without --allow-data-loss, or breaks a stored query without --allow-broken-queries.
A new name takes the statements and the stored queries with it.
` + patchHelp,
			example: `  trails schema apply notes.trails schema.yaml --message "notes have a status"
  trails schema apply notes.trails --patch patch.yaml --dry-run
  echo '- add_property: {Note.due: date}' | trails schema apply notes.trails --patch -`,
			only: "patch allow_data_loss allow_broken_queries ask" + ofWrites, options: schemaOptions,
			text: decoded(writeApplied), run: (*asked).changeSchema,
		},
		{
			path: "schema history", capability: "commits_list",
			short:   "List the commits that changed the schema, newest first",
			example: `  trails schema history notes.trails`,
			always:  arguments{"whole": true, "schema_only": true},
			text:    decoded(writeLog),
		},
		{path: "schema infer", by: p.schemaInferCommand},
		{path: "migrate", by: p.migrateCommand},
		{
			path: "migrate new", capability: "trails.meta.migrate.status", words: "NAME", later: cobra.NoFileCompletions,
			short: "Write the next migration, from the difference to a schema or empty",
			long: `Write the file of the next migration: with --schema its steps lead from the graph's schema to
that one, without it stands empty, with what there can be in comments. A new name is one
property that goes and one that comes, until you write rename_property in their place.
` + stepsHelp,
			example: `  trails migrate new notes.trails add_due --schema schema.yaml
  trails migrate new notes.trails tidy_states --dir db/migrations`,
			options: ofMigrations,
			own: func(cmd *cobra.Command) {
				cmd.Flags().String("dir", migrationsDir, "the `folder` of migrations")
				completeFlag(cmd, "dir", completeFolders)
				cmd.Flags().String("schema", "", "a `file` with the schema to come, in YAML, - for stdin")
			},
			run: (*asked).migrateNew,
		},
		{
			path: "migrate status", capability: "trails.meta.migrate.status", words: "[DIR]", later: completeFolders,
			short: "List the migrations that are applied, and those of DIR that are not",
			long: `List the migrations that the graph has had applied, by whom, when and in which commit, and
those of DIR that are to come. It exits with 6 when those of DIR do not fit: a text that changed
after it was applied, a gap, two of one number.`,
			example: `  trails migrate status notes.trails
  trails migrate status notes.trails db/migrations -o json`,
			options: ofMigrations, text: decoded(writeMigrationStatus), run: (*asked).migrateStatus,
		},
		{
			path: "migrate plan", capability: "trails.meta.migrate.plan", words: "[DIR]", later: completeFolders,
			short: "Try the migrations that are to come, and say what they would change",
			long: `Try the migrations of DIR that are not applied, one after the other, and say what each does,
the nodes that would break, how it goes back, and which statements all of them change. Nothing is
changed. It exits with 6 when data or a stored query contradicts one.
` + stepsHelp,
			example: `  trails migrate plan notes.trails
  trails migrate plan notes.trails db/migrations --to 7`,
			options: ofMigrations, own: p.toFlag("only up to this `number`", "pending"),
			text: decoded(writeMigrationPlan), run: (*asked).migratePlan,
		},
		{
			path: "migrate apply", capability: "trails.meta.migrate.apply", words: "[DIR]", later: completeFolders,
			short: "Apply the migrations of DIR that are not applied, one commit each",
			long: `Apply the migrations of DIR that are not applied, in the order of their numbers, each as one
commit that is validated like any other: all of it, or nothing. What is applied stays when a later
one is refused, and the next apply goes on from there. --dry-run tries the next one. One that would
remove more than 1,000 statements needs a yes at the terminal or --allow-mass-change.
` + stepsHelp,
			example: `  trails migrate apply notes.trails
  trails migrate apply notes.trails db/migrations --to 7 -m "release 12"`,
			options: ofMigrations, own: p.toFlag("only up to this `number`", "pending"),
			run: (*asked).migrateApply, several: true,
		},
		{
			path: "migrate rollback", capability: "trails.meta.migrate.rollback",
			short: "Take back the last migration, or all after a number",
			long: `Take back the migration that was applied last, as one commit; with --to those above that
number, one commit each, the newest first. Schema and data are then as before it, with what came
since. It is refused, and exits with 4, naming the nodes, where data that it did not add would be
lost (see --allow-data-loss), or later data changed the same values.`,
			example: `  trails migrate rollback notes.trails --dry-run
  trails migrate rollback notes.trails --to 3`,
			options: map[string]option{"number": {hidden: true}, "allow_data_loss": {usage: "remove data that the migration did not add"}},
			own:     p.toFlag("down to this `number`, which stays; 0 takes back all", "applied"),
			text:    decoded(writeRolledBack), run: (*asked).migrateRollback, several: true,
		},
		{
			path: "promote", capability: "trails.meta.promote.apply", words: "FROM TO", files: true, covers: "trails.meta.promote.plan trails.meta.promote.undo",
			short: "Bring schema, stored queries and migrations of one file to another, never data",
			long: `Make the definitions of FROM those of TO, as one commit: first the migrations that TO has not
had applied, with what they do to its data, then what is left between the schemas, then the stored
queries. What it does is shown first, and at a terminal you are asked. FROM is not changed, and
each file keeps its base.

It is refused, and nothing is changed, when the data of TO contradicts it, with the nodes; when TO
has migrations that FROM lacks; when TO has definitions of its own, or changed some since the last
promotion, without --replace; when statements would be lost, by the schema or by an update of a
migration, without --allow-data-loss; and when more than 1,000 would go, without a yes at the
terminal or --allow-mass-change.
--undo takes the commit of a promotion back; then there is no FROM.
`,
			example: `  trails promote dev.trails production.trails --plan
  trails promote dev.trails production.trails -m "release 7"
  trails promote production.trails --undo 3f5a9c0d2b71`,
			options: map[string]option{
				"definitions": {hidden: true}, "replace": {usage: "let go what TO defines itself"},
				"allow_data_loss": {usage: "remove statements that have no place any more"},
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("plan", false, "only say what it would do, and which nodes stand against it")
				cmd.Flags().Bool("yes", false, "do not ask at a terminal")
				cmd.Flags().String("undo", "", "take back the promotion of this `commit`")
			},
			text: decoded(writePromoted), run: (*asked).promote,
		},
		{path: "gateway", by: p.gatewayCommand},
		{
			path: "gateway add", capability: "trails.meta.gateway.add", words: "NAME [ARG...]",
			short: "Name a server in the file, in the place of one with the same name",
			long: `Name a server in FILE, and agree that it is reached from this machine: a command that speaks MCP
over its standard input and output, or an address. Its tools are found under NAME, or --namespace.
It is tried once, and what does not answer is warned of; it stays in the file.

With --caller-header or --caller-env each caller reaches it with a credential of their own, which
is neither in the file nor in the definition: over HTTP it is sent with each request, in the header
Trails-Upstream-NAME; at the command line and over stdio it is in the variable TRAILS_UPSTREAM_NAME.`,
			example: `  trails gateway add notes.trails files --stdio npx -- -y @modelcontextprotocol/server-filesystem /srv/docs
  trails gateway add notes.trails github --http https://api.example.org/mcp --header 'Authorization: Bearer ${GITHUB_TOKEN}'
  trails gateway add notes.trails github --http https://api.example.org/mcp --caller-header Authorization`,
			options: map[string]option{"definition": {hidden: true}},
			own:     server.flags, run: server.add,
		},
		{
			path: "gateway list", capability: "gateway_list",
			short:   "List the servers that the file names",
			long:    "List the servers that FILE names, and whether they can be reached from this machine.",
			example: `  trails gateway list notes.trails`,
			text:    decoded(writeUpstreams),
		},
		{
			path: "gateway show", capability: "gateway_show", options: ofServer,
			short: "Reach a server, and list what it offers",
			long: `Start a server of FILE, or reach it, and list its tools, resources and prompts, each with the id
under which it is found.`,
			example: `  trails gateway show notes.trails files`,
			text:    decoded(writeUpstream),
		},
		{
			path: "gateway refresh", capability: "gateway_refresh", options: ofServer,
			short: "Ask a server anew what it offers, and show what is not as accepted",
			long: `Reach a server of FILE, ask it what it offers, and show what is not as it was accepted. The file
is not changed: accept does that.`,
			example: `  trails gateway refresh notes.trails files`,
			text:    decoded(writeReview),
		},
		{
			path: "gateway accept", capability: "trails.meta.gateway.accept", words: "NAME [TOOL...]", takes: "name tools",
			short: "Show what a server offers otherwise than accepted, and accept it",
			long: `Reach a server of FILE, show how what it offers differs from what was accepted, and accept it, as
one commit: all, or the tools, resources and prompts that are named. Of a server that was added
with --pin nothing else is offered. The server's texts are shown as it says them: read them as
instructions that an agent may follow.`,
			example: `  trails gateway accept notes.trails files
  trails gateway accept notes.trails files read_file list_directory
  trails gateway accept notes.trails files --dry-run`,
			options: map[string]option{"name": {complete: p.completeUpstream}, "tools": {complete: p.completeAccepting}, "digest": {hidden: true}, "ask": {hidden: true}},
			own:     func(cmd *cobra.Command) { cmd.Flags().Bool("yes", false, "do not ask") },
			run:     (*asked).accept,
		},
		{path: "gateway trust", by: p.gatewayTrustCommand},
		{
			path: "gateway rm", capability: "trails.meta.gateway.remove", options: ofServer,
			short:   "Remove a server from the file",
			long:    "Remove a server from FILE, as one commit. What was agreed to on machines stays agreed to.",
			example: `  trails gateway rm notes.trails files`,
		},
		{
			path: "gateway settings", capability: "trails.meta.gateway.configure", words: "[JSON|@SETTINGS|-]",
			short: "Show how tools of the servers are called, or set it",
			long: `Show how tools of upstream servers are offered and called, or set it in the place of what was set:
as JSON, from a file behind @, or from stdin. What is left out is as usual, and {} is all of that.

  tolerant_args   true repairs arguments of the wrong form, by fixed rules
  cache_stable    true keeps what an agent has been shown in its place
  retry           max_attempts (1), base_delay_ms, max_delay_ms, jitter (0 to 1), retryable_codes
  cache           read_only (true keeps answers of tools that say that they only read),
                  allow (ids of the only tools to believe), ttl_s (60), entries (1000)
  rate_limits     meta_tools (tool_browse, tool_execute, tool_view) and tools (by id),
                  each with max_calls_per_minute and max_calls_per_session
  result_chars    how long a result may be that is passed on as it is (4000)
  embeddings      url and model of an endpoint, as OpenAI's, that makes vectors of texts, and key_env,
                  a variable of the environment with its key: what is browsed is ranked by its
                  meaning, too, and queries, descriptions of tools and texts of properties with
                  embed: true are sent to the endpoint, see trails embed.
                  To set it here agrees that they are sent from this machine
`,
			example: `  trails gateway settings notes.trails
  trails gateway settings notes.trails '{"retry": {"max_attempts": 3, "base_delay_ms": 200}}'
  trails gateway settings notes.trails @settings.json --dry-run
  trails gateway settings notes.trails '{"embeddings": {"url": "http://localhost:11434/v1/embeddings", "model": "all-minilm"}}'`,
			options: map[string]option{"settings": {hidden: true}},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("elsewhere", false, "do not agree that texts are sent to the endpoint of embeddings from this machine")
			},
			run: (*asked).settings,
		},
		{path: "gen", by: p.genCommand},
		{
			path: "gen shape", capability: "trails.meta.gen.shape", words: "TYPE", takes: "type",
			short: "A type of the schema as SHACL, in Turtle",
			long: `Propose shapes/TYPE.ttl: the type as SHACL, with the types that it extends, by which any SHACL
processor checks data.`,
			example: `  trails gen shape notes.trails Note --write`,
			options: map[string]option{"now": {hidden: true}},
			own:     genFlags, text: decoded(writeDiffs), run: (*asked).propose,
		},
		{
			path: "gen type", capability: "trails.meta.gen.type", words: "TYPE [PROPERTY...]", takes: "type properties",
			short: "A schema patch that adds a type",
			long: `Propose schema/add_TYPE.yaml: a patch for schema plan and schema apply that adds the type. A
PROPERTY is a name, a colon, and what the schema's YAML says of a property: "due: date", or
"owner: {class: Person, required: true}".`,
			example: `  trails gen type notes.trails Task "title: {type: string, required: true}" "due: date" --write
  trails schema apply notes.trails --patch schema/add_task.yaml`,
			options: map[string]option{
				"now": {hidden: true}, "type": {complete: cobra.NoFileCompletions}, "description": {usage: "what the type is"},
				"label": {usage: "the `property` that people read; by itself one called label, name or title"},
			},
			own: genFlags, text: decoded(writeDiffs), run: (*asked).propose,
		},
		{
			path: "gen capability", capability: "trails.meta.gen.capability", words: "ID TYPE", takes: "id type",
			short: "A Go capability about a type, and its test",
			long: `Propose a Go file with the capability ID, such as task.find, its test, and the schema of the
test. It lists the nodes of TYPE by some of their properties, or with --writes creates one, and is
where your own begins: docs/extending.md says how a program offers it.`,
			example: `  trails gen capability notes.trails note.find Note --property title --write
  trails gen capability notes.trails note.add Note --writes -o json`,
			options: map[string]option{
				"now": {hidden: true}, "description": {usage: "what it does"}, "writes": {usage: "create a node, in the place of listing"},
				"properties": {flag: "property", usage: "a `property` of the type that it takes; may be repeated"},
			},
			own: genFlags, text: decoded(writeDiffs), run: (*asked).propose,
		},
		{
			path: "gen migration", capability: "trails.meta.gen.migration", words: "NAME SCHEMA", takes: "name schema",
			short: "The next migration, from the schema to another one",
			long: `Propose migrations/NNNN_NAME.yaml: a migration from the graph's schema to the one in SCHEMA
(YAML, - for stdin). trails migrate new does the same in a folder where migrations wait, and
counts those.`,
			example: `  trails gen migration notes.trails add_due schema.yaml --write
  trails migrate plan notes.trails`,
			options: map[string]option{"now": {hidden: true}, "schema": {file: true}, "number": {usage: "its `number`, where migrations wait to be applied"}},
			own:     genFlags, text: decoded(writeDiffs), run: (*asked).propose,
		},
		{
			path: "log", capability: "commits_find", covers: "refusals_list commits_list",
			short: "List the commits, or the calls that were refused, newest first",
			long: `List the commits of the graph, newest first: when, who, through which door, what it did, and why.
--when takes a word such as yesterday, a day, a month, or FROM..TO of these, in UTC.

With --denied it lists the calls that were denied, of the whole file: who was refused what, and why.
A request without a valid token is a call of authenticate; there is at most one a minute of each
address and reason. With --refused those are listed, too, that were invalid or failed.`,
			example: `  trails log notes.trails
  trails log notes.trails -n 5 -o json
  trails log notes.trails --when yesterday --origin agent
  trails log notes.trails --type Note --when 2026-11
  trails log notes.trails --denied
  trails log notes.trails --refused --actor token:ci -o json`,
			always: arguments{"whole": true}, options: map[string]option{"schema_only": {hidden: true}, "days": {hidden: true}},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("denied", false, "list the calls that were denied, in the place of commits")
				cmd.Flags().Bool("refused", false, "list the calls that were denied, invalid or failed")
				cmd.Flags().String("actor", "", "with --denied or --refused, the calls of this `CALLER` alone, such as token:ci")
				completeFlag(cmd, "actor", p.completeActors)
			},
			text: decoded(writeLog), run: (*asked).log,
		},
		{
			path: "changes", capability: "changes",
			short: "Read what commits changed, from a place on",
			long: `Read what the commits of a branch changed, oldest first: each property of a node with the values
that were taken away and added, nodes before what refers to them. A page ends with a cursor, from
which the next one begins, now or later; it is of one branch.`,
			example: `  trails changes notes.trails
  trails changes notes.trails --start after:head~2
  trails changes notes.trails --start now --follow -o json
  trails changes notes.trails --cursor main@9ceee599a1b2 -o json`,
			options: map[string]option{
				"start":  {usage: "where to begin: beginning, now, or after:`COMMIT` (default: beginning)"},
				"cursor": {usage: "`cursor` at the end of the page before"},
				"limit":  {usage: "show at most this `many` properties of nodes"},
				"quads":  {usage: "with -o json, the statements as N-Quads, too"},
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("follow", false, "stay, and show what is changed from now on by any process; with -o json an object a line")
			},
			text: decoded(writeFeed), run: (*asked).changes,
		},
		{path: "branch", by: branchCommand},
		{
			path: "branch list", capability: "branches_list",
			short: "List the branches",
			long:  "List the branches of the graph: what each was made from, its head, and when that was made.",
			example: `  trails branch list notes.trails
  trails branch list notes.trails -o json`,
		},
		{
			path: "branch create", capability: "branches_create", words: "[NAME]", takes: "name",
			short: "Make a branch",
			long: `Make a branch of the graph, from the head of main or from what --from names: a branch, or a
commit. It takes no time and no room, whatever the size of the graph. Reads and writes take it as
--branch. With --draft it is named after you.`,
			example: `  trails branch create notes.trails review
  trails branch create notes.trails --draft
  trails update notes.trails -f tidy.ru --branch review
  trails branch create notes.trails spring --from head~10`,
			options: map[string]option{
				"from":  {usage: "the `branch` or commit that it is made from (default: main)", complete: p.completeStates},
				"draft": {usage: "name it after you, in the place of NAME"},
			},
		},
		{
			path: "branch rename", capability: "branches_rename", words: "NAME TO", takes: "name to",
			short: "Give a branch another name",
			long: `Give a branch another name. Its commits and what was made from it stay as they are. Main is not
renamed.`,
			example: `  trails branch rename notes.trails review review/spring`,
			options: map[string]option{"name": {complete: p.completeBranches}},
		},
		{
			path: "branch reset", capability: "branches_reset", words: "NAME TO", takes: "name to",
			short: "Make a commit the head of a branch",
			long: `Make the commit TO the head of a branch. The commits after it stay in the file, and are read by their
ids with --at, until gc drops them. Main is not reset: undo takes back what its commits did, as a new commit.`,
			example: `  trails branch reset notes.trails review head~2
  trails branch reset notes.trails review main`,
			options: map[string]option{"name": {complete: p.completeBranches}, "to": {complete: p.completeStates}},
		},
		{
			path: "branch protect", capability: "branches_protect", words: "NAME", takes: "name",
			short: "Let only those who may decide move a branch",
			long: `Protect a branch: whatever the call, only callers with the scope builder move its head, which on the
command line is everybody. Agents and pages with less write on a draft and ask for a merge, which
waits until it is approved: see trails request.`,
			example: `  trails branch protect notes.trails main
  trails branch unprotect notes.trails main`,
			always: arguments{"protected": true}, options: map[string]option{"name": {complete: p.completeBranches}},
		},
		{
			path: "branch unprotect", capability: "branches_protect", words: "NAME", takes: "name",
			short:   "Let everybody write a branch again",
			long:    `Let everybody who may write move the head of a branch again.`,
			example: `  trails branch unprotect notes.trails main`,
			always:  arguments{"protected": false}, options: map[string]option{"name": {complete: p.completeBranches}},
		},
		{
			path: "branch delete", capability: "branches_delete", words: "NAME", takes: "name",
			short: "Delete a branch",
			long: `Delete a branch. Its commits stay in the file, and are read by their ids with --at, until gc drops
them. A branch that others were made from is deleted after these; main is not deleted.`,
			example: `  trails branch delete notes.trails review`,
			options: map[string]option{"name": {complete: p.completeBranches}},
		},
		{
			path: "branch merge", capability: "branches_merge", words: "SOURCE", takes: "source",
			short: "Take what a branch changed into another",
			long: `Take what the branch SOURCE changed into another one, main unless --into names it, as one commit
that is validated like any other. What the two changed of different properties goes together. Where
both changed one value differently, or one changed what the other deleted, nothing is merged until
that is decided: the clashes are listed, and the command exits with 4. --take decides all of them,
--resolve single ones. In both, ours is the branch that is merged into, theirs is SOURCE, and base
is the commit that they have in common.`,
			example: `  trails branch merge notes.trails review --dry-run
  trails branch merge notes.trails review --take theirs -m "reviewed by ana"
  trails branch merge notes.trails review --resolve Note/a.title=ours --resolve Note/b=theirs
  trails branch merge notes.trails review --resolve 'Note/a.title:=Both titles'
  trails branch merge notes.trails main --into review`,
			options: map[string]option{
				"source": {complete: p.completeBranches}, "target": {flag: "into", usage: "the `branch` that it is merged into (default: main)", complete: p.completeBranches},
				"ask":    {usage: "do not merge, but ask somebody who may decide"},
				"branch": {hidden: true}, "take": {usage: "the `side` that decides all other clashes: ours, theirs or base"},
				"resolutions": {flag: "resolve", usage: "`NODE.PROPERTY=SIDE`, NODE=SIDE or NODE.PROPERTY:=VALUE; a node whose own name has a dot ends in one; may be repeated"},
			},
			text: decoded(writeMerged),
		},
		{path: "request", by: requestCommand},
		{
			path: "request list", capability: "requests_list",
			short: "List what waits for approval",
			long: `List the merges and other calls that wait for somebody who may decide, the newest first. One has
lapsed when a branch has moved since it was asked for. With --all, those that were decided, too.
The lines have what tells requests apart: -o table, csv or json has all that is known of each, and
trails request show all arguments of one.`,
			example: `  trails request list notes.trails
  trails request list notes.trails --all -o json`,
			options: map[string]option{"before": {usage: "list those before this `number`"}, "request": {hidden: true}},
			forms:   "text table json csv", text: p.writeRequests,
		},
		{
			path: "request show", capability: "requests_list", words: "REQUEST", takes: "request", only: "request",
			short:   "Show a request with all of its arguments",
			long:    `Show who asks for what, with all arguments, and what became of it.`,
			example: `  trails request show notes.trails 3`,
			options: map[string]option{"request": {complete: p.completeRequests}}, text: decoded(writeRequest),
		},
		{
			path: "request approve", capability: "requests_decide", words: "REQUEST", takes: "request",
			short: "Make the merge or the call that was asked for",
			long: `Make the merge that was asked for, as it was shown: of the same commits. Clashes that it leaves open
are decided here, as by branch merge. Another call is made with the arguments that were kept, by
who approves it. If the branch has moved since, --dry-run shows what it would do now, and
--if-commit names the head that was looked at.`,
			example: `  trails request approve notes.trails 3 --dry-run
  trails request approve notes.trails 3 --resolve Note/a.title=theirs --reason "checked with ana"`,
			always: arguments{"decision": "approve"},
			options: map[string]option{
				"request": {complete: p.completeRequests}, "branch": {hidden: true}, "reason": {usage: "`why`"}, "take": {usage: "the `side` that decides all other clashes: ours, theirs or base"},
				"resolutions": {flag: "resolve", usage: "`NODE.PROPERTY=SIDE`, NODE=SIDE or NODE.PROPERTY:=VALUE; may be repeated"},
			},
			text: decoded(writeDecided),
		},
		{
			path: "request decline", capability: "requests_decide", words: "REQUEST", takes: "request", only: "reason dry_run",
			short:   "End a request without what it asks for",
			long:    `End a request without what it asks for. The branch stays as it is.`,
			example: `  trails request decline notes.trails 3 --reason "ask again without the dates"`,
			always:  arguments{"decision": "decline"}, options: map[string]option{"request": {complete: p.completeRequests}, "reason": {usage: "`why`"}},
			text: decoded(writeDecided),
		},
		{
			path: "tag", capability: "tags_create", words: "NAME [COMMIT]", takes: "name commit",
			short: "Give a commit a name",
			long: `Give a commit a name, the head of main unless COMMIT names another one. Reads take it as --at, and it
stands wherever a commit is named.`,
			example: `  trails tag notes.trails v1
  trails tag notes.trails before-import head~1
  trails list notes.trails Note --at v1
  trails tag list notes.trails`,
			options: map[string]option{"name": {complete: cobra.NoFileCompletions}},
		},
		{
			path: "tag list", capability: "tags_list",
			short:   "List the tags",
			long:    `List the tags, in the order in which they were made.`,
			example: `  trails tag list notes.trails`,
		},
		{
			path: "tag delete", capability: "tags_delete", words: "NAME", takes: "name",
			short:   "Remove a tag",
			long:    `Remove a tag. The commit that it names stays.`,
			example: `  trails tag delete notes.trails v1`,
		},
		{path: "token", by: tokenCommand},
		{
			path: "token create", capability: "trails.meta.token.create", words: "NAME", takes: "name",
			short: "Issue a token, and show it once",
			long: `Issue a token for a person or a program, and show its secret, once: the file keeps a hash of it.
A caller with it is token:NAME in commits and provenance, and may do what its scopes and those of
the process, TRAILS_MCP_SCOPES, both allow. From the first token on, callers over HTTP have to show
one, as Authorization: Bearer or in the form of the pages; over stdio the client shows it in
TRAILS_TOKEN. A copy of the file has the same tokens.`,
			example: `  trails token create notes.trails ci
  trails token create notes.trails deploy --scopes runtime,builder --expires 90d
  trails token create notes.trails anna --groups editors -o json`,
			options: map[string]option{
				"name":    {complete: cobra.NoFileCompletions},
				"scopes":  {usage: "`SCOPES`, the most that callers with it may have: runtime, builder, dev (default runtime)", commas: true},
				"groups":  {usage: "`NAMES` of groups that the caller is in", commas: true},
				"expires": {usage: "`when` it ceases to be valid: 90d, 36h, a date or a time (default never)"},
			},
			text: decoded(writeIssued),
		},
		{
			path: "token list", capability: "trails.meta.token.list",
			short: "List the tokens, with their last use",
			long: `List the tokens of the graph: scopes, groups, when each expires, and about when a call with it was
recorded last. Secrets are not kept, so none is shown.`,
			example: `  trails token list notes.trails`,
		},
		{
			path: "token revoke", capability: "trails.meta.token.revoke", words: "NAME", takes: "name",
			short: "End the validity of a token, at once",
			long: `End the validity of a token, in every process that serves the file: the next call with it is
refused, browsers that signed in with it are signed out, and streams end within seconds. It stays in
the list. --forget takes it out of the list, too; a graph without any token asks for none. What a person
gave to a client of OAuth is a token grant-…, which is revoked so, too; the person ends it on /admin/tokens.`,
			example: `  trails token revoke notes.trails ci
  trails token revoke notes.trails ci --forget`,
			options: map[string]option{"name": {complete: p.completeTokens}, "forget": {usage: "take it out of the list, too"}},
			text:    decoded(writeRevoked),
		},
		{path: "policy", by: policyCommand},
		{
			path: "policy show", capability: "trails.meta.policy.show",
			short: "Print the policies",
			long: `Print the policies of the graph, as policy set reads them. Those of a branch decide nothing until it is
merged, and --at shows those of an earlier commit.`,
			example: `  trails policy show notes.trails > policies.cedar
  trails policy show notes.trails --at head~3`,
			text: decoded(writePolicies),
		},
		{
			path: "policy set", capability: "trails.meta.policy.apply", words: "[POLICIES]", covers: "trails.meta.policy.plan",
			short: "Replace the policies, as one commit",
			long: `Replace the policies of the graph by those in the file POLICIES, - for stdin, as one commit. Policies
that are no Cedar, or speak of what there cannot be, are refused with their line, and so are those
under which no token may administer any more. Names that nothing has yet are told. They count from
the next call on, in every process. trails policy alone shows what a policy looks like.

Without policies callers by a token read, and change nothing. --starter sets the text to begin with, for a
graph without any: everybody may do what the scopes of their token permit. Print it with policy show, and
add to it.`,
			example: `  trails policy set notes.trails --starter
  trails policy set notes.trails policies.cedar --message "hr reads salaries"
  trails policy show notes.trails --at head~1 | trails policy set notes.trails -
  trails policy set notes.trails --none`,
			options: map[string]option{"policies": {hidden: true}, "starter": {usage: "set the policies that a graph begins with"}},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("none", false, "take all policies away, so that callers by a token read alone")
			},
			text: decoded(writePoliciesSet), run: (*asked).setPolicies,
		},
		{
			path: "policy explain", capability: "trails.meta.policy.explain", words: "[CALL]", takes: "call",
			short: "Say why somebody may do something or not, and what would change it",
			long: `Say whether policies let a caller make a CALL, or do an action on something, by which policy, and what
would change it. The caller has the scopes and groups of its token, or those given. Without a call
and an action it lists what the caller may read and change.`,
			example: `  trails policy explain notes.trails --as token:bot
  trails policy explain notes.trails --as token:bot note.create --branch draft
  trails policy explain notes.trails --as token:bot --action change --on 'Type::"Person"' --origin person
  trails policy explain notes.trails --as token:eve --groups hr --action read --on 'Type::"Salary"'`,
			options: map[string]option{
				"as":     {usage: "the `ACTOR` that calls, such as token:NAME or anonymous", complete: p.completeActors},
				"groups": {usage: "`NAMES` of its groups, in the place of those of the token", commas: true},
				"scopes": {usage: "its `SCOPES`, in the place of those of the token", commas: true},
				"action": {usage: "in the place of CALL, the `action`: read, change and so on"},
				"origin": {usage: "the class of `SOURCE` that the call is of: person, agent (default), import, upstream or unknown"},
				"on":     {usage: "what the action is done to: Type::\"`NAME`\", Branch, Query or Graph"},
				"branch": {usage: "the `branch` of the call (default: main)", complete: p.completeBranches},
				"call":   {complete: p.completeInvoke},
			},
			text: decoded(writeExplanation),
		},
		{
			path: "policy test", capability: "trails.meta.policy.test", words: "CASES",
			short: "Try cases against the policies",
			long: `Try the cases of a file, - for stdin, against the policies of the graph, or against those in the file
of --policies. It exits with 6 when a case fails. Cases are a list in YAML:

  - {as: token:bot, call: note.create, branch: draft, expect: allowed}
  - {as: token:eve, groups: [hr], action: read, on: 'Type::"Salary"', expect: allowed}
  - {as: anonymous, action: read, on: 'Type::"Salary"', expect: denied, by: payroll}`,
			example: `  trails policy test notes.trails cases.yaml
  trails policy test notes.trails cases.yaml --policies policies.cedar`,
			options: map[string]option{"cases": {hidden: true}, "policies": {hidden: true}},
			own: func(cmd *cobra.Command) {
				cmd.Flags().String("policies", "", "the `file` with policies to try (default: those of the graph)")
			},
			text: decoded(writeTested), run: (*asked).testPolicies,
		},
		{path: "budget", by: budgetCommand},
		{
			path: "budget set", capability: "trails.meta.budget.set",
			short: "Set the limits of a budget",
			long: `Set how much may be used within a minute, an hour or a day of UTC: by one caller, by each caller
alone (--actor '*') or by all together (no --actor); in calls of one capability, or of all.
Give at least one limit. A budget with the same actor, capability and period is replaced whole;
what was used of it stays used.

A call for which too little is left is refused: 429 with Retry-After over HTTP, -32003 over MCP,
and the message says when the budget is refilled. Rows, bytes and seconds are known after a call
only, so the last one may go beyond the limit; that is taken from the next period. Calls that fail
count, too. Users of the command line and the operator are not limited unless --actor names them.
`,
			example: `  trails budget set notes.trails --actor '*' --per minute --calls 120 --seconds 20
  trails budget set notes.trails --actor token:ci --capability query --per day --rows 1000000
  trails budget set notes.trails --actor anonymous --bytes 50000000 --cost 5000 --dry-run`,
			options: p.budgetOptions(map[string]option{
				"calls":   {usage: "how many `calls`"},
				"rows":    {usage: "how many `rows`: entries of the answers' lists, and records of loads and exports"},
				"bytes":   {usage: "how many `bytes` of answers"},
				"seconds": {usage: "how many `seconds` of work, such as 90 or 0.5"},
				"cost":    {usage: "how many `points`: a call is 1, 2 or 10 by its cost_estimate: constant, change or result, graph"},
			}),
			text: decoded(writeBudget),
		},
		{
			path: "budget list", capability: "trails.meta.budget.list",
			short: "List the budgets, with what is used and left",
			long: `List the limits of each budget, and what is used and left in the period that runs; with the actor *
for each caller who used some of it. Used contains what running servers have reserved, a sixteenth
of a limit at a time, which they give back when they are idle for some seconds.`,
			example: `  trails budget list notes.trails
  trails budget list notes.trails -o csv`,
		},
		{
			path: "budget rm", capability: "trails.meta.budget.remove",
			short: "Remove a budget",
			long:  `Remove a budget, in every process that serves the file. What was used of it is forgotten.`,
			example: `  trails budget rm notes.trails --actor token:ci --capability query --per day
  trails budget rm notes.trails --actor '*' --per minute`,
			options: p.budgetOptions(nil),
			text:    decoded(writeBudgetRemoved),
		},
		{
			path: "gc", capability: "gc",
			short: "Drop history that nothing needs any more",
			long: `Drop the commits that deleted and reset branches left behind, with their changes and recorded calls,
and say before which. What a branch, a tag or a pending request has stays, with all that it comes
from, so merged work, the commits behind any cursor of changes and the base of any bundle of a
branch stay. So does what became unreachable within the grace period. Dropped commits cannot be
read any more. Terms stay in the dictionary. The file may be in use by others, who wait to write
meanwhile; its size stays, and new content takes the room.`,
			example: `  trails gc notes.trails --dry-run
  trails gc notes.trails --grace 36h
  trails gc notes.trails --grace 0d --yes`,
			options: map[string]option{"grace": {usage: "keep what became unreachable within this `period`: a number with d, h or m"}},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("yes", false, "drop it without asking")
			},
			text: decoded(writeCollected), run: (*asked).gc,
		},
		{path: "bundle", by: bundleCommand},
		{
			path: "bundle create", capability: "trails.meta.bundle.create", words: "[RANGE]",
			short: "Write commits to a file",
			long: `Write the commits of a branch, main unless --branch names one, as a bundle to stdout or to a file.
RANGE is FROM..TO: what TO has and FROM does not; each is a commit or a branch, and either may be
left out. The same range gives the same bytes. A name that ends in .gz is compressed. A bundle is
text: a JSON line for each commit, then its statements as N-Quads after + or -.`,
			example: `  trails bundle create notes.trails --output all.bundle
  trails bundle create notes.trails head~10.. --output ten.bundle.gz
  trails bundle create notes.trails main..review > review.bundle`,
			options: map[string]option{
				"to":    {flag: "branch", usage: "the `branch` whose commits it has (default: main)", complete: p.completeBranches},
				"since": {usage: "only what came after this `commit`, or is not on this branch", complete: p.completeCommits},
				"have":  {hidden: true}, "compressed": {hidden: true},
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().String("output", "", "write to this `file` instead of stdout")
				cmd.Flags().Bool("force", false, "replace the file if it exists")
			},
			run: (*asked).bundleCreate,
		},
		{path: "bundle verify", by: p.bundleVerifyCommand},
		{
			path: "bundle apply", capability: "trails.meta.bundle.apply", words: "BUNDLE",
			short: "Take the commits of a bundle",
			long: `Take the commits of BUNDLE, or stdin for -, into the branch that it was made from, or that --branch
names; a branch that is not there is made. The commits keep ids, authors, times and messages. It is
refused, and nothing is changed, if the bundle is damaged, begins behind commits that FILE does not
have, is of another graph, or leads to a state that breaks the schema; and if the branch has
commits of its own, unless --beside names a branch for those of the bundle.`,
			example: `  trails bundle apply copy.trails ten.bundle
  trails bundle apply copy.trails ten.bundle.gz --dry-run
  trails bundle apply copy.trails review.bundle --branch review --beside theirs/review`,
			options: map[string]option{
				"data": {hidden: true}, "into": {flag: "branch", usage: "the `branch` that takes them (default: the one that they were on)", complete: p.completeBranches},
				"beside": {usage: "a `branch` for them if that one has commits of its own"},
			},
			run: (*asked).bundleApply,
		},
		{path: "pull", by: p.pullCommand},
		{path: "push", by: p.pushCommand},
		{
			path: "branch pick", capability: "cherry_pick", words: "COMMIT", takes: "commit",
			short: "Make what a commit of another branch changed here, too",
			long: `Make what a commit changed on another branch here, too, main unless --branch names it, as a new
commit with its message. A..B are the commits after A up to B, which become one; the name of a
branch is its newest commit. What was changed here differently is listed and decided as by branch
merge: ours is the branch that is written to, theirs the commit, base what was before it.`,
			example: `  trails branch pick notes.trails 3f5a9c0d2b71 --dry-run
  trails branch pick notes.trails review
  trails branch pick notes.trails 3f5a9c0d2b71..8c2e41d09a77 --branch release --take theirs`,
			options: map[string]option{
				"branch":      {usage: "the `branch` that is written to (default: main)", complete: p.completeBranches},
				"take":        {usage: "the `side` that decides all other clashes: ours, theirs or base"},
				"resolutions": {flag: "resolve", usage: "`NODE.PROPERTY=SIDE`, NODE=SIDE or NODE.PROPERTY:=VALUE; a node whose own name has a dot ends in one; may be repeated"},
			},
			text: decoded(writeMerged),
		},
		{
			path: "diff", capability: "diff", words: "[FROM] [TO]", takes: "from to", covers: "definitions_diff definitions_get trails.meta.diff.data",
			short: "Say what differs between two commits, branches or files",
			long: `List what leads from the commit or branch FROM to TO, by node and property. TO is the head when left
out, and FROM the commit before TO, or the one that the branch was made from: --branch says what a
branch changed. --form update prints a SPARQL update that replays it, --form patch an RDF Patch
(https://afs.github.io/rdf-patch/), which has blank nodes, too.

If FROM is a file, the data of two files is compared: what leads from the head of FILE to that of FROM,
whether they have a common history or not; --branch compares this branch of both. All statements of
both are read, and blank nodes, with the cells of lists, are the same if they have the same label.

With --definitions, FROM is another file, and the definitions of both are compared: what leads from
those of FILE to those of FROM, migrations, steps of the schema, and stored queries with the lines
of their texts. Nothing is changed.
`,
			example: `  trails diff notes.trails
  trails diff notes.trails --branch review
  trails diff notes.trails head~10 head --type Note
  trails diff notes.trails main review --form update > review.ru
  trails diff notes.trails laptop.trails
  trails diff --definitions production.trails dev.trails`,
			options: map[string]option{
				"from": {complete: p.completeStatesOrFiles}, "to": {complete: p.completeStates}, "node": {usage: "only this `node`"},
				"form": {usage: "table, update or patch"}, "limit": {usage: "at most this `many` rows (default 200), or statements"},
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("definitions", false, "compare schema, stored queries and migrations of two files")
			},
			text: decoded(writeDifference), run: (*asked).diff,
		},
		{
			path: "blame", capability: "blame", words: "NODE", takes: "id",
			short: "Say of each value of a node which commit set it",
			long: `List the values of a node, each with the commit that set it: when, who, by which call, and why.
NODE is Type/id, an IRI, or an exact label.`,
			example: `  trails blame notes.trails Note/n1
  trails blame notes.trails Note/n1 --branch review
  trails blame notes.trails Note/n1 --at head~10 -o csv`,
		},
		{
			path: "paths", capability: "paths", words: "FROM TO", takes: "from to",
			short: "Say how two nodes are connected",
			long: `List the paths between two nodes, the shortest first, by links of any kind in either direction.
FROM and TO are Type/id, an IRI, or an exact label.`,
			example: `  trails paths notes.trails Note/n1 Note/n2
  trails paths notes.trails Note/n1 Note/n2 --steps 2`,
			text: decoded(writePaths),
		},
		{
			path: "show", capability: "commits_get", words: "COMMIT", takes: "id",
			short: "Show one commit: who, when, which call, what changed",
			long: `Show one commit, by its id, the first digits of it, or head for the newest: who made it,
when, with which call, why, and which statements it added and removed, as N-Quads.`,
			example: `  trails show notes.trails head
  trails show notes.trails 3f5a9c0d2b71
  trails show notes.trails 3f5a9c0d2b71 --limit 1000 -o json`,
			always:  arguments{"quads": true},
			options: map[string]option{"id": {complete: p.completeCommits}, "limit": {usage: "list at most this `many` changes"}},
			text:    decoded(writeShown),
		},
		{
			path: "undo", capability: "undo", covers: "schema_undo undo_by", words: "[COMMIT]", takes: "commit",
			short: "Take back what commits changed, as a new commit",
			long: `Take back what a commit changed: what it added is removed, and what it removed comes back,
as one new commit that is validated like any other. The commit is named by its id, the first
digits of it, or head for the newest; A..B are those after A up to B, which are taken back as one.
With --nodes only what was changed of these nodes is taken back. Nothing is taken back when later
commits touched the same values: the nodes are named, and the command exits with 4. An undo can be
taken back like any commit.

--by takes back everything that somebody wrote, since a commit or time with --since, whoever wrote
in between; --origin what came from a class of sources (person, agent, import, upstream, unknown),
--source what came from one: the file of a load, a server, an endpoint. What others made of it since is listed with who did it, and is decided by --take or
--resolve as the clashes of branch merge: ours keeps it, theirs takes it back all the same.`,
			example: `  trails undo notes.trails head --dry-run
  trails undo notes.trails 3f5a9c0d2b71 -m "loaded by mistake"
  trails undo notes.trails head~3..head
  trails undo notes.trails 3f5a9c0d2b71 --nodes Note/a,Note/b
  trails undo notes.trails --by local:bot --since 2026-11-27T12:00:00Z --dry-run
  trails undo notes.trails --source people.csv --dry-run`,
			options: map[string]option{"nodes": {commas: true, usage: "take back only what was changed of these `nodes`: Type/id or an IRI"}},
			own: func(cmd *cobra.Command) {
				flags := cmd.Flags()
				flags.String("by", "", "take back what this `author` wrote, as trails log has it, in the place of COMMIT")
				flags.String("origin", "", "take back what came from this `class` of sources, in the place of COMMIT: person, agent, import, upstream or unknown")
				flags.String("source", "", "take back what came from this `file`, server or endpoint, in the place of COMMIT")
				completeFlag(cmd, "origin", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
					return policy.OriginNames(), cobra.ShellCompDirectiveNoFileComp
				})
				flags.String("since", "", "with --by, --origin or --source: only what came after this `commit` or time")
				flags.String("take", "", "with --by, --origin or --source: the `side` that decides all other clashes: ours, theirs or base")
				flags.StringArray("resolve", nil, "with --by, --origin or --source: `NODE.PROPERTY=SIDE`, NODE=SIDE or NODE.PROPERTY:=VALUE; may be repeated")
			},
			text: decoded(writeTaken), run: (*asked).undo,
		},
		{
			path: "search", capability: "search", words: "WORD...", takes: "text",
			short: "Find nodes by the words of their labels, texts and ids",
			long: `Find nodes by the words of their labels, texts and ids, the best first: those of which one
text has all words, then those with some, so that a whole question can be asked. The last word
may be a beginning. "Phrases" stand in quotation marks, words that are in no text are taken for
the nearest that are, and what was searched instead is said.`,
			example: `  trails search notes.trails onboarding checklist
  trails search notes.trails '"first day"' --type Note
  trails search notes.trails when did we sign the contract?
  trails search notes.trails T1003.001 -o csv
  trails search notes.trails first day --explain`,
			options: map[string]option{
				"type":    {usage: "only nodes of this `type` and its subtypes"},
				"explain": {usage: "say of each hit why it stands where it does"},
			},
		},
		{
			path: "get", capability: "get", words: "NODE...", takes: "ids",
			short: "Show nodes: their values, what they refer to, and who refers to them",
			long: `Show nodes, each by Type/id, its IRI or its exact label: their values, what they refer to with
labels, and how many nodes of each type refer to them by which property, with the first few.
As table or csv they are a row for each value, without those who refer to them.`,
			example: `  trails get notes.trails Note/n1
  trails get notes.trails 'First day' --depth 2
  trails get notes.trails Note/n1 Note/n2 --property title -o json`,
			options: map[string]option{
				"properties": {flag: "property", commas: true, usage: "show only this `property`; may be repeated"},
				"depth":      {usage: "2 shows the nodes that they refer to, too"},
			},
			forms: "text table json csv", text: p.writeNodes,
		},
		{
			path: "list", capability: "list", words: "TYPE", takes: "type", covers: "entities_list",
			short: "List nodes of a type that fit conditions",
			long: `List the nodes of a type and its subtypes that fit all conditions, as a table. A condition is
a property, an operator and a value: = != < <= > >= in contains starts is_empty not_empty. Of
several values one has to fit; with != none may be equal. contains and starts take capitals
and small letters alike, in takes values with commas between. A property may be a path over
references, as in author.name, in conditions, --sort and --select. CSV has whole texts and all
values, each cell as trails export writes it: references as Type/id, ";" between values, text
with a language as Cat@en. What --limit leaves out is said on stderr.`,
			example: `  trails list notes.trails Note
  trails list notes.trails Note --where 'status=open' --where 'due<2026-03-01' --sort status,-due
  trails list notes.trails Note --where 'author.name starts A' --select title,author.name --limit 100 -o csv
  trails list notes.trails Note --where 'tags is_empty' --facets`,
			options: map[string]option{
				"where":  {usage: "keep the nodes that fit this `condition`; may be repeated", read: anything(conditionsOf), complete: p.completeProperties},
				"sort":   {usage: "sort by up to 3 `properties`, with commas between; by -property from the greatest down", complete: p.completeProperties},
				"select": {usage: "show these `properties`", commas: true, complete: p.completeProperties},
				"facets": {usage: "count the nodes by value of the properties that list their values"},
			},
			forms: "text table json csv", run: (*asked).list,
		},
		{
			path: "history", capability: "history", words: "[NODE]", takes: "id", covers: "entity_history",
			short: "Tell what happened to the graph or to one node, as sentences",
			long: `Tell what happened, the newest first: which commit, when, who, by which call, why, and which
nodes were made, changed and removed, each property from what to what. NODE is Type/id, an
IRI or an exact label; one with spaces stands in quotes. trails log lists commits, and trails
show one of them whole.`,
			example: `  trails history notes.trails
  trails history notes.trails Note/n1
  trails history notes.trails --type Note --since 2026-01-31 --actor ana -o csv`,
			options: map[string]option{
				"type":  {usage: "commits that changed nodes of this `type`"},
				"actor": {usage: "a `part` of the author's name"},
				"since": {usage: "a `date`, a time or a commit"},
				"until": {usage: "a `date` or a time"},
			},
		},
		{path: "stats", by: p.statsCommand},
		{
			path: "doctor", capability: "trails.meta.doctor.run",
			short: "Say what is wrong with the graph, if anything",
			long: `Check the graph, every view of its capabilities, what strict clients refuse of its tools,
its stored queries, the file and the place where it is, and say what is wrong and how to
put it right. A check is ok, a warning, which fails nothing yet, or failed. It exits with 0
when all is well, with 6 when what the file holds is wrong, and with 1 when anything else
was found. The file is checked for a second: a small one whole, of others a sample; --deep
checks all of it, as verify does.

--served DOC holds a document that was saved of what is served against FILE: /openapi.json,
a Thing Description, /capabilities in JSON, a list of tools or one of them. It tells what was
changed by hand, and what is of another version than there is now.

--fix mends first what is safe, and says what it did: descriptors whose text was changed in
the file; triggers, views and indexes that no trails file has; and, when the file is damaged, its indexes and that of words, which follow from the
rest. It never changes data. With --dry-run it says what it would do.`,
			example: `  trails doctor notes.trails
  trails doctor notes.trails --deep -o json
  trails doctor notes.trails --served openapi.json
  trails doctor notes.trails --fix --dry-run`,
			options: map[string]option{
				"deep":   {usage: "check the whole file, and not a sample"},
				"served": {file: true, usage: "hold a saved `document` against what is served"},
			},
			own: func(cmd *cobra.Command) {
				cmd.Flags().Bool("fix", false, "mend first what is safe; never data")
				cmd.Flags().Bool("dry-run", false, "with --fix, say what would be mended")
			},
			text: decoded(writeDiagnosis), run: (*asked).diagnose,
		},
		{path: "verify", by: p.verifyCommand},
		{path: "backup", by: p.backupCommand},
		{path: "restore", by: p.restoreCommand},
		{path: "compact", by: p.compactCommand},
		{path: "embed", by: p.embedCommand},
		{path: "artifacts", by: p.artifactsCommand},
		{
			path: "artifacts list", capability: "artifacts_list",
			short:   "List the results that are kept for you, the last first",
			long:    "List the results of tools that are kept for you, the last first: handle, size, when it expires.",
			example: `  trails artifacts list notes.trails`,
			options: map[string]option{"limit": {value: "100"}},
			text:    decoded(writeArtifacts),
		},
		{path: "artifacts get", by: p.artifactsGetCommand},
		{path: "artifacts rm", by: p.artifactsRemoveCommand},
		{
			path: "edit", capability: "update", words: "ID", takes: "id",
			short: "Change one node: set, add, take out and unset values",
			long: `Change one node, as one commit: --set replaces the values of a property, --add and --remove put
values into a list and take them out, --unset removes a property. ID is Type/id or an IRI.
NAME=VALUE gives a text, and NAME:=JSON any other value, as in stars:=3. trails update changes
many nodes by SPARQL.`,
			example: `  trails edit notes.trails Note/n1 --set status=final --add tag=memex
  trails edit notes.trails Note/n1 --unset stars --dry-run`,
			options: map[string]option{
				"type":  {usage: "the `type` of an id that says none"},
				"unset": {usage: "`property` to remove; may be repeated"},
			},
		},
		{path: "version", by: p.versionCommand},
		{path: "completion", by: p.completionCommand},
		{path: "man", by: p.manCommand},
	}
}
