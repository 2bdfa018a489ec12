package rank

import (
	"regexp"
	"slices"
	"strings"
)

// alike is the share of common words from which two descriptions count as versions of the same tool.
const alike = 0.6

// maxFamily is how many other documents of the same name a document is compared with.
const maxFamily = 16

// fold merges documents that are versions of the same tool: same group, names that differ only in a final version,
// and nearly equal descriptions, ignoring numbers.
func (x *Index) fold(counts [][]count) {
	number := make([]bool, len(x.terms))
	for stem, term := range x.terms {
		number[term] = strings.Trim(stem, "0123456789") == ""
	}
	// wordsOf returns the words of a description, sorted, without numbers.
	wordsOf := func(document int32) (terms []int32) {
		for _, c := range counts[document] {
			if c.field == description && !number[c.term] {
				terms = append(terms, c.term)
			}
		}
		slices.Sort(terms)
		return slices.Compact(terms)
	}
	type family struct{ group, name string }
	known := map[family][]int32{} // folds by name without numbers
	x.foldOf = make([]int32, len(x.documents))
	for i := range x.documents {
		d := int32(i)
		of := family{x.documents[i].Group, unnumbered(x.documents[i].Name)}
		few := known[of][:min(len(known[of]), maxFamily)]
		at := slices.IndexFunc(few, func(fold int32) bool {
			first := x.folds[fold][0]
			return x.documents[first].Name != x.documents[i].Name && near(wordsOf(first), wordsOf(d))
		})
		if at < 0 {
			x.foldOf[i] = int32(len(x.folds))
			known[of] = append(known[of], x.foldOf[i])
			x.folds = append(x.folds, []int32{d})
			continue
		}
		x.foldOf[i] = known[of][at]
		x.folds[x.foldOf[i]] = append(x.folds[x.foldOf[i]], d)
	}
}

// version matches a version at the end of a name.
var version = regexp.MustCompile(`(?i)(?:[._\- ]+v?|v)[0-9]{1,3}$`)

// unnumbered is a name without a final version, if something is left.
func unnumbered(name string) string {
	if last := len(name) - 1; last < 0 || name[last] < '0' || name[last] > '9' {
		return name
	}
	if at := version.FindStringIndex(name); at != nil && at[0] > 0 {
		return name[:at[0]]
	}
	return name
}

// near reports whether two sorted sets of words have enough in common.
func near(a, b []int32) bool {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) >= alike*float64(len(a)+len(b)-both)
}
