package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/capability/project"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/meaning"
	"trails/gateway/servers"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/kg"
	"trails/schema/migration"
	"trails/text/quote"
)

// stats answers how much is in the file, or how much of it a class of sources said.
func stats(ctx context.Context, r *invoke.Request) (any, error) {
	origin, wrong := view.OriginArgument(r.Args.Text("origin"))
	if len(wrong) > 0 {
		return nil, fault.Arguments(wrong...)
	}
	if origin != nil {
		return statsOf(ctx, r, *origin)
	}
	file, err := r.Snapshot.Stats(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := r.Snapshot.TypeCounts(ctx)
	if err != nil {
		return nil, err
	}
	var terms *int64
	var whole *sizes
	if r.Snapshot.SeesAll() { // they tell of what others may not see
		terms, whole = &file.Terms, &sizes{file.FileBytes, file.LogBytes, file.Artifacts, file.ArtifactBytes}
	}
	return struct {
		Graph         string           `json:"graph"`
		Head          *string          `json:"head"`
		Quads         int64            `json:"quads"`
		Terms         *int64           `json:"terms,omitempty"`
		Commits       int64            `json:"commits"`
		SchemaVersion int64            `json:"schema_version"`
		Types         map[string]int64 `json:"types"`
		*sizes
	}{r.Engine().Graph().Name(), view.CommitID(r.Snapshot.Head()), file.Quads, terms, file.Commits, r.Snapshot.SchemaVersion(), numbersByType(counts), whole}, nil
}

// originRead is how many statements are read to count those of a class.
const originRead = 1_000_000

// statsOf answers how much a class of sources said in the default graph: statements, and nodes of each type of which it
// alone said something. Behind a bound it says that it counted a part.
func statsOf(ctx context.Context, r *invoke.Request, origin policy.Origin) (any, error) {
	statements, counts, part, err := r.Snapshot.CountOrigin(ctx, origin, originRead)
	if err != nil {
		return nil, err
	}
	note := ""
	if part {
		note = fmt.Sprintf("counted among the first %d statements; there are more, and a query counts them all: SELECT (COUNT(*) AS ?n) { GRAPH <%s> { ?s ?p ?o } }", originRead, origin.IRI())
	}
	return struct {
		Graph  string           `json:"graph"`
		Head   *string          `json:"head"`
		Origin string           `json:"origin"`
		Quads  int64            `json:"quads"`
		Types  map[string]int64 `json:"types"`
		Note   string           `json:"note,omitempty"`
	}{r.Engine().Graph().Name(), view.CommitID(r.Snapshot.Head()), origin.String(), statements, numbersByType(counts), note}, nil
}

func numbersByType(counts []kg.TypeCount) map[string]int64 {
	types := map[string]int64{}
	for _, c := range counts {
		types[c.Type.Name] = c.Count
	}
	return types
}

// sizes are those of the file.
type sizes struct {
	FileBytes     int64 `json:"file_bytes"`
	LogBytes      int64 `json:"log_bytes"`
	Artifacts     int64 `json:"artifacts"`
	ArtifactBytes int64 `json:"artifact_bytes"`
}

// Results of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning" // it works, and something should be done
	checkFailed  = "failed"
)

// check is the result of one check of the doctor.
type check struct {
	Name   string `json:"name"`
	Result string `json:"result" oneof:"ok,warning,failed"`
	// Detail is what was found and, if something is wrong, the way out.
	Detail   string            `json:"detail"`
	Findings []project.Finding `json:"findings,omitempty" doc:"What is wrong with capabilities, at most 100."`
}

// Bounds on the findings of one check: those that its detail describes, and all of them.
const (
	findingsTold = 5
	mostFindings = 100
)

// problem is the error of a check that found something.
type problem struct {
	text     string
	findings []project.Finding
	failed   bool // otherwise it is a warning
}

// Error says the first findings behind the text.
func (p problem) Error() string {
	told := make([]string, min(len(p.findings), findingsTold))
	for i := range told {
		told[i] = p.findings[i].String() + "; " + p.findings[i].Mend
	}
	if more := len(p.findings) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	if len(told) == 0 {
		return p.text
	}
	return p.text + ": " + strings.Join(told, "; ")
}

// orNil is nil when nothing was found.
func (p problem) orNil() error {
	if len(p.findings) == 0 {
		return nil
	}
	return p
}

func warn(format string, args ...any) error { return problem{text: fmt.Sprintf(format, args...)} }

func fails(format string, args ...any) error {
	return problem{text: fmt.Sprintf(format, args...), failed: true}
}

// doctor checks the graph, the file and the place where it is.
type doctor struct {
	// views are compared with the descriptors; nil means all views.
	views []project.Encoding
	// pool reaches the upstream servers.
	pool *upstream.Pool
	// embedder reaches the endpoint of embeddings.
	embedder *embed.Embedder

	mu sync.Mutex
	// version of the registry for which differing was computed; "" before that.
	version   string
	differing []project.Difference
	// clients is the result for the last caller.
	clients clientFindings
	// sound is what the last sample of the file said, which was taken at sampled; "" before the first sound one.
	sound   string
	sampled time.Time
}

// checks are the checks of a call, in order. That of the file is last: it needs its own reader, and the call releases
// its snapshot before.
func (d *doctor) checks(served *string, sample time.Duration) []doctorCheck {
	checks := []doctorCheck{
		{"head", checkHead},
		{"schema", checkSchema},
		{"capabilities", d.checkCapabilities},
		{"versions", checkVersions},
		{"clients", d.checkClients},
		{"queries", checkStored},
		{"scans", checkScans},
		{"log", checkLog},
		{"disk", checkDisk},
		{"permissions", checkPermissions},
		{"callers", checkCallers},
		{"links", checkLinks},
		{"activities", checkAside},
		{"write", checkWrite},
		{"vectors", d.checkVectors},
		{"gateway", d.checkGateway}, // it releases the snapshot
		{"file", func(ctx context.Context, r *invoke.Request) (string, error) {
			if sample == sampleRead {
				return d.sample(ctx, r)
			}
			return checkFile(ctx, r, sample)
		}},
	}
	if served != nil {
		checks = slices.Insert(checks, 2, doctorCheck{servedName, func(ctx context.Context, r *invoke.Request) (string, error) { return checkServed(ctx, r, *served) }})
	}
	return checks
}

type doctorCheck struct {
	name string
	look func(context.Context, *invoke.Request) (string, error)
}

// servedName is the argument with a document to compare with what is served, and the name of that check.
const servedName = "served"

// checking is what may be checked besides what always is.
type checking struct {
	Deep   bool    `json:"deep" default:"false" doc:"Check the whole file, as trails verify does, and not a sample."`
	Served *string `json:"served,omitempty" is:"rare" doc:"A document that was saved of what is served, whole: OpenAPI, a Thing Description, a manifest in JSON, tools. It is told what was changed by hand and what is of another version."`
	capability.NoView
}

// checked is the answer of the doctor.
type checked struct {
	OK     bool    `json:"ok" doc:"No check failed."`
	Checks []check `json:"checks"`
}

// capability is the doctor as a capability. Pages and agents read trails://doctor, which checks less of the file.
func (d *doctor) capability() invoke.Capability {
	return invoke.Define(capability.Descriptor{
		ID: "trails.meta.doctor.run", Description: "Check the graph, its capabilities in every view, the file and the place where it is, and say what is wrong and how to put it right.",
		CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, func(ctx context.Context, r *invoke.Request, in checking) (*checked, error) {
		sample := sampleAsked
		if in.Deep {
			sample = 0
		}
		return d.run(ctx, r, in.Served, sample)
	}, invoke.Hidden)
}

// read is the doctor as a resource.
func (d *doctor) read(ctx context.Context, r *invoke.Request) (any, error) {
	return d.run(ctx, r, nil, sampleRead)
}

// sampleKept is how long a sound sample that was read serves other readers: pages that refresh themselves read it often.
// A sample is short and often rather than long and seldom, because somebody waits for it.
const sampleKept = 12 * time.Second

// sample is [checkFile] for a resource: a sound result of the last seconds is said again, with its age.
func (d *doctor) sample(ctx context.Context, r *invoke.Request) (string, error) {
	d.mu.Lock()
	sound, age := d.sound, r.Began().Sub(d.sampled)
	d.mu.Unlock()
	if sound != "" && age >= 0 && age < sampleKept && r.Engine().Graph().Foreign() == nil {
		return fmt.Sprintf("%s (looked at %d seconds ago)", sound, int(age.Seconds())), nil
	}
	detail, err := checkFile(ctx, r, sampleRead)
	if err == nil {
		d.mu.Lock()
		d.sound, d.sampled = detail, r.Began()
		d.mu.Unlock()
	}
	return detail, err
}

func (d *doctor) run(ctx context.Context, r *invoke.Request, served *string, sample time.Duration) (*checked, error) {
	if !r.Snapshot.SeesAll() {
		return nil, fault.New(fault.Denied, "the doctor reads the whole file, and %s may see a part of it; ask somebody who may see all", r.Principal.Author())
	}
	out := &checked{OK: true}
	for _, c := range d.checks(served, sample) {
		found := check{Name: c.name, Result: checkOK}
		detail, err := c.look(ctx, r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var p problem
		if errors.As(err, &p) {
			found.Findings = p.findings[:min(len(p.findings), mostFindings)]
		}
		switch {
		case err != nil && c.name == servedName && !errors.As(err, &p):
			return nil, err // the argument is not a document
		case err != nil && !p.failed && p.text != "":
			found.Result, detail = checkWarning, err.Error()
		case p.failed:
			found.Result, detail, out.OK = checkFailed, p.Error(), false
		case err != nil:
			found.Result, detail, out.OK = checkFailed, r.Explain(err), false
		}
		found.Detail = detail
		out.Checks = append(out.Checks, found)
	}
	return out, nil
}

// checkCallers says who may write: everybody, nobody who shows a token, or who policies say.
func checkCallers(ctx context.Context, r *invoke.Request) (string, error) {
	text, policies, unread := r.Snapshot.Policies()
	tokens, err := r.Snapshot.Graph().HasTokens(ctx)
	switch {
	case err != nil:
		return "", err
	case unread != nil:
		return "", fails("the policies cannot be read, so nobody whom they bind may do anything; set others with trails policy set")
	case text != "":
		return fmt.Sprintf("policies decide who may do what, %d of them", len(policies.IDs())), nil
	case tokens:
		return "", warn("there are no policies: %s", kg.ReadOnly)
	}
	return "no token and no policies: a server of this machine is open to everybody on it", nil
}

// checkVectors counts the vectors of texts, and what is missing.
func (d *doctor) checkVectors(ctx context.Context, r *invoke.Request) (string, error) {
	settings, err := servers.Settings(r.Snapshot)
	if err != nil {
		return "", warn("the settings of the gateway cannot be read, which name the endpoint of embeddings")
	}
	n, without, err := r.Snapshot.CountVectors(ctx)
	if err != nil {
		return "", err
	}
	state, err := r.Snapshot.Vectors(ctx)
	if err != nil {
		return "", err
	}
	by := settings.Embeddings
	switch {
	case !r.Snapshot.Embeds() && n+without == 0:
		return "the schema marks no texts with embed; texts are found by words", nil
	case by == (gateway.Embeddings{}) && n == 0:
		return "", warn("the schema marks texts with embed, and there is no endpoint of embeddings, so they are found by words alone; trails gateway settings names one")
	case by == (gateway.Embeddings{}):
		return "", warn("there are %d vectors and no endpoint of embeddings; trails gateway settings names one, or trails embed FILE --drop removes them", n)
	}
	work, err := r.Snapshot.VectorWork(ctx, 0)
	if err != nil {
		return "", err
	}
	refused, err := toldRefusals(ctx, r, without)
	if err != nil {
		return "", err
	}
	told := fmt.Sprintf("vectors: %d of %d numbers, of %s; texts without one: %d; refused by the endpoint: %d%s; of texts that are gone: %d", n, state.Length, by.Model, work.Pending, without, refused, work.Stale)
	health := d.embedder.Health(by)
	switch {
	case state.Problem != "":
		return "", warn("%s; the last attempt failed: %s", told, state.Problem)
	case health.Problem != "":
		return "", warn("%s; %s", told, health.Problem)
	case n > 0 && state.VectorModel != meaning.ModelOf(by):
		return "", warn("%s; they are of another model, and trails embed FILE makes them again, as a served graph does", told)
	case work.Pending > 0 || work.Stale > 0:
		return told + "; a served graph makes and removes them by itself, and trails embed FILE at once", nil
	}
	return told, nil
}

// toldRefusals names the first nodes that the caller sees with texts that the endpoint has refused, in parentheses.
func toldRefusals(ctx context.Context, r *invoke.Request, refused int64) (string, error) {
	if refused == 0 {
		return "", nil
	}
	list, more, err := r.Snapshot.Refused(ctx, findingsTold)
	if err != nil {
		return "", err
	}
	told := make([]string, 0, findingsTold+1)
	for _, one := range list {
		told = append(told, one.Node+" "+one.Property+because(one.Reason))
	}
	switch {
	case more:
		told = append(told, "and more, which trails embed FILE --status lists")
	case len(list) == 0:
		told = append(told, "of no node any more")
	}
	return fmt.Sprintf(" (%s; they are found by words, and trails embed FILE --refused asks again for these alone)", strings.Join(told, ", ")), nil
}

// checkGateway connects to the upstream servers of the file, and finds those whose tools cannot be used.
func (d *doctor) checkGateway(ctx context.Context, r *invoke.Request) (string, error) {
	named := slices.Clone(servers.Of(r.Snapshot)) // all snapshots share the other one
	if len(named) == 0 {
		return "the file names no upstream server", nil
	}
	r.Release() // servers may have to be started
	for i := range named {
		named[i].Required = false // each is reported
	}
	listings, missing, err := d.pool.Listings(ctx, named)
	if err != nil {
		return "", err
	}
	var told []string
	for _, m := range missing {
		told = append(told, m.Problem.Message)
	}
	directory := gateway.NewDirectory(nil, listings)
	for _, p := range append(directory.Problems(), directory.Uncallable()...) {
		told = append(told, p.Message)
	}
	if more := len(told) - findingsTold; more > 0 {
		told = append(told[:findingsTold], fmt.Sprintf("and %d more; trails gateway show FILE NAME says what a server offers", more))
	}
	if len(told) > 0 {
		return "", warn("%s", strings.Join(told, "; "))
	}
	return fmt.Sprintf("%d upstream servers, and all that they offer can be had", len(named)), nil
}

// checkHead checks that the newest commit refers to the previous one.
func checkHead(ctx context.Context, r *invoke.Request) (string, error) {
	head := r.Snapshot.Head()
	if head.ID == (kg.CommitID{}) {
		return "no commits yet", nil
	}
	if head.Parent == (kg.CommitID{}) {
		return "the first commit is the head", nil
	}
	if _, err := r.Snapshot.FindCommit(ctx, head.Parent.Whole()); err != nil {
		return "", fmt.Errorf("the head's parent cannot be read: %w", err)
	}
	return "the head follows its parent", nil
}

// checkSchema finds unreadable records of migrations.
func checkSchema(_ context.Context, r *invoke.Request) (string, error) {
	detail := fmt.Sprintf("version %d, %s", r.Snapshot.SchemaVersion(), fault.Counted(len(r.Snapshot.Schema().Types), "type"))
	applied := r.Snapshot.Applied()
	if len(applied) > 0 {
		detail += fmt.Sprintf(", %d migrations", len(applied))
	}
	if wrong := migration.Check(applied); len(wrong) > 0 {
		return "", warn("%s; the records of migrations are not those that trails made, and a rollback of these is refused: restore the file from a backup, or correct the export that it was made of: %s", detail, strings.Join(wrong[:min(len(wrong), findingsTold)], "; "))
	}
	if err := r.Snapshot.Unenforced(); err != nil {
		return "", err
	}
	if foreign := r.Snapshot.Schema().Foreign(); len(foreign) > 0 {
		told := make([]string, 0, findingsTold)
		for _, f := range foreign[:min(len(foreign), findingsTold)] {
			told = append(told, quote.Line(f.Subject, toldReason)+" ("+strings.Join(f.Says, ", ")+")")
		}
		return "", warn("%s; the schema's graph says more than the schema language has words for, which no form of the schema shows and the next schema apply takes away, as its plan says: %s", detail, strings.Join(told, "; "))
	}
	return detail, nil
}

// checkLog finds a write-ahead log that cannot start over because of a reader.
func checkLog(ctx context.Context, r *invoke.Request) (string, error) {
	file, err := r.Snapshot.Stats(ctx)
	if err != nil {
		return "", err
	}
	if file.LogBytes > 2*file.LongLog {
		return "", warn("the log has %d bytes, more than twice the %d at which it is to start over: a process reads for long; end it, or wait for it", file.LogBytes, file.LongLog)
	}
	return fmt.Sprintf("%d bytes", file.LogBytes), nil
}

// checkScans finds that scans of queries have failed in this process, so that SQL answered.
func checkScans(_ context.Context, r *invoke.Request) (string, error) {
	if n := r.Engine().Graph().FailedScans(); n > 0 {
		return "", warn("%d scans of this process failed by a fault of trails, and SQL answered in their place, more slowly: the log says where; please report it", n)
	}
	return "none has failed in this process", nil
}

// Bounds on the room that there should be on a disk, in bytes.
const (
	spaceLittle = 256 << 20
	spaceNone   = 16 << 20
)

// checkDisk finds a disk that will soon be full. The log may grow to twice the size from which it starts over, and a
// large load needs its own size again.
func checkDisk(_ context.Context, r *invoke.Request) (string, error) {
	at, err := r.Engine().Graph().Surroundings()
	switch {
	case err != nil:
		return "", err
	case at.Size == 0:
		return "this system does not tell how much room there is", nil
	case at.Free < spaceNone:
		return "", fails("the disk has %d bytes left: writes fail when it is full; free some space", at.Free)
	case at.Free < min(spaceLittle, at.Size/10):
		return "", warn("the disk has %d of %d bytes left; free some space before a large load", at.Free, at.Size)
	}
	return "there is room on the disk", nil
}

func checkPermissions(_ context.Context, r *invoke.Request) (string, error) {
	at, err := r.Engine().Graph().Surroundings()
	switch {
	case err != nil:
		return "", err
	case len(at.Closed) > 0:
		return "", fails("this user may not write %s: give them to it, with chown or chmod u+w", strings.Join(at.Closed, ", "))
	case len(at.Open) > 0:
		return "", warn("everybody on this machine may write %s: take that away, with chmod o-w", strings.Join(at.Open, ", "))
	}
	return "the file, its log and its directory are writable, and not by everybody", nil
}

// checkLinks finds a file with several hard links, each of which has its own log.
func checkLinks(_ context.Context, r *invoke.Request) (string, error) {
	at, err := r.Engine().Graph().Surroundings()
	if err != nil {
		return "", err
	}
	if at.Names > 1 {
		return "", fails("the file has %d names (hard links), and what is written by one of them is lost by the others: remove those, or copy the file with trails backup", at.Names)
	}
	return "the file has one name", nil
}

// checkAside finds provenance files beside the file that could not be read.
func checkAside(_ context.Context, r *invoke.Request) (string, error) {
	waiting, refused, err := r.Engine().Graph().Aside()
	switch {
	case err != nil:
		return "", err
	case refused > 0:
		return "", warn("%d files in %s-activities hold no activities that were set aside for this graph, or not all of them: look at them and delete them", refused, filepath.Base(r.Engine().Graph().Path()))
	case waiting > 0:
		return fmt.Sprintf("%d processes have left provenance beside the file, which the next one takes in", waiting), nil
	}
	return "no provenance waits beside the file", nil
}

// checkWrite checks whether a write would succeed now.
func checkWrite(ctx context.Context, r *invoke.Request) (string, error) {
	if err := r.Engine().Ready(ctx); err != nil {
		return "", fails("a write would fail now: %v", fault.Of(err).Details["reason"])
	}
	return "a write would work now", nil
}

// How long the file is checked: for a call of the doctor, and for a read of the resource by a page or an agent.
const (
	sampleAsked = time.Second
	sampleRead  = 10 * time.Millisecond
)

// checkFile verifies the content of the file, completely or for as long as sample says, unless that is 0.
func checkFile(ctx context.Context, r *invoke.Request, sample time.Duration) (string, error) {
	r.Release() // the check has its own reader
	report, err := r.Engine().Graph().Verify(ctx, kg.VerifyOptions{Sample: sample, Progress: r.Progress})
	foreign := r.Engine().Graph().Foreign()
	switch {
	case err != nil:
		return "", err
	case foreign != nil:
		return "", foreign
	case !report.OK():
		return "", fails("the file is damaged, and trails verify says where; restore the file from a backup")
	case !report.Whole:
		return fmt.Sprintf("a sample is sound: the newest commits, %d statements and %d terms; trails doctor --deep checks all", report.Quads, report.Terms), nil
	}
	return fmt.Sprintf("all of it is sound: %d commits, %d statements and %d terms", report.Commits, report.Quads, report.Terms), nil
}

// resources are the addresses with the state of the graph.
func (d *doctor) resources() []invoke.Resource {
	return []invoke.Resource{
		view.Forms{Resource: invoke.Resource{URI: "trails://schema", Name: "schema", Title: "Schema", MIME: "application/json",
			Description: "Types, properties and constraints. Read it before the first write."}, JSON: schemaResource, Graph: schemaGraph, Context: schemaContext}.Offered(),
		view.Forms{Resource: invoke.Resource{URI: "trails://stats", Name: "stats", Title: "Statistics", MIME: "application/json",
			Description: "How much is in the file: statements, terms, commits, instances by type, bytes; with ?origin=agent what one class of sources said.", Parameters: []string{"origin"}}, JSON: stats}.Offered(),
		view.Forms{Resource: invoke.Resource{URI: "trails://branches", Name: "branches", Title: "Branches", MIME: "application/json",
			Description: "The branches: what each was made from, and its newest commit.", Newest: true}, JSON: branches}.Offered(),
		changesResource,
		view.Forms{Resource: invoke.Resource{URI: "trails://doctor", Name: "doctor", Title: "Doctor", MIME: "application/json",
			Description: "What is checked of the file and its capabilities, and whether it is well.", Newest: true}, JSON: d.read}.Offered(),
	}
}
