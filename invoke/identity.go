package invoke

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trails/capability"
	"trails/jsontext"
)

// besides are arguments that say how far the work may go and how errors are told, and
// nothing of what is to be done.
var besides = []string{"timeout_ms", "keep_going"}

// identity is what an idempotency key stands for: the capability and its arguments, in
// one form for all that ask for the same. The capability is its id, whichever name it was
// called by. Members are sorted, numbers are written in one way, and an argument with its
// default is one that is left out. The data of a load (see [Capability.Inputs]) is not in
// it: it is digested as it is read, whether it came as an argument or as streams.
func (r *Request) identity() ([32]byte, error) {
	args := map[string]any{}
	for name, v := range r.Args {
		f, _ := r.Capability.InputShape.Field(name)
		isDefault, err := equalsDefault(f, v)
		if err != nil {
			return [32]byte{}, err
		}
		if !isDefault && !slices.Contains(besides, name) {
			args[name] = canonical(v)
		}
	}
	delete(args, r.Capability.Inputs)
	text, err := jsontext.Marshal(args)
	if err != nil {
		return [32]byte{}, fmt.Errorf("encode arguments: %w", err)
	}
	return [32]byte(digest(r.Capability.ID, text)), nil
}

// equalsDefault reports that an argument says what leaving it out says.
func equalsDefault(f capability.Field, v any) (bool, error) {
	if f.Name == "branch" && v == MainBranch {
		return true, nil
	}
	if f.Default == nil {
		return false, nil
	}
	given, err := jsontext.Marshal(canonical(v))
	if err != nil {
		return false, fmt.Errorf("encode argument %s: %w", f.Name, err)
	}
	text, err := jsontext.Marshal(f.Default)
	if err != nil {
		return false, fmt.Errorf("encode default of %s: %w", f.Name, err)
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return false, fmt.Errorf("decode default of %s: %w", f.Name, err)
	}
	byDefault, err := jsontext.Marshal(canonical(value))
	return bytes.Equal(given, byDefault), err
}

// canonical returns decoded JSON with its numbers in one notation.
func canonical(v any) any {
	switch v := v.(type) {
	case json.Number:
		return canonicalNumber(v)
	case []any:
		out := make([]any, len(v))
		for i, member := range v {
			out[i] = canonical(member)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = canonical(member)
		}
		return out
	}
	return v
}

// canonicalNumber writes a number as its digits without zeros at either end, and the
// power of ten that they are multiplied by: 1.50 and 15e-1 are both 15e-1. It keeps every
// digit; a number with an exponent beyond 64 bits stays as it was written.
func canonicalNumber(n json.Number) json.Number {
	digits, negative := strings.CutPrefix(string(n), "-")
	power := int64(0)
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		var err error
		if power, err = strconv.ParseInt(digits[at+1:], 10, 64); err != nil || power < -1<<62 || power > 1<<62 {
			return n
		}
		digits = digits[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	power += int64(len(digits)-len(trimmed)) - int64(len(fraction))
	sign := ""
	if negative {
		sign = "-"
	}
	return json.Number(sign + trimmed + "e" + strconv.FormatInt(power, 10))
}
