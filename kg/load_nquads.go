package kg

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"trails/kg/change"
	"trails/kg/rdf"
	"trails/kg/rdfio"
)

func (l *loading) readNQuads(text *bufio.Reader, triples bool) error {
	r := rdfio.NewNQuadsReader(text, rdfio.Limits{})
	if triples {
		r = rdfio.NewNTriplesReader(text, rdfio.Limits{})
	}
	for {
		q, err := r.Read()
		if err == io.EOF {
			return nil
		}
		l.source.Line = uint64(r.Line())
		if err == nil {
			err = l.takeQuad(q)
		} else if syntax := (*rdfio.SyntaxError)(nil); errors.As(err, &syntax) {
			err = l.rejectLine(errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("line %d, ", syntax.Line))))
		} else {
			err = l.unreadable(err)
		}
		if err != nil {
			return err
		}
	}
}

func (l *loading) takeQuad(q rdf.Quad) error {
	if l.records++; l.records%progressStep == 0 {
		if err := l.ctx.Err(); err != nil {
			return err
		}
	}
	if q.Label == nil && l.load.Graph != "" {
		q.Label = l.load.Graph
	}
	if l.load.Mode == Append {
		if err := l.put(change.Edit{Op: change.Fresh, Quad: rdf.Quad{Subject: q.Subject, Label: q.Label}}); err != nil {
			return err
		}
	}
	return l.put(change.Edit{Op: change.Assert, Quad: q})
}
