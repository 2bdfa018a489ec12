package rdfio

import (
	"encoding/hex"
	"net/url"
	"strings"
)

// disguise begins what stands for a datatype while json-gold looks at it.
const disguise = "urn:trails:datatype:"

// refusedByJSONGold tells an IRI with an authority that Go's URLs do not allow, such
// as one with a bare '%'. json-gold wants datatypes to be URLs.
func refusedByJSONGold(iri string) bool {
	if !strings.Contains(iri, "://") || !isTerm(absolute(iri)) {
		return false
	}
	u, err := url.Parse(iri)
	return err != nil || !u.IsAbs()
}

// disguised hides such datatypes of a document's values; [revealed] undoes it.
func disguised(document any) any {
	switch v := document.(type) {
	case []any:
		for i, item := range v {
			v[i] = disguised(item)
		}
	case map[string]any:
		for key, member := range v {
			v[key] = disguised(member)
		}
		datatype, _ := v["@type"].(string)
		if _, isValue := v["@value"]; isValue && refusedByJSONGold(datatype) {
			v["@type"] = disguise + hex.EncodeToString([]byte(datatype))
		}
	}
	return document
}

func revealed(datatype string) string {
	digits, hidden := strings.CutPrefix(datatype, disguise)
	if !hidden {
		return datatype
	}
	if text, err := hex.DecodeString(digits); err == nil && refusedByJSONGold(string(text)) {
		return string(text)
	}
	return datatype
}
