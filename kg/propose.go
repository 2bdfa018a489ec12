package kg

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg/load"
	"trails/schema/infer"
)

// Source is data that can be read more than once.
type Source struct {
	Name string
	Open func() (io.ReadCloser, error)
	// Cells are texts in the place of those of a table, see [load.Table].
	Cells map[int]map[string]string
}

// table is how a load with options reads the source, nil if it says no more than the options.
func (s Source) table(o load.Options) *load.Table {
	if s.Cells == nil {
		return nil
	}
	return &load.Table{Type: o.Type, ID: o.ID, Sheet: o.Sheet, Map: o.Map, Conventions: o.Conventions, Cells: s.Cells}
}

// Proposed is a schema for data, and how the data is loaded under it.
type Proposed struct {
	// Schema is YAML.
	Schema []byte
	// Loads are the loads that were tried, in order. Their inputs have names only.
	Loads []load.Options
	// Tables are those of the Loads whose inputs are tables.
	Tables []bool
	// Records and LeftOut are how many rows and records were loaded in the try, and how many were not.
	Records, LeftOut int64
	// Date and Number are cells that can be read in two ways where the data does not decide: their columns became texts, or
	// numbers if the cell has a point alone, as 1.250; "" if there are none.
	Date, Number string
	// Sources are the indexes of the inputs of each load among the given sources.
	Sources [][]int
}

// maxTries bounds how often a proposal is tried; each try removes something from it.
const maxTries = 200

// Propose proposes a schema for sources, and tries it: the schema is applied to a temporary file, and the sources are
// loaded. What a load refuses is removed from the proposal, except for a few bad cells: these stay, unless Strict is
// set, and their rows are left out. It uses the options Type, ID, Sheet, Conventions, Format and Strict.
func Propose(ctx context.Context, by policy.Principal, sources []Source, o load.Options) (*Proposed, error) {
	proposal := &infer.Proposal{Conventions: o.Conventions, Strict: o.Strict}
	types, err := addRecords(ctx, sources, o, proposal, func(int, infer.Record) {})
	if err != nil {
		return nil, err
	}
	for range maxTries {
		p := &Proposed{Schema: proposal.YAML()}
		p.plan(proposal, sources, types, o)
		expected, err := p.try(ctx, by, sources, proposal)
		switch {
		case err != nil && !fault.Is(err, fault.InvalidData):
			return nil, err
		case err == nil && expected:
			p.Schema = proposal.YAML() // which names bad cells now
			p.Date, p.Number = proposal.Undecided()
			return p, nil
		}
		loosened := err == nil
		if err != nil {
			loosened = proposal.LoosenAll(fault.Of(err).Fields)
		}
		if !loosened {
			return nil, err
		}
	}
	return nil, errManyTries
}

var errManyTries = fault.New(fault.TooLarge, "no schema was found that the data fits within %d tries; propose one for a part of it", maxTries)

// addRecords adds the records of sources to a proposal, and shows each to see. It returns the types of the sources'
// records; "" where records say theirs.
func addRecords(ctx context.Context, sources []Source, o load.Options, proposal *infer.Proposal, see func(source int, r infer.Record)) ([]string, error) {
	types := make([]string, len(sources))
	for i, source := range sources {
		err := eachRecord(ctx, source, o, func(r infer.Record) error {
			if !r.Named && r.Edge == "" {
				types[i] = r.Type
			}
			see(i, r)
			return proposal.Add(r)
		})
		if err != nil {
			return nil, err
		}
	}
	proposal.FindKeys()
	return types, nil
}

func eachRecord(ctx context.Context, source Source, o load.Options, each func(infer.Record) error) error {
	in, err := source.Open()
	if err != nil {
		return err
	}
	o.Inputs = []load.Input{{Name: source.Name, Reader: in, Table: source.table(o)}}
	defer func() { _ = in.Close() }() // only read
	return load.Records(ctx, o, each)
}

// plan says how the sources are loaded: all files of records together, since they may refer to each other, and each
// table by itself, after those that it refers to.
func (p *Proposed) plan(proposal *infer.Proposal, sources []Source, types []string, o load.Options) {
	columns := func(renamed []infer.Renamed) map[string]string {
		names := make(map[string]string, len(renamed))
		for _, r := range renamed {
			names[r.Name] = r.Property
		}
		return names
	}
	records := load.Options{Map: columns(proposal.RenamedRecords()), Format: o.Format}
	var of []int
	var waiting []int
	for i, name := range types {
		if name != "" {
			waiting = append(waiting, i)
			continue
		}
		of, records.Inputs = append(of, i), append(records.Inputs, load.Input{Name: sources[i].Name})
	}
	if len(of) > 0 {
		p.Loads, p.Sources = append(p.Loads, records), append(p.Sources, of)
	}
	for len(waiting) > 0 {
		// If tables refer to each other in a circle, the first one comes first.
		next := max(0, slices.IndexFunc(waiting, func(i int) bool {
			refers := proposal.References(types[i])
			return !slices.ContainsFunc(waiting, func(j int) bool { return types[j] != types[i] && slices.Contains(refers, types[j]) })
		}))
		i := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		p.Loads = append(p.Loads, load.Options{
			Inputs: []load.Input{{Name: sources[i].Name}}, Format: o.Format, Sheet: o.Sheet,
			Type: types[i], ID: proposal.Key(types[i]), Map: columns(proposal.Renamed(types[i])), Conventions: proposal.ConventionsOf(types[i]),
		})
		p.Sources = append(p.Sources, []int{i})
	}
}

// try makes a file with the schema and loads the sources.
// It reports whether what was left out was expected.
func (p *Proposed) try(ctx context.Context, by policy.Principal, sources []Source, proposal *infer.Proposal) (expected bool, err error) {
	dir, err := os.MkdirTemp("", "trails-proposed-")
	if err != nil {
		return false, fmt.Errorf("make a folder to try a schema in: %w", err)
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil && removed != nil {
			err = fmt.Errorf("remove the folder that a schema was tried in: %w", removed)
		}
	}()
	path := filepath.Join(dir, "proposed.trails")
	if err := Create(ctx, path, CreateOptions{Schema: p.Schema, By: by}); err != nil {
		return false, err
	}
	g, err := Open(ctx, path, Options{})
	if err != nil {
		return false, err
	}
	defer func() {
		if closed := g.Close(); err == nil {
			err = closed
		}
	}()
	var broken []fault.FieldError
	var rows, left, following int64
	for i, o := range p.Loads {
		done, err := p.tryLoad(ctx, g.Session(by), o, p.Sources[i], sources)
		if err != nil {
			return false, err
		}
		p.Loads[i].Rejects, p.Tables = len(done.Broken) > 0, append(p.Tables, done.Tables)
		broken, rows, left = append(broken, done.Broken...), rows+done.Records+done.LeftOut.Count, left+done.LeftOut.Count
		following += done.LeftOut.Following
	}
	p.Records, p.LeftOut = rows-left, left
	expected, loosened := proposal.Bad(broken, rows, left-following)
	if !expected && !loosened {
		return false, fault.Invalid(broken)
	}
	return expected, nil
}

func (p *Proposed) tryLoad(ctx context.Context, s *Session, o load.Options, of []int, sources []Source) (Loaded, error) {
	o.Inputs = slices.Clone(o.Inputs)
	var opened []io.Closer
	defer func() {
		for _, in := range opened {
			_ = in.Close() // only read
		}
	}()
	for at, i := range of {
		in, err := sources[i].Open()
		if err != nil {
			return Loaded{}, err
		}
		opened = append(opened, in)
		o.Inputs[at].Reader, o.Inputs[at].Table = in, sources[i].table(o)
	}
	o.Rejects = true // so that one try reports all refusals
	return s.Load(ctx, Load{Options: o})
}
