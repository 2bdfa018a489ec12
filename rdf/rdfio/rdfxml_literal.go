package rdfio

import (
	"encoding/xml"
	"slices"
	"sort"
	"strings"
)

// canonical writes the content of an XML literal by Exclusive XML Canonicalization with
// comments (https://www.w3.org/TR/xml-exc-c14n/) and no InclusiveNamespaces PrefixList.
type canonical struct {
	out  strings.Builder
	open []*binding // namespaces already written, by open element
}

func (c *canonical) written() *binding {
	if len(c.open) == 0 {
		return nil
	}
	return c.open[len(c.open)-1]
}

var (
	canonicalText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	canonicalAttr = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")
)

func (c *canonical) text(data []byte) { c.out.WriteString(canonicalText.Replace(string(data))) }

func (c *canonical) end(name xml.Name) {
	c.open = c.open[:len(c.open)-1]
	c.out.WriteString("</" + qname(name) + ">")
}

// canonicalAttribute is an attribute with its namespace, by which attributes are sorted.
type canonicalAttribute struct {
	namespace string
	xml.Attr
}

// literalStart writes a start tag inside an XML literal.
func (x *RDFXMLReader) literalStart(tag xml.StartElement) error {
	e := x.top()
	prefixes := []string{tag.Name.Space}
	var attrs []canonicalAttribute
	for _, a := range tag.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		namespace := ""
		if a.Name.Space != "" {
			name, err := x.resolved(e, a.Name)
			if err != nil {
				return err
			}
			namespace = name.Space
			prefixes = append(prefixes, a.Name.Space)
		}
		attrs = append(attrs, canonicalAttribute{namespace, a})
	}
	if _, err := x.resolved(e, tag.Name); err != nil {
		return err
	}
	sort.SliceStable(attrs, func(i, j int) bool {
		a, b := attrs[i], attrs[j]
		return a.namespace < b.namespace || a.namespace == b.namespace && a.Name.Local < b.Name.Local
	})
	e.canonical.start(tag.Name, e.names, prefixes, attrs)
	return x.shortEnough(e.canonical.out.Len())
}

// start writes a start tag, with declarations for the namespaces that it uses and no enclosing
// tag has declared.
func (c *canonical) start(name xml.Name, names *binding, prefixes []string, attrs []canonicalAttribute) {
	c.out.WriteString("<" + qname(name))
	written := c.written()
	slices.Sort(prefixes)
	for _, prefix := range slices.Compact(prefixes) {
		iri, _ := names.lookup(prefix)
		if before, _ := written.lookup(prefix); prefix == "xml" || iri == before {
			continue
		}
		written = written.with(prefix, iri)
		attribute := "xmlns"
		if prefix != "" {
			attribute += ":" + prefix
		}
		c.out.WriteString(" " + attribute + `="` + canonicalAttr.Replace(iri) + `"`)
	}
	c.open = append(c.open, written)
	for _, a := range attrs {
		c.out.WriteString(" " + qname(a.Name) + `="` + canonicalAttr.Replace(a.Value) + `"`)
	}
	c.out.WriteString(">")
}
