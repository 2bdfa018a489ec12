package capability

import (
	"regexp"
	"strings"

	"trails/fault"
)

// Kind says whether a capability is about the graph or about the system itself.
type Kind string

// The kinds.
const (
	KindRuntime Kind = "runtime"
	KindMeta    Kind = "meta"
)

const metaPrefix = "trails.meta."

var (
	runtimeID = regexp.MustCompile(`^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$`)
	metaID    = regexp.MustCompile(`^trails\.meta(\.[a-z][a-z0-9-]*){1,2}$`)
	toolName  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	// semver is the expression that semver.org suggests.
	semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
		`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
		`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)
)

// ToolName returns the name that a capability has where dots are not allowed:
// dots become underscores. Every projection uses this one function. An id of the gateway,
// which has a colon, is the name of a line in its list.
func ToolName(id string) string {
	if strings.Contains(id, ":") {
		return id
	}
	return strings.ReplaceAll(id, ".", "_")
}

// CheckID returns an InvalidData fault when id breaks the grammar of the contract,
// section 3: dotted lower case, a tool name of at most 64 characters, and for meta
// ids "trails.meta.<ns>.<op>" or "trails.meta.<op>" without underscores.
func CheckID(id string) error {
	switch {
	case id == "trails.meta" || strings.HasPrefix(id, metaPrefix):
		if !metaID.MatchString(id) {
			return fault.New(fault.InvalidData, "meta capability id %q must be trails.meta.<ns>.<op> or trails.meta.<op>, lower case and without underscores", id)
		}
	case !runtimeID.MatchString(id):
		return fault.New(fault.InvalidData, "capability id %q must be dotted lower case, such as research.search", id)
	}
	if !toolName.MatchString(ToolName(id)) {
		return fault.New(fault.InvalidData, "capability id %q makes a tool name of %d characters: the limit is 64", id, len(id))
	}
	return nil
}

// Kind derives the kind from the id: meta begins with "trails.meta.".
func (d Descriptor) Kind() Kind {
	if strings.HasPrefix(d.ID, metaPrefix) {
		return KindMeta
	}
	return KindRuntime
}

// Op returns the last segment of the id: "create" of "technique.create".
func (d Descriptor) Op() string {
	return d.ID[strings.LastIndexByte(d.ID, '.')+1:]
}

// Namespace returns what stands before the op: "technique" of "technique.create",
// "gen" of "trails.meta.gen.type", and "" of "health" and "trails.meta.ping".
func (d Descriptor) Namespace() string {
	rest := strings.TrimPrefix(d.ID, metaPrefix)
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return ""
	}
	return rest[:dot]
}
