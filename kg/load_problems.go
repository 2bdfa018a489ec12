package kg

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"trails/fault"
)

// reject notes bad fields of the current line; it returns an error when that is enough,
// which says where it stopped when there may be more of them.
func (l *loading) reject(fields ...fault.FieldError) error {
	place := fmt.Sprintf("%s:%d", l.names[l.source.File], l.source.Line)
	for _, f := range fields {
		l.rejected[f.Node] = true
		f.Source, f.Value = place, bounded(f.Value)
		l.bad = append(l.bad, f)
	}
	switch {
	case !l.load.KeepGoing && l.linewise:
		return fault.Invalid(l.bad).With("stopped_at", place)
	case !l.load.KeepGoing || len(l.bad) >= keepGoingMaxErrors:
		return fault.Invalid(l.bad)
	}
	return nil
}

func (l *loading) rejectLine(err error) error {
	return l.reject(fault.FieldError{Field: "", Code: fault.Shape, Message: err.Error()})
}

// unreadable is the fault for an input that ends before its end. It is no matter of
// one line, and nothing can follow it.
func (l *loading) unreadable(err error) error {
	var already *fault.Error
	switch name := l.names[l.source.File]; {
	case errors.As(err, &already):
		return err
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case l.zipped:
		return fault.New(fault.Malformed, "%s: the gzip data is damaged or cut short: %w", name, err)
	default:
		return fault.New(fault.Unusable, "%s cannot be read: %w", name, err)
	}
}

// maxValue bounds the characters of a value that a load's report repeats.
const maxValue = 1000

// bounded cuts a value that is too long to repeat for each of many lines.
func bounded(v any) any {
	text, isText := v.(string)
	if !isText {
		whole, err := json.Marshal(v)
		if err != nil || len(whole) <= maxValue {
			return v
		}
		text = string(whole)
	}
	if len(text) <= maxValue {
		return v
	}
	end := maxValue
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
