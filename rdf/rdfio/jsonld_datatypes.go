package rdfio

import (
	"encoding/hex"
	"net/url"
	"strings"
)

// disguise is the prefix of the IRIs that replace a datatype while json-gold works.
const disguise = "urn:trails:datatype:"

// refusedByJSONGold reports whether an IRI is no URL for net/url, for example because of a bare
// '%'. json-gold refuses datatypes like that.
func refusedByJSONGold(iri string) bool {
	if !strings.Contains(iri, "://") || !isTerm(absolute(iri)) {
		return false
	}
	u, err := url.Parse(iri)
	return err != nil || !u.IsAbs()
}

// disguised replaces the datatypes that json-gold would refuse; [revealed] restores them.
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
