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
	// read are the first characters of the last compared word, and rows[i] is what the first i of them cost for each beginning
	// of word. A word that begins with some of them begins with their rows: sorted words share most of theirs.
	read []rune
	rows [][]int
}

// NewNear returns a comparison with word that tolerates most mistakes.
func NewNear(word string, most int) *Near {
	n := &Near{word: []rune(word), most: most}
	first := make([]int, len(n.word)+1)
	for j := range first {
		first[j] = j
	}
	n.rows = append(n.rows, first)
	return n
}

// Distance returns the number of mistakes between the words; near is false if there are too many. Then all
// words that share other's first prefix bytes have too many, too.
func (n *Near) Distance(other []byte) (edits int, near bool, prefix int) {
	i := 0
	for at, r := range string(other) {
		if i++; i > len(n.read) || n.read[i-1] != r {
			n.read = append(n.read[:i-1], r)
			n.compare(i)
		}
		// A swap in the next row could still lower the distance by one.
		if least := minOf(n.rows[i]); least > n.most+1 || least > n.most && i > 1 && minOf(n.rows[i-1]) > n.most {
			return 0, false, at + len(string(r))
		}
	}
	edits = n.rows[i][len(n.word)]
	return edits, edits <= n.most, 0
}

// compare computes the row of the character that was read last, the i-th.
func (n *Near) compare(i int) {
	if len(n.rows) == i {
		n.rows = append(n.rows, make([]int, len(n.word)+1))
	}
	last, now, r := n.rows[i-1], n.rows[i], n.read[i-1]
	now[0] = i
	for j, own := range n.word {
		cost := 1
		if own == r {
			cost = 0
		}
		now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
		if i > 1 && j > 0 && own == n.read[i-2] && n.word[j-1] == r {
			now[j+1] = min(now[j+1], n.rows[i-2][j-1]+1)
		}
	}
}

func minOf(row []int) int {
	least := row[0]
	for _, n := range row {
		least = min(least, n)
	}
	return least
}
