package sparql

import "trails/rdf"

// Expr is an expression (section 17); the sum is sealed.
type Expr interface{ expr() }

// VarExpr is the value of a variable.
type VarExpr struct{ Var Var }

// TermExpr is a constant.
type TermExpr struct{ Term rdf.Term }

// Call is an operator or built-in function; see [Functions].
type Call struct {
	Func Func
	Args []Expr
}

// Cast is the call of a function that an IRI names: a constructor of XML Schema
// (section 17.5), or an extension.
type Cast struct {
	IRI  rdf.IRI
	Args []Expr
}

// Exists is EXISTS, or NOT EXISTS when Not is set (section 8.1).
type Exists struct {
	Not bool
	Op  Op
}

// Aggregate is an aggregate as it stands in SELECT, HAVING and ORDER BY; in the
// algebra only [Group] holds any. A nil Expr is COUNT(*).
type Aggregate struct {
	Func      AggregateFunc
	Distinct  bool
	Expr      Expr
	Separator string // of GROUP_CONCAT
}

func (VarExpr) expr()   {}
func (TermExpr) expr()  {}
func (Call) expr()      {}
func (Cast) expr()      {}
func (Exists) expr()    {}
func (Aggregate) expr() {}

// AggregateFunc is the name of an aggregate (section 11), in capitals.
type AggregateFunc string

// The aggregates.
const (
	Count       AggregateFunc = "COUNT"
	Sum         AggregateFunc = "SUM"
	Min         AggregateFunc = "MIN"
	Max         AggregateFunc = "MAX"
	Avg         AggregateFunc = "AVG"
	Sample      AggregateFunc = "SAMPLE"
	GroupConcat AggregateFunc = "GROUP_CONCAT"
)

// Func is an operator or built-in function: the sign of an operator, or the name of a function in capitals.
type Func string

// The operators (section 17.3) and functional forms (section 17.4.1).
const (
	Or             Func = "||"
	And            Func = "&&"
	Not            Func = "!"
	Equal          Func = "="
	NotEqual       Func = "!="
	Less           Func = "<"
	Greater        Func = ">"
	LessOrEqual    Func = "<="
	GreaterOrEqual Func = ">="
	Add            Func = "+"
	Subtract       Func = "-"
	Multiply       Func = "*"
	Divide         Func = "/"
	Negate         Func = "U-"
	Plus           Func = "U+"
	In             Func = "IN"
	NotIn          Func = "NOT IN"
	If             Func = "IF"
	Coalesce       Func = "COALESCE"
	Bound          Func = "BOUND"
)

// Arity is how many arguments a function takes; Max below 0 is any number.
type Arity struct{ Min, Max int }

// Functions lists the built-in functions that are written NAME(…), with their
// arguments (the grammar's BuiltInCall).
var Functions = map[Func]Arity{
	"ABS": {1, 1}, "BNODE": {0, 1}, Bound: {1, 1}, "CEIL": {1, 1}, Coalesce: {0, -1},
	"CONCAT": {0, -1}, "CONTAINS": {2, 2}, "DATATYPE": {1, 1}, "DAY": {1, 1},
	"ENCODE_FOR_URI": {1, 1}, "FLOOR": {1, 1}, "HOURS": {1, 1}, If: {3, 3}, "IRI": {1, 1},
	"ISBLANK": {1, 1}, "ISIRI": {1, 1}, "ISLITERAL": {1, 1}, "ISNUMERIC": {1, 1}, "ISURI": {1, 1},
	"LANG": {1, 1}, "LANGMATCHES": {2, 2}, "LCASE": {1, 1}, "MD5": {1, 1}, "MINUTES": {1, 1},
	"MONTH": {1, 1}, "NOW": {0, 0}, "RAND": {0, 0}, "REGEX": {2, 3}, "REPLACE": {3, 4},
	"ROUND": {1, 1}, "SAMETERM": {2, 2}, "SECONDS": {1, 1}, "SHA1": {1, 1}, "SHA256": {1, 1},
	"SHA384": {1, 1}, "SHA512": {1, 1}, "STR": {1, 1}, "STRAFTER": {2, 2}, "STRBEFORE": {2, 2},
	"STRDT": {2, 2}, "STRENDS": {2, 2}, "STRLANG": {2, 2}, "STRLEN": {1, 1}, "STRSTARTS": {2, 2},
	"STRUUID": {0, 0}, "SUBSTR": {2, 3}, "TIMEZONE": {1, 1}, "TZ": {1, 1}, "UCASE": {1, 1},
	"URI": {1, 1}, "UUID": {0, 0}, "YEAR": {1, 1},
}
