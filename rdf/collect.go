package rdf

import (
	"iter"

	"trails/fault"
)

// Collect returns the first quads of a sequence, at most most, and whether these are all. If they take more than held
// bytes of memory it returns [TooManyStatements].
func Collect(seq iter.Seq2[Quad, error], most, held int) (list []Quad, all bool, err error) {
	bytes := 0
	for q, err := range seq {
		if err != nil {
			return nil, false, err
		}
		if len(list) == most {
			return list, false, nil
		}
		if bytes += BytesOf(q); bytes > held {
			return nil, false, TooManyStatements(q, held)
		}
		list = append(list, q)
	}
	return list, true, nil
}

// BytesOf returns the approximate memory of a quad, in a list and in sets made from it.
func BytesOf(q Quad) int { return 500 + len(Lexical(q.Object)) }

// TooManyStatements is the fault TooLarge: the statements of q's subject take more than held bytes of memory.
func TooManyStatements(q Quad, held int) error {
	return fault.New(fault.TooLarge, "%s has too many statements to be taken all at once, in %d bytes of memory; change or ask for a part of them at a time",
		AppendTerm(nil, q.Subject), held)
}
