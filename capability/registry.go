package capability

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"sort"

	"trails/fault"
)

// Registry is a set of descriptors. It is immutable and safe for concurrent use;
// the zero value is empty. One request sees one registry.
type Registry struct {
	all     []Descriptor // by id
	byID    map[string]int
	byTool  map[string]int
	byOld   map[string]int // replaced ids and their tool names
	version string
}

// New returns the registry of these descriptors. It refuses, as InvalidData, an id
// that breaks the grammar, a version that is no SemVer, an input shape that is not
// closed, fields that contradict each other, two descriptors with one id, two ids with
// one tool name, and an id that is replaced and there, or replaced twice.
func New(descriptors []Descriptor) (*Registry, error) {
	r := &Registry{
		all:    slices.Clone(descriptors),
		byID:   make(map[string]int, len(descriptors)),
		byTool: make(map[string]int, len(descriptors)),
		byOld:  map[string]int{},
	}
	sort.SliceStable(r.all, func(i, j int) bool { return r.all[i].ID < r.all[j].ID })
	for i, d := range r.all {
		if err := r.add(i, d); err != nil {
			return nil, err
		}
	}
	for i, d := range r.all {
		if err := r.replace(i, d); err != nil {
			return nil, err
		}
	}
	h := sha256.New()
	for _, d := range r.all {
		h.Write([]byte(d.ID + " " + d.Version + "\n"))
	}
	r.version = hex.EncodeToString(h.Sum(nil)[:16])
	return r, nil
}

func (r *Registry) add(i int, d Descriptor) error {
	if err := CheckID(d.ID); err != nil {
		return err
	}
	if !semver.MatchString(d.Version) {
		return fault.New(fault.InvalidData, "capability %s: version %q is no semantic version, such as 1.0.0", d.ID, d.Version)
	}
	if !d.InputShape.Closed {
		return fault.New(fault.InvalidData, "capability %s: the input shape must be closed", d.ID)
	}
	if err := d.checkFields(); err != nil {
		return err
	}
	if _, taken := r.byID[d.ID]; taken {
		return fault.New(fault.InvalidData, "capability %s is declared twice", d.ID)
	}
	tool := ToolName(d.ID)
	if first, taken := r.byTool[tool]; taken {
		return fault.New(fault.InvalidData, "capabilities %s and %s have the same tool name %s; rename one", r.all[first].ID, d.ID, tool)
	}
	r.byID[d.ID], r.byTool[tool] = i, i
	return nil
}

// checkFields refuses fields that contradict each other.
func (d Descriptor) checkFields() error {
	writes := d.SideEffects == Writes || d.SideEffects == Destroys
	switch {
	case writes != d.PolicyRequired.Action.Writes():
		return fault.New(fault.InvalidData, "capability %s: the side effects %q are not those of the action %q", d.ID, d.SideEffects, d.PolicyRequired.Action)
	case writes != (d.Assurance == AssuranceValidated):
		return fault.New(fault.InvalidData, "capability %s: the assurance %q is not that of the side effects %q", d.ID, d.Assurance, d.SideEffects)
	case d.ConsentRequired && d.SideEffects != Destroys:
		return fault.New(fault.InvalidData, "capability %s asks for consent, and removes nothing", d.ID)
	}
	return checkPatterns(d.ID, d.InputShape.Fields)
}

// checkPatterns refuses an invalid pattern.
func checkPatterns(id string, fields []Field) error {
	for i := range fields {
		f := &fields[i]
		if f.Pattern != "" {
			if _, err := regexp.Compile(f.Pattern); err != nil {
				return fault.New(fault.InvalidData, "capability %s: the pattern of %s: %v", id, f.Name, err)
			}
		}
		if err := checkPatterns(id, f.Fields); err != nil {
			return err
		}
	}
	return nil
}

// replace records the ids that a capability replaces.
func (r *Registry) replace(i int, d Descriptor) error {
	for _, old := range d.Deprecates {
		if _, there := r.Find(old); there {
			return fault.New(fault.InvalidData, "capability %s replaces %s, which is there or replaced by another one", d.ID, old)
		}
		r.byOld[old], r.byOld[ToolName(old)] = i, i
	}
	return nil
}

// ByID returns the descriptor with this id.
func (r *Registry) ByID(id string) (Descriptor, bool) { return r.at(r.byID, id) }

// ByTool returns the descriptor with this tool name.
func (r *Registry) ByTool(name string) (Descriptor, bool) { return r.at(r.byTool, name) }

// Find returns the descriptor with this id or, failing that, this tool name, or the one that replaces it.
func (r *Registry) Find(name string) (Descriptor, bool) {
	for _, index := range []map[string]int{r.byID, r.byTool, r.byOld} {
		if d, ok := r.at(index, name); ok {
			return d, true
		}
	}
	return Descriptor{}, false
}

// Replaced returns the descriptor that replaces this id or tool name; ok is false if the name itself is registered.
func (r *Registry) Replaced(name string) (Descriptor, bool) { return r.at(r.byOld, name) }

func (r *Registry) at(index map[string]int, key string) (Descriptor, bool) {
	i, ok := index[key]
	if !ok {
		return Descriptor{}, false
	}
	return r.all[i], true
}

// All returns every descriptor in the order of the ids; the caller may keep it.
func (r *Registry) All() []Descriptor { return slices.Clone(r.all) }

// Version names the content: it changes whenever an id or a version does.
func (r *Registry) Version() string { return r.version }
