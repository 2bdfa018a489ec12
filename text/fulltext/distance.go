package fulltext

// Edits is how many mistakes a word of so many characters may have.
func Edits(characters int) int {
	switch {
	case characters < 4:
		return 0
	case characters < 8:
		return 1
	default:
		return 2
	}
}

// Near compares words with one that is misspelt: a mistake is a character too many, too
// few or wrong, or two that have changed places.
type Near struct {
	word []rune
	most int
	rows [][]int
}

// NewNear compares with a word; most is how many mistakes it may have.
func NewNear(word string, most int) *Near { return &Near{word: []rune(word), most: most} }

// Distance returns how many mistakes lie between the word and another, false when these
// are too many. Then so have all words that begin with the first prefix bytes of it.
func (n *Near) Distance(other string) (edits int, near bool, prefix int) {
	width := len(n.word) + 1
	row := func(i int) []int {
		for len(n.rows) <= i {
			n.rows = append(n.rows, make([]int, width))
		}
		return n.rows[i]
	}
	for j := range width {
		row(0)[j] = j
	}
	var before rune
	i := 0
	for at, r := range other {
		i++
		last, now := row(i-1), row(i)
		now[0] = i
		least := i
		for j, own := range n.word {
			cost := 1
			if own == r {
				cost = 0
			}
			now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
			if i > 1 && j > 0 && own == before && n.word[j-1] == r {
				now[j+1] = min(now[j+1], row(i - 2)[j-1]+1)
			}
			least = min(least, now[j+1])
		}
		// A change of places may still make good for one.
		if least > n.most+1 || least > n.most && i > 1 && minOf(last) > n.most {
			return 0, false, at + len(string(r))
		}
		before = r
	}
	edits = row(i)[width-1]
	return edits, edits <= n.most, 0
}

func minOf(row []int) int {
	least := row[0]
	for _, n := range row {
		least = min(least, n)
	}
	return least
}
