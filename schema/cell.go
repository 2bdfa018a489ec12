package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
)

// CellValue converts the text of a table cell to JSON for [Schema.Values]: nil for an empty cell, an array for a
// property with many values. Numbers and booleans have the notation of XSD, with optional surrounding space. Several
// values are separated by ";" or are a JSON array. Text that is not a value of the datatype stays text, which Values
// refuses.
func (p *Property) CellValue(text string) any {
	if text == "" {
		return nil
	}
	if !p.Many() {
		if v := p.WordValue(text); v != "" {
			return v
		}
		return nil
	}
	if array, ok := jsonArray(text); ok {
		return array
	}
	var values []any
	for part := range strings.SplitSeq(text, cellSeparator) {
		if part = strings.TrimSpace(part); part != "" {
			values = append(values, p.WordValue(part))
		}
	}
	if values == nil {
		return nil
	}
	return values
}

// cellSeparator stands between the values of one cell.
const cellSeparator = ";"

// WordValue converts the text of one value to JSON; it stays text if it is not a value of the datatype.
func (p *Property) WordValue(text string) any {
	d := Datatypes[p.Datatype]
	if d.IRI != rdf.XSDString && d.JSON != JSONObject {
		text = strings.TrimSpace(text)
	}
	switch d.JSON {
	case JSONBoolean:
		if xsd.Valid(text, d.IRI) {
			return text == "true" || text == "1"
		}
	case JSONInteger, JSONNumber:
		if number := jsonNumber(text); xsd.Valid(text, d.IRI) && json.Valid([]byte(number)) {
			return json.Number(number)
		}
	case JSONArray:
		if array, ok := jsonArray(text); ok {
			return array
		}
	case JSONObject:
		if text, tag, ok := rdf.SplitLang(text); ok {
			return LangJSON(text, tag)
		}
		var v map[string]any
		if json.Unmarshal([]byte(text), &v) == nil && v != nil {
			return v
		}
	case JSONString:
	}
	return text
}

// jsonNumber writes a number of XSD as JSON does: "+07.", ".5" and "1.e3" are numbers
// to the one and not to the other.
func jsonNumber(text string) string {
	sign, digits := "", strings.TrimPrefix(text, "+")
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	end := strings.IndexAny(digits, "eE")
	if end < 0 {
		end = len(digits)
	}
	whole, fraction, _ := strings.Cut(digits[:end], ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + digits[end:]
}

// jsonArray reads text that is one JSON array.
func jsonArray(text string) (array []any, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") || !json.Valid([]byte(text)) {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(&array)
	return array, err == nil
}

// Cell writes the values of a property as a table cell, which [Property.CellValue] reads. It returns false for what
// no cell can express: a single empty text, surrounding space of a value other than a string, and several values of a
// single-valued property.
func (s *Schema) Cell(p *Property, terms []rdf.Term) (text string, ok bool) {
	values := make([]any, len(terms))
	texts := make([]string, len(terms))
	for i, term := range terms {
		values[i] = s.JSONValue(p, term)
		texts[i] = cellText(values[i])
	}
	if !p.Many() {
		switch {
		case len(texts) != 1:
			return "", len(texts) == 0
		case texts[0] == "", texts[0] != strings.TrimSpace(texts[0]) && p.datatypeIRI() != rdf.XSDString && !p.IsLang():
			return "", false
		}
		return texts[0], true
	}
	return JoinCells(texts, values), true
}

// JoinCells joins several values to a cell: their texts with ";", or a JSON array where these would not be read back.
func JoinCells(texts []string, values []any) string {
	plain := !slices.ContainsFunc(texts, func(text string) bool {
		return text == "" || strings.TrimSpace(text) != text || strings.Contains(text, cellSeparator)
	})
	if joined := strings.Join(texts, cellSeparator); plain && !strings.HasPrefix(joined, "[") {
		return joined
	}
	return cellText(values)
}

// cellText is a JSON value as cell text: strings unchanged, and text with a language as [rdf.SplitLang] reads it.
func cellText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return langText(v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("schema: a value of the graph is no JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
