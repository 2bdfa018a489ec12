package rdf

// Namespaces.
const (
	RDFNS     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	RDFSNS    = "http://www.w3.org/2000/01/rdf-schema#"
	XSDNS     = "http://www.w3.org/2001/XMLSchema#"
	SHNS      = "http://www.w3.org/ns/shacl#"
	ProvNS    = "http://www.w3.org/ns/prov#"
	SKOSNS    = "http://www.w3.org/2004/02/skos/core#"
	OWLNS     = "http://www.w3.org/2002/07/owl#"
	DCTermsNS = "http://purl.org/dc/terms/"
	TrailsNS  = "urn:trails:ns#"
)

// Terms of RDF and RDFS.
const (
	Type          = IRI(RDFNS + "type")
	First         = IRI(RDFNS + "first")
	Rest          = IRI(RDFNS + "rest")
	Nil           = IRI(RDFNS + "nil")
	RDFLangString = IRI(RDFNS + "langString")
	Label         = IRI(RDFSNS + "label")
	Comment       = IRI(RDFSNS + "comment")
	SubClassOf    = IRI(RDFSNS + "subClassOf")
	RDFSClass     = IRI(RDFSNS + "Class")
)

// Datatypes of XML Schema that the graph knows by name.
const (
	XSDString            = IRI(XSDNS + "string")
	XSDBoolean           = IRI(XSDNS + "boolean")
	XSDInteger           = IRI(XSDNS + "integer")
	XSDDecimal           = IRI(XSDNS + "decimal")
	XSDDouble            = IRI(XSDNS + "double")
	XSDFloat             = IRI(XSDNS + "float")
	XSDDate              = IRI(XSDNS + "date")
	XSDDateTime          = IRI(XSDNS + "dateTime")
	XSDTime              = IRI(XSDNS + "time")
	XSDDuration          = IRI(XSDNS + "duration")
	XSDGYear             = IRI(XSDNS + "gYear")
	XSDYearMonthDuration = IRI(XSDNS + "yearMonthDuration")
	XSDDayTimeDuration   = IRI(XSDNS + "dayTimeDuration")
	XSDAnyURI            = IRI(XSDNS + "anyURI")
	XSDBase64Binary      = IRI(XSDNS + "base64Binary")
)
