package schema

import (
	"fmt"
	"maps"
	"slices"

	"trails/rdf"
)

// The forms of text with a language: {"value": "Cat", "lang": "en"} in JSON, and Cat@en where only text is possible:
// in cells, filters, forms and YAML.

// The members of the form in JSON.
const (
	LangText = "value"
	LangTag  = "lang"
)

// LangJSON is text with a language as JSON has it.
func LangJSON(text, tag string) map[string]any { return map[string]any{LangText: text, LangTag: tag} }

// langText returns the form as text of one that JSON has.
func langText(v map[string]any) string {
	text, _ := v[LangText].(string)
	tag, _ := v[LangTag].(string)
	return text + "@" + tag
}

// langTerm converts the JSON form to a literal, or returns why it cannot, with the correct form.
func langTerm(p *Property, v any) (rdf.Term, string) {
	switch v := v.(type) {
	case string:
		text, tag, ok := rdf.SplitLang(v)
		if !ok {
			tag = "en"
			if len(p.Languages) > 0 {
				tag = p.Languages[0]
			}
			return nil, fmt.Sprintf("%s has no language; write it as %s", shown(v), shown(LangJSON(text, tag)))
		}
		return nil, fmt.Sprintf("text with a language is an object; write %s as %s", shown(v), shown(LangJSON(text, tag)))
	case map[string]any:
		text, isText := v[LangText].(string)
		tag, isTag := v[LangTag].(string)
		if isText && isTag && len(v) == 2 {
			if err := rdf.CheckLangTag(tag); err != nil {
				return nil, err.Error()
			}
			return rdf.LangLiteral(text, tag), ""
		}
		var list []any
		for _, tag := range slices.Sorted(maps.Keys(v)) {
			if text, isText = v[tag].(string); !isText || rdf.CheckLangTag(tag) != nil || tag == LangText || tag == LangTag {
				return nil, notA(p, v)
			}
			list = append(list, LangJSON(text, tag))
		}
		if len(list) == 0 {
			return nil, notA(p, v)
		}
		var meant any = list
		if !p.Many() {
			meant = list[0]
		}
		return nil, fmt.Sprintf("%s is by language; write it as %s", shown(v), shown(meant))
	}
	return nil, notA(p, v)
}

// speaks reports whether a language is allowed by the property, as in sh:languageIn (SHACL section 4.4.4): en
// includes all English.
func (p *Property) speaks(tag string) bool {
	return len(p.Languages) == 0 || slices.ContainsFunc(p.Languages, func(wanted string) bool { return rdf.LangMatches(tag, wanted) })
}

// ofLang is the property restricted to one language, for a column called name@en.
func (p *Property) ofLang() *Property {
	plain := *p
	plain.Datatype = wordString
	if one := 1; p.UniqueLang {
		plain.MaxCount = &one
	}
	return &plain
}

// LangCell returns values of one language as a cell, see [Schema.Cell], which
// [Property.LangCellValue] reads back.
func (s *Schema) LangCell(p *Property, terms []rdf.Term) (text string, ok bool) {
	texts := make([]rdf.Term, len(terms))
	for i, term := range terms {
		texts[i] = rdf.String(rdf.Lexical(term))
	}
	return s.Cell(p.ofLang(), texts)
}

// LangCellValue is [Property.CellValue] of a cell that has texts of one language.
func (p *Property) LangCellValue(tag, text string) any {
	return InLang(tag, p.ofLang().CellValue(text))
}

// InLang adds a language to a text, or to each text of a list. Other values stay.
func InLang(tag string, v any) any {
	switch v := v.(type) {
	case string:
		return LangJSON(v, tag)
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = InLang(tag, one)
		}
		return out
	}
	return v
}

// IsLang reports whether values of the property are texts with a language.
func (p *Property) IsLang() bool { return p.Datatype == wordLangString }

// IsPlainOrLang reports whether all values are strings, with a language or without.
func (p *Property) IsPlainOrLang() bool { return p.Datatype == wordString || p.IsLang() }

// narrowsLanguages reports whether a language that was allowed is not any more.
func narrowsLanguages(was, is *Property) bool {
	return len(is.Languages) > 0 && (len(was.Languages) == 0 ||
		slices.ContainsFunc(was.Languages, func(tag string) bool { return !is.speaks(tag) }))
}

func tagOf(t rdf.Term) string {
	tag, _ := rdf.LangOf(t)
	return tag
}
