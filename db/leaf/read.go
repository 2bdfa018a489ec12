package leaf

import "strconv"

// Match is the present statements l that have the given columns, found in an order, with some fields of them and of
// tables that are joined.
func Match(fields, joins string, at [4]bool, by Order) SQL {
	where, next := "", " WHERE "
	term := func(condition string) {
		where += next + condition
		next = " AND "
	}
	for i, given := range at {
		if given {
			term("l." + columnNames[i:i+1] + " = ?")
		}
	}
	if by == GPOS {
		term("l.g <> 0") // makes the partial index usable
	}
	return sql("SELECT "+fields+" FROM %s"+joins+where, from{"l", by})
}

// Single values.
const (
	Count = "SELECT count(*) FROM live"
	IsAny = "SELECT EXISTS (SELECT 1 FROM live)"
	// AddedBy finds the commit that added a present statement.
	AddedBy = "SELECT added FROM live WHERE s = ? AND p = ? AND o = ? AND g = ?"
	// LastRemoved finds when a statement of the default graph was last removed.
	LastRemoved = "SELECT max(removed) FROM hist WHERE line = 1 AND s = ? AND p = ? AND o = ? AND g = 0"
)

// The statements of a subject, an object or a predicate.
var (
	// LastAdded finds when a present statement of the default graph was added.
	LastAdded = sql("SELECT added FROM %s WHERE s = ? AND p = ? AND o = ? AND g = 0", from{"", SPO})
	// SharedObjects are the objects that several subjects share, in the order of the index.
	SharedObjects = sql("SELECT o FROM %s WHERE p = ?1 AND g = 0 GROUP BY o HAVING COUNT(*) > 1 LIMIT ?2 + 0", from{"", POS})
	// Instances reads the part of an index for one type.
	Instances = sql("SELECT s FROM %s WHERE p = ?1 AND o = ?2 AND g = 0", from{"", POS})
	// Texts are the first characters of the values of a predicate.
	Texts = sql("SELECT v.s, v.o, substr(t.value, 1, ?) FROM %s LEFT JOIN terms t ON t.id = v.o WHERE v.p = ? AND v.g = 0", from{"v", POS})
	// LeastObject and GreatestObject are those of a predicate.
	LeastObject    = sql("SELECT o FROM %s WHERE p = ? ORDER BY o LIMIT 1", from{"", POS})
	GreatestObject = sql("SELECT o FROM %s WHERE p = ? ORDER BY o DESC LIMIT 1", from{"", POS})
	// ReferredBesides and SaidBesides are whether a node has other statements than those of a commit.
	ReferredBesides = sql("SELECT EXISTS (SELECT 1 FROM %s WHERE o = ? AND added <> ?)", from{"", OSP})
	SaidBesides     = sql("SELECT EXISTS (SELECT 1 FROM %s WHERE s = ? AND added <> ?)", from{"", SPO})
)

// Texts of the index of words. It has those of all times.
var (
	// TextUsed is whether a statement of the default graph has a text.
	TextUsed = sql("SELECT EXISTS (SELECT 1 FROM %s WHERE o = ? AND g = 0)", from{"", OSP})
)

// Links from the nodes of t_ahead, by a predicate in a graph.
var (
	linksOut     = sql("SELECT l.o FROM t_ahead a CROSS JOIN %s WHERE l.s = a.x AND l.p = ?1 AND l.g = ?2", from{"l", SPO})
	linksIn      = sql("SELECT l.s FROM t_ahead a CROSS JOIN %s WHERE l.p = ?1 AND l.o = a.x AND l.g = ?2", from{"l", POS})
	linksInNamed = sql("SELECT l.s FROM t_ahead a CROSS JOIN %s WHERE l.g = ?2 AND l.p = ?1 AND l.o = a.x AND l.g <> 0", from{"l", GPOS})
	// IsNode is whether a graph has a node.
	IsNode = sql("SELECT EXISTS (SELECT 1 FROM %s WHERE s = ?1 AND g = ?2) OR EXISTS (SELECT 1 FROM %s WHERE o = ?1 AND g = ?2)", from{"", SPO}, from{"", OSP})
)

// Links are those in one direction; named says that the graph is a named one.
func Links(inverse, named bool) SQL {
	switch {
	case !inverse:
		return linksOut
	case named:
		return linksInNamed
	}
	return linksIn
}

// Nodes are all subjects and objects of graph ?1.
func Nodes(named bool) SQL {
	subjects, objects, and := SPO, OSP, ""
	if named {
		subjects, objects, and = GPOS, GPOS, " AND g <> 0"
	}
	return sql("SELECT DISTINCT v FROM (SELECT s AS v FROM %s WHERE g = ?1"+and+" UNION ALL SELECT o FROM %s WHERE g = ?1"+and+")",
		from{"", subjects}, from{"", objects})
}

// Ends are the nodes of graph ?1 at one end of statements: the predicates are ?2 and so on, and for each of them the
// subjects are asked for, or the objects.
func Ends(subjects []bool, named bool) SQL {
	by, and := POS, ""
	if named {
		by, and = GPOS, " AND g <> 0"
	}
	each, tables := "", make([]from, len(subjects))
	for i, subject := range subjects {
		column := "o"
		if subject {
			column = "s"
		}
		if i > 0 {
			each += " UNION ALL "
		}
		each += "SELECT " + column + " AS v FROM %s WHERE g = ?1" + and + " AND p = ?" + strconv.Itoa(i+2)
		tables[i] = from{"", by}
	}
	return sql("SELECT DISTINCT v FROM ("+each+")", tables...)
}
