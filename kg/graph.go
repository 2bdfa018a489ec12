// Package kg is the graph as a value: one SQLite file that holds data, schema, history and provenance, read through
// snapshots and changed by commits.
//
// A [Graph] is an open file. A [Session] is the graph as one principal sees it. A [Snapshot] is a pinned read:
// reading it twice gives the same answer. [Session.Commit] takes a [ChangeSet] and returns what it did, validated,
// atomic, attributed and versioned; [Session.Load] does the same for streams of any size. Start with [Open] and
// [Graph.Session].
//
// Data lives in the default graph, the schema as SHACL and the stored queries in [rdf.SchemaGraph].
package kg

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability"
	"trails/capability/stored"
	"trails/db"
	"trails/db/disk"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/schema/migration"
	"trails/sparql"
	"trails/sparql/lint"
	"trails/validate"
)

// FileFormat is the version of a file's tables that this build writes, and SQLiteVersion
// the version of SQLite that it has.
const (
	FileFormat    = disk.Format
	SQLiteVersion = db.SQLiteVersion
)

// Commit is one entry of the history; see history.Commit.
type Commit = history.Commit

// Branch is a line of history with a name; see db.Branch. Main is the one that every file has.
type Branch = db.Branch

// Main is the name of the branch that every file has.
const Main = db.Main

// Seq is the number of a commit; see history.Seq.
type Seq = history.Seq

// CommitID is the SHA-256 of a commit's content; the zero value is no commit.
type CommitID = history.CommitID

// Rights say what a reader may not see; see db.Rights.
type Rights = db.Rights

// ParseCommitID reads 64 hex digits.
func ParseCommitID(s string) (CommitID, error) { return history.ParseCommitID(s) }

// ChangedType counts the nodes of a type that a commit made and deleted.
type ChangedType = db.ChangedType

// CommitDay is a day with the number of its commits.
type CommitDay = db.CommitDay

// Activity is the provenance of one call (prov:Activity).
type Activity = db.Activity

// ActivityFilter chooses activities.
type ActivityFilter = db.ActivityFilter

// AgentIRI names a principal in the graphs of provenance and of commits; two
// principals never share a name.
func AgentIRI(agent string) rdf.IRI { return db.AgentIRI(agent) }

// BackupOptions say what a copy has; see [db.BackupOptions].
type BackupOptions = db.BackupOptions

// VerifyReport is what [Graph.Verify] found.
type VerifyReport = db.VerifyReport

// Options are how a file is opened. The zero Options are good.
type Options struct {
	// Synchronous is "normal" (the default: commits survive a kill of the process) or "full" (they also survive a
	// power loss).
	Synchronous string
	// LockWait bounds the wait for another process's write; 0 means 60 s.
	LockWait time.Duration
	// KeepActivities bounds the stored records of successful reads, KeepRefusals those of refused or failed calls; 0
	// means 100,000 of each. Records of writes are never deleted.
	KeepActivities, KeepRefusals int64
	// ArtifactTTL is how long an artifact is stored after the last request to keep it; 0 means seven days.
	// ArtifactQuota bounds the bytes of all artifacts; 0 means 256 MiB.
	ArtifactTTL   time.Duration
	ArtifactQuota int64
	// LongLog is the size in bytes from which SQLite's write-ahead log is made to start
	// over before the next write; 0 means 64 MiB.
	LongLog int64
	// Readers is how many snapshots can be open at once, of which those of [Graph.AsOne] count as one; 0 means [Readers].
	Readers int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Log is the log for internal faults outside of calls; nil means slog.Default().
	Log *slog.Logger
	// Scans says when queries scan whole ranges of an index instead of using SQL; the zero value decides by
	// estimates. Others are for comparisons.
	Scans db.Scans
	// Migrates is called before a file of an older format is migrated; nil means not to.
	Migrates func(from, to int)
	// Pool is the memory that this graph shares with others of the process; nil means that this is the only one.
	Pool *Pool
	// Inspect opens a file even if it has objects that no format has, such as a trigger, for reading only: see
	// [Graph.Foreign].
	Inspect bool
	// Remote is how SERVICE and LOAD reach other hosts; nil refuses both.
	Remote Remote
}

// Pool is the memory that the open graphs of a process share; see [db.Pool].
type Pool = db.Pool

// CreateOptions are the fixed properties of a new file.
type CreateOptions struct {
	// Base is what every minted IRI begins with; empty means urn:trails:<Name>:.
	Base string
	// Name is the graph's name; empty means the file's name without extension.
	Name string
	// Schema is YAML to begin with; empty means no types.
	Schema []byte
	// Export, when set, is an export of another file with the same base, including its schema; it becomes the first
	// commit. Schema must then be empty.
	Export *Load
	// Imported, when set, is called with the result of loading Export.
	Imported func(Loaded)
	// By is who makes the file, the author of its first commit.
	By policy.Principal
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Graph is an open file. It is safe for concurrent use; so are any number of
// processes on the same file. Close it once.
type Graph struct {
	file   *db.File
	now    func() time.Time
	remote Remote
	log    *slog.Logger
	bell   bell // rung after every commit of this process, wakes watchers

	artifactTTL time.Duration

	texts sparql.Texts // of queries

	mu       sync.Mutex
	compiled *compiled // of the last schema read at a head
	law      *law      // of the last policies asked for
	// earlier are those of schemas read at earlier commits, on other branches, or by somebody who may not see everything: the
	// last maxEarlier, the newest one last.
	earlier []*compiled
}

// compiled is a schema with everything derived from it. It is immutable.
type compiled struct {
	epoch   string // of the file, in which the commit has its number
	rights  string // key of the rights of its reader
	seq     Seq    // number of the commit that made it; 0 is the empty schema of a new file
	version int64
	schema  *schema.Schema
	shapes  *validate.Shapes
	// uncheckable, when set, is why not all shapes of the schema graph are enforced: it has shapes from an earlier
	// version that cannot be checked.
	uncheckable error
	records     []rdf.Quad         // of the schema graph, beside the schema
	stored      []stored.Kept      // queries, by id
	applied     []migration.Record // by number
	// policies say who may do what; nil if there are none. Where they cannot be read, unlawful says why.
	policies   *cedar.Policies
	policyText string
	unlawful   error
	// promoted is the state after the last promotion; nil if there was none.
	promoted digests
	// prefixes are those of the schema, for queries.
	prefixes map[string]string
	linter   *lint.Linter
	parts    sync.Map // from a *Part to a function that returns its value
}

// Create makes a new file at path. An existing file is not touched. If the schema is refused, or the process is
// killed, there is nothing at path.
func Create(ctx context.Context, path string, o CreateOptions) error {
	name := o.Name
	if name == "" {
		name = NameOf(path)
	}
	base, err := baseOf(o, name)
	if err != nil {
		return err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	first := ChangeSet{Message: "initial schema", Activity: Activity{Capability: "init"}}
	var fill func(context.Context, *db.File) error
	switch {
	case len(o.Schema) > 0 && o.Export != nil:
		return fault.New(fault.InvalidArguments, "an export brings its own schema; give one of the two")
	case len(o.Schema) > 0:
		fill = func(ctx context.Context, f *db.File) error {
			g := &Graph{file: f, now: o.Now}
			_, _, err := g.Session(o.By).ApplySchema(ctx, SchemaChange{Source: o.Schema, Set: first})
			return err
		}
	case o.Export != nil:
		fill = func(ctx context.Context, f *db.File) error {
			g, l := &Graph{file: f, now: o.Now}, *o.Export
			first.Message = "from an export"
			l.Set = first
			done, err := g.Session(o.By).Import(ctx, l)
			if err == nil && o.Imported != nil {
				o.Imported(done)
			}
			return err
		}
	}
	return db.Create(ctx, path, db.CreateOptions{Base: base, Name: name, Now: o.Now(), Fill: fill})
}

// baseOf is the base given by the caller or declared by the schema, or made from the name.
func baseOf(o CreateOptions, name string) (string, error) {
	if o.Base != "" {
		return o.Base, schema.CheckIRI(o.Base)
	}
	if len(o.Schema) > 0 {
		declared, err := schema.DeclaredBase(o.Schema)
		if err != nil || declared != "" {
			return declared, err
		}
	}
	made := "urn:trails:" + name + ":"
	if err := schema.CheckIRI(made); err != nil {
		return "", fault.New(fault.InvalidArguments, "the name %q makes no base: %v; give letters, digits and dashes, or a base", name, err)
	}
	return made, nil
}

// Open opens the file at path. A file that is missing, foreign, damaged or from a
// newer trails is refused with fault.Missing or fault.Unusable and left untouched.
func Open(ctx context.Context, path string, o Options) (*Graph, error) {
	g := &Graph{now: o.Now, remote: o.Remote, log: o.Log, artifactTTL: cmp.Or(o.ArtifactTTL, defaultArtifactTTL)}
	if g.log == nil {
		g.log = slog.Default()
	}
	scanFailed := func(err error, stack string) {
		g.log.Error("a scan failed, and SQL answers in its place; please report it", "error", err, "stack", stack)
	}
	var err error
	g.file, err = db.Open(ctx, path, db.Options{Synchronous: o.Synchronous, LockWait: o.LockWait, Readers: o.Readers, KeepActivities: o.KeepActivities, KeepRefusals: o.KeepRefusals, LongLog: o.LongLog, ArtifactQuota: o.ArtifactQuota, Scans: o.Scans, ScanFailed: scanFailed, Migrates: o.Migrates, Pool: o.Pool, Inspect: o.Inspect})
	if err != nil {
		return nil, err
	}
	g.bell.version = g.file.DataVersion
	if g.now == nil {
		g.now = time.Now
	}
	if g.remote == nil {
		g.remote = noRemote{}
	}
	return g, nil
}

// Close releases the file. Snapshots must be closed before.
func (g *Graph) Close() error { return g.file.Close() }

// Path returns where the file is.
func (g *Graph) Path() string { return g.file.Path() }

// Base returns what every IRI minted in this file begins with.
func (g *Graph) Base() string { return g.file.Meta().Base }

// Name returns the graph's name.
func (g *Graph) Name() string { return g.file.Meta().Name }

// ReachesOut reports whether queries and updates may reach other hosts.
func (g *Graph) ReachesOut() bool { return g.remote.Reaches() }

// Sizes returns the bytes of the file and of its write-ahead log now.
func (g *Graph) Sizes() (file, log int64) { return g.file.Sizes() }

// FailedScans returns how many scans in this process have failed because of a bug; see [db.File.FailedScans].
func (g *Graph) FailedScans() int64 { return g.file.FailedScans() }

// WriterQueue returns how many writes of this process are waiting for another one.
func (g *Graph) WriterQueue() int { return g.file.Waiting() }

// Readers is how many snapshots a graph has open at once, at most, unless [Options] say otherwise.
const Readers = db.DefaultReaders

// Readers returns how many snapshots can be open at once; those of [Graph.AsOne] are one.
func (g *Graph) Readers() int { return g.file.Readers() }

// AsOne returns a context whose snapshots count as one of [Graph.Readers], however many of them are open at once. Who opens
// a snapshot while another is open, or calls a method that does, gives this context to both: otherwise callers that hold
// all the snapshots there may be, and want one more each, wait for each other until their contexts end.
func (g *Graph) AsOne(ctx context.Context) context.Context { return g.file.AsOne(ctx) }

// Session returns the graph as p sees it.
func (g *Graph) Session(p policy.Principal) *Session { return &Session{graph: g, principal: p} }

// Backup writes a consistent copy of the file to dest, which must not exist,
// while reads and writes go on.
func (g *Graph) Backup(ctx context.Context, dest string, o BackupOptions) error {
	return g.file.Backup(ctx, dest, o)
}

// VerifyOptions say how much [Graph.Verify] checks. The zero value checks everything.
type VerifyOptions struct {
	// Sample, when it is not 0, bounds the time that the check should take: see
	// [db.VerifyOptions].
	Sample time.Duration
	// Progress, when set, hears how far the check is.
	Progress func(Progress)
}

// Verify checks that the file holds what was written to it: see [db.File.Verify]. Damage is in the report; the error
// is for a check that could not be finished.
func (g *Graph) Verify(ctx context.Context, opts VerifyOptions) (VerifyReport, error) {
	in := db.VerifyOptions{Sample: opts.Sample}
	if opts.Progress != nil {
		in.Progress = func(p db.VerifyProgress) {
			opts.Progress(Progress{Phase: p.Phase, Done: p.Done, Total: p.Total, Unit: "rows"})
		}
	}
	return g.file.Verify(ctx, in)
}

// Mend repairs what can be computed from the rest of the file, and never data: see [db.File.Mend]. It takes the
// original texts of stored descriptors from this program.
func (g *Graph) Mend(ctx context.Context, capabilities []capability.Descriptor, dryRun bool) (done []string, err error) {
	texts := make(map[string]string, len(capabilities))
	for _, d := range capabilities {
		texts[d.ID+"@"+d.Version] = string(d.Content())
	}
	return g.file.Mend(ctx, texts, dryRun)
}

// Foreign is nil, or says which objects the file has that no format has, that therefore it cannot be written, and the
// way out; see db.File.Foreign.
func (g *Graph) Foreign() error { return g.file.Foreign() }

// TakeOut removes objects without data that no format has from the file at path, and names them; see db.TakeOut.
func TakeOut(ctx context.Context, path string, dryRun bool) (done []string, err error) {
	return db.TakeOut(ctx, path, dryRun)
}

// Record stores the provenance of calls that wrote nothing, and that of [Graph.SetAside]. On a file that cannot be
// written it does nothing. It does not wait behind a long write: fault.TimedOut means that the same batch may be
// tried again.
func (g *Graph) Record(ctx context.Context, batch []Activity) error {
	if g.Foreign() != nil {
		return nil
	}
	return g.file.Record(ctx, batch)
}

// Aside returns how many files of provenance wait beside the file, and how many were
// refused.
func (g *Graph) Aside() (waiting, refused int, err error) { return g.file.Aside() }

// Surroundings describe the place of the file in the operating system.
func (g *Graph) Surroundings() (disk.Surroundings, error) { return g.file.Surroundings() }

// SetAside writes provenance to a file beside the graph, for the next process that records some. It is for a process
// that must end while another one is writing for long.
func (g *Graph) SetAside(ctx context.Context, batch []Activity) error {
	return g.file.SetAside(ctx, batch)
}

// reading is what a snapshot and an open write have in common.
type reading interface {
	rdf.Source
	Head() history.Commit
	Branch() string
	Epoch() string
	Rights() string
}

// schemaOf returns the schema of r's head: the same value while its version is the one requested last, on main or
// elsewhere.
func (g *Graph) schemaOf(ctx context.Context, r reading) (*compiled, error) {
	return g.schemaKept(ctx, r, r.Branch() == Main && r.Rights() == "")
}

// schemaThen is schemaOf for an earlier commit.
func (g *Graph) schemaThen(ctx context.Context, r reading) (*compiled, error) {
	return g.schemaKept(ctx, r, false)
}

// maxEarlier bounds the schemas that are kept beside that of main.
const maxEarlier = 16

// schemaKept is schemaOf; ofMain says that a schema which has to be compiled is the one of main that everybody may see.
func (g *Graph) schemaKept(ctx context.Context, r reading, ofMain bool) (*compiled, error) {
	head := r.Head()
	fits := func(c *compiled) bool {
		return c != nil && c.seq == head.SchemaSeq && c.epoch == r.Epoch() && c.rights == r.Rights()
	}
	known := func() *compiled {
		if fits(g.compiled) {
			return g.compiled
		}
		at := slices.IndexFunc(g.earlier, fits)
		if at < 0 {
			return nil
		}
		c := g.earlier[at]
		g.earlier = append(slices.Delete(g.earlier, at, at+1), c)
		return c
	}
	g.mu.Lock()
	c := known()
	g.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := g.compile(ctx, r)
	if err != nil {
		return nil, err
	}
	c.epoch, c.rights, c.seq, c.version = r.Epoch(), r.Rights(), head.SchemaSeq, head.SchemaVersion
	g.mu.Lock()
	defer g.mu.Unlock()
	if other := known(); other != nil {
		return other, nil // another goroutine has compiled it: one version has one schema
	}
	if ofMain {
		g.compiled = c
		return c, nil
	}
	g.earlier = append(g.earlier[max(0, len(g.earlier)-maxEarlier+1):], c)
	return c, nil
}

// compile reads the schema graph as r has it.
func (g *Graph) compile(ctx context.Context, r rdf.Source) (*compiled, error) {
	quads, err := collect(r.Match(ctx, rdf.Quad{Label: rdf.SchemaGraph}))
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	var records, own []rdf.Quad
	for _, q := range quads {
		if isRecord(q) {
			records = append(records, q)
		} else {
			own = append(own, q)
		}
	}
	s, err := schema.FromQuads(own, g.Base())
	if err != nil {
		return nil, err
	}
	shapes, err := validate.Compile(quads)
	var uncheckable error
	if err != nil && len(s.Foreign()) > 0 {
		uncheckable = err
		shapes, err = validate.Compile(s.Quads())
	}
	if err != nil {
		return nil, err
	}
	c := &compiled{
		uncheckable: uncheckable, schema: s, prefixes: s.TurtlePrefixes(), linter: lint.New(s),
		records: records, stored: stored.FromQuads(records, s), applied: migration.FromQuads(records), promoted: promotedIn(records),
	}
	c.shapes = shapes.Naming(s.NodeName)
	c.policyText, c.policies, c.unlawful = policiesIn(records)
	return c, nil
}

// unenforced is nil, or says why nothing may be written under a schema, and the way out.
func (c *compiled) unenforced() error {
	if c.uncheckable == nil {
		return nil
	}
	return fault.New(fault.InvalidData, "the schema's graph asks for what trails cannot check, so nothing is written under it: %v; apply what `trails schema show` prints with schema apply, which takes that away", c.uncheckable)
}

// typeName returns what people call a type.
func (c *compiled) typeName(class rdf.Term) string {
	iri, _ := class.(rdf.IRI)
	if t := c.schema.TypeByIRI(iri); t != nil {
		return t.Name
	}
	return c.schema.NodeName(class)
}

// schemaIsKept is the refusal of a change of data that would edit the schema, with its place in the input if known.
// Data that only repeats the schema, as a reloaded export does, edits nothing.
func schemaIsKept(place string) error {
	hint := ""
	if place != "" {
		place, hint = place+": ", "; the export of a whole file makes a new one with trails init --from"
	}
	return fault.New(fault.Denied, "%sgraph <%s> holds the schema, which data cannot change; use schema_apply%s", place, string(rdf.SchemaGraph), hint)
}
