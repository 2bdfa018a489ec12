package capability

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"trails/kg/fault"
)

// Registry is a set of descriptors. It is immutable and safe for concurrent use;
// the zero value is empty. One request sees one registry.
type Registry struct {
	all     []Descriptor // by id
	byID    map[string]int
	byTool  map[string]int
	version string
}

// New returns the registry of these descriptors. It refuses, as InvalidData, an id
// that breaks the grammar, a version that is no SemVer, an input shape that is not
// closed, two descriptors with one id, and two ids with one tool name.
func New(descriptors []Descriptor) (*Registry, error) {
	r := &Registry{
		all:    slices.Clone(descriptors),
		byID:   make(map[string]int, len(descriptors)),
		byTool: make(map[string]int, len(descriptors)),
	}
	slices.SortStableFunc(r.all, func(a, b Descriptor) int { return cmp.Compare(a.ID, b.ID) })
	for i, d := range r.all {
		if err := r.add(i, d); err != nil {
			return nil, err
		}
	}
	r.version = r.digest()
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

func (r *Registry) digest() string {
	h := sha256.New()
	for _, d := range r.all {
		h.Write([]byte(d.ID + " " + d.Version + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ByID returns the descriptor with this id.
func (r *Registry) ByID(id string) (Descriptor, bool) { return r.at(r.byID, id) }

// ByTool returns the descriptor with this tool name.
func (r *Registry) ByTool(name string) (Descriptor, bool) { return r.at(r.byTool, name) }

// Find returns the descriptor with this id or, if there is none, this tool name.
func (r *Registry) Find(name string) (Descriptor, bool) {
	if d, ok := r.ByID(name); ok {
		return d, true
	}
	return r.ByTool(name)
}

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
