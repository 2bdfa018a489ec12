package fulltext

// Edits returns how many typing mistakes are tolerated in a word of this many characters.
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

// Near compares words with a misspelt word. A mistake is one character too many, missing or wrong, or two
// swapped neighbours.
type Near struct {
	word []rune
	most int
	rows [][]int
}

// NewNear returns a comparison with word that tolerates most mistakes.
func NewNear(word string, most int) *Near { return &Near{word: []rune(word), most: most} }

// Distance returns the number of mistakes between the words; near is false if there are too many. Then all
// words that share other's first prefix bytes have too many, too.
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
		// A swap in the next row could still lower the distance by one.
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
