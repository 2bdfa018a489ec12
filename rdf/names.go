package rdf

// nameRanges are the code points of PN_CHARS_BASE beyond ASCII.
var nameRanges = [][2]rune{
	{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF},
	{0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
	{0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
}

// IsNameBase is PN_CHARS_BASE of the grammars of Turtle (section 6.5) and SPARQL
// (section 19.8): the letters that names are made of.
func IsNameBase(r rune) bool {
	if r < 0x80 {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	for _, in := range nameRanges {
		if in[0] <= r && r <= in[1] {
			return true
		}
	}
	return false
}
