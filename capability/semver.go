package capability

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Part is a part of a semantic version (https://semver.org), in ascending order. The zero Part is none.
type Part int

// The parts, and what a change of each means to whoever calls.
const (
	NoPart Part = iota
	Patch       // other words
	Minor       // more than before, and all calls work as they did
	Major       // a call or a reader that worked may not work any more
)

func (p Part) String() string { return [...]string{"no part", "patch", "minor", "major"}[p] }

// number is a parsed semantic version without its build metadata.
type number struct {
	major, minor, patch int
	pre                 string // of a pre-release
}

// numberOf parses a version that [New] accepts.
func numberOf(version string) (n number) {
	version, _, _ = strings.Cut(version, "+")
	version, n.pre, _ = strings.Cut(version, "-")
	parts := strings.SplitN(version, ".", 3)
	for i, into := range []*int{&n.major, &n.minor, &n.patch}[:len(parts)] {
		*into, _ = strconv.Atoi(parts[i])
	}
	return n
}

func (n number) String() string { return fmt.Sprintf("%d.%d.%d", n.major, n.minor, n.patch) }

// compare orders versions; a pre-release comes before its release.
func (n number) compare(m number) int {
	before := func(pre string) int { return min(len(pre), 1) }
	return cmp.Or(cmp.Compare(n.major, m.major), cmp.Compare(n.minor, m.minor), cmp.Compare(n.patch, m.patch),
		cmp.Compare(before(m.pre), before(n.pre)), cmp.Compare(n.pre, m.pre))
}

// raised is the least version that expresses a change of this part. A pre-release may change in any way; in 0.y.z
// each part counts one lower.
func (n number) raised(p Part) number {
	if n.pre != "" {
		return number{major: n.major, minor: n.minor, patch: n.patch}
	}
	if n.major == 0 && p > Patch {
		p--
	}
	switch p {
	case Major:
		return number{major: n.major + 1}
	case Minor:
		return number{major: n.major, minor: n.minor + 1}
	case Patch:
		return number{major: n.major, minor: n.minor, patch: n.patch + 1}
	case NoPart:
	}
	return n
}
