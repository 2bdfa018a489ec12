package load

import (
	"cmp"
	"errors"
	"fmt"

	"trails/fault"
)

// reject records errors of the current line, at their own places where known. It returns an error if there are
// enough; the error says where reading stopped if there may be more.
func (r *reader) reject(fields ...fault.FieldError) error {
	place := fmt.Sprintf("%s:%d", r.Sources[r.source.File], r.source.Line)
	for _, f := range fields {
		if r.Rows != nil {
			f.Source, f.Value = cmp.Or(f.Source, place), fault.Bounded(f.Value)
			r.Rows.reject(r.source, f)
			continue
		}
		r.BadNodes[f.Node] = true
		f.Source, f.Value = cmp.Or(f.Source, place), fault.Bounded(f.Value)
		r.Bad = append(r.Bad, f)
	}
	if r.Rows != nil && len(r.Rows.rejected) > MaxBad {
		return fault.Invalid(r.Rows.Fields()).With("stopped_at", place)
	}
	if len(r.Bad) >= MaxBad {
		return fault.Invalid(r.Bad).With("stopped_at", place)
	}
	return nil
}

// breakOff records an error behind which nothing of the input can be read. Rejects cannot leave that out, because nobody knows
// what it is.
func (r *reader) breakOff(f fault.FieldError) error {
	r.Partial = true
	err := r.reject(f)
	if err == nil && r.Rows != nil {
		return fault.Invalid([]fault.FieldError{f})
	}
	return err
}

func (r *reader) rejectLine(err error) error {
	return r.reject(fault.FieldError{Field: "", Code: fault.Shape, Message: err.Error()})
}

// unreadable is the fault for an input that breaks off. It does not belong to a line, and nothing can follow it.
func (r *reader) unreadable(err error) error {
	var already *fault.Error
	switch name := r.Sources[r.source.File]; {
	case errors.As(err, &already):
		return err
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case r.zipped:
		return fault.New(fault.Malformed, "%s: the gzip data is damaged or cut short", name).Because(err)
	default:
		return fault.New(fault.Unusable, "%s cannot be read", name).Because(err)
	}
}
