package xsd

import (
	"errors"
	"strings"

	"trails/rdf"
)

// Piece is a part of a replacement: the text of a group, or a fixed text if Group is negative.
type Piece struct {
	Text  string
	Group int
}

// Replacement splits the replacement of fn:replace (XPath Functions, section 7.6.3) for a pattern with a number of
// groups: $N is the group N, \$ and \\ are the characters. Any other $ or \ is an error (err:FORX0004).
func Replacement(text string, groups int) (pieces []Piece, err error) {
	for text != "" {
		i := strings.IndexAny(text, `$\`)
		if i < 0 {
			return append(pieces, Piece{Text: text, Group: -1}), nil
		}
		if i > 0 {
			pieces = append(pieces, Piece{Text: text[:i], Group: -1})
		}
		sign, rest := text[i], text[i+1:]
		switch {
		case sign == '\\' && (rest == "" || rest[0] != '\\' && rest[0] != '$'):
			return nil, errors.New(`a \ stands before $ or another \ alone; the character itself is \\, which a query writes as "\\\\"`)
		case sign == '\\':
			pieces, text = append(pieces, Piece{Text: rest[:1], Group: -1}), rest[1:]
			continue
		case rest == "" || !rdf.IsDigit(rest[0]):
			return nil, errors.New(`a $ stands before the number of a group alone; the character itself is \$, which a query writes as "\\$"`)
		}
		// The number takes as many digits as there are groups for.
		group, n := int(rest[0]-'0'), 1
		for n < len(rest) && rdf.IsDigit(rest[n]) && group*10+int(rest[n]-'0') <= groups {
			group = group*10 + int(rest[n]-'0')
			n++
		}
		pieces, text = append(pieces, Piece{Group: group}), rest[n:]
	}
	return pieces, nil
}
