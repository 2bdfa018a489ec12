package leaf

// The history of a subject.
var (
	// SubjectCommits lists the commits that changed a subject's statements in the default graph.
	SubjectCommits = sql(`SELECT DISTINCT seq FROM (
		SELECT added AS seq FROM %s WHERE s = ?1 AND g = 0 AND added < ?2
		UNION ALL SELECT added FROM hist WHERE line = 1 AND s = ?1 AND g = 0 AND added < ?2
		UNION ALL SELECT removed FROM hist WHERE line = 1 AND s = ?1 AND g = 0 AND removed < ?2)
		ORDER BY seq DESC LIMIT ?3 + 0`, from{"", SPO})
	// SubjectChanged is the last of them.
	SubjectChanged = sql(`SELECT max(seq) FROM (
		SELECT max(added) AS seq FROM %s WHERE s = ?1 AND g = 0
		UNION ALL SELECT max(added) FROM hist WHERE line = 1 AND s = ?1 AND g = 0
		UNION ALL SELECT max(removed) FROM hist WHERE line = 1 AND s = ?1 AND g = 0)`, from{"", SPO})
	// SaidOf are the statements of a subject, each with the commit that added it.
	SaidOf = sql("SELECT s, p, o, g, 43 AS op, added AS seq FROM %s WHERE s = ?1 ORDER BY p, o, g LIMIT ?2 + 0 OFFSET ?3", from{"", SPO})
	// HadValue reads a value of one property as of just before a commit.
	HadValue = sql(`SELECT EXISTS (SELECT 1 FROM %s WHERE s = ?1 AND p = ?2 AND g = 0 AND added < ?3)
		OR EXISTS (SELECT 1 FROM hist WHERE line = 1 AND s = ?1 AND p = ?2 AND g = 0 AND added < ?3 AND removed >= ?3)`, from{"", SPO})
	// ValuesAround are the values of one property that a commit took from a subject or left to it.
	ValuesAround = sql(`SELECT o FROM %s WHERE s = ?1 AND p = ?2 AND g = 0 AND added <= ?3
		UNION SELECT o FROM hist WHERE line = 1 AND s = ?1 AND p = ?2 AND g = 0 AND added <= ?3 AND removed >= ?3`, from{"", SPO})
	// Existed is whether a node had statements just before a commit.
	Existed = sql(`SELECT EXISTS (SELECT 1 FROM %s WHERE s = ?1 AND added < ?2)
		OR EXISTS (SELECT 1 FROM hist WHERE line = 1 AND s = ?1 AND added < ?2 AND removed >= ?2)`, from{"", SPO})
	// TouchedTypes are pairs of a subject that commits changed and a type. A subject is changed if a quad of it is. The
	// type of a deleted subject is among the removed quads.
	TouchedTypes = sql(`SELECT s, o FROM changes WHERE line = ?1 AND seq BETWEEN ?2 AND ?3 AND p = ?4 AND g = 0
		UNION
		SELECT l.s, l.o FROM (SELECT DISTINCT s FROM changes WHERE line = ?1 AND seq BETWEEN ?2 AND ?3 AND g = 0) x
		CROSS JOIN %s ON l.s = x.s AND l.p = ?4 AND l.g = 0`, from{"l", SPO})
)

// BulkSeen counts the statements of a bulk commit, and those of graph ?2. Such a commit has no change log and only adds:
// its statements are present, or were removed later.
const BulkSeen = `SELECT count(*), 0, sum(g = ?2) FROM (SELECT g FROM live WHERE added = ?1
	UNION ALL SELECT g FROM hist WHERE line = ?3 AND added = ?1)`

// RetiredOfMain are the statements of main that commits behind one up to another one added, and later ones removed.
const RetiredOfMain = "SELECT s, p, o, g, added FROM main.hist WHERE line = 1 AND added > ? AND added <= ?"

// What a bulk commit changed, by subject and by type.
var (
	BulkOfSubject = sql(`SELECT s, p, o, g, 43 AS op, added AS seq FROM %s WHERE s = ?2 AND added = ?1
		UNION ALL SELECT s, p, o, g, 43, added FROM hist WHERE line = 1 AND s = ?2 AND added = ?1`, from{"", SPO})
	BulkSubjects = sql(`SELECT s FROM (SELECT DISTINCT s FROM %s WHERE added = ?1 UNION SELECT DISTINCT s FROM hist WHERE line = 1 AND added = ?1)
		ORDER BY s LIMIT ?2 + 0 OFFSET ?3`, from{"", SPO})
	BulkTypes = sql(`SELECT o, COUNT(*), 0 FROM (SELECT o FROM %s WHERE p = ?3 AND g = 0 AND added = ?2
		UNION ALL SELECT o FROM hist WHERE line = ?1 AND p = ?3 AND g = 0 AND added = ?2) GROUP BY o ORDER BY o`, from{"", POS})
)

// CommitsOfNode are all commits, of any branch, that changed statements of the subject ?3.
const CommitsOfNode = `SELECT added FROM main.live WHERE s = ?3
	UNION SELECT added FROM main.hist WHERE line IN (SELECT line FROM lines) AND s = ?3
	UNION SELECT removed FROM main.hist WHERE line IN (SELECT line FROM lines UNION SELECT -line FROM lines) AND s = ?3`

// The tables of a connection that shows views. In it the name live means the statements of the view: temp.live is the
// virtual table t_past, and SQLite looks up temporary tables first. The name hist means what was retired up to it, on
// any of the lines (number, last commit) that t_lines has, as rows of line 1.
const (
	ViewOfPresent = "CREATE VIRTUAL TABLE temp.live USING t_past"
	ViewOfRetired = `CREATE TEMP VIEW hist AS SELECT 1 AS line, h.s, h.p, h.o, h.g, h.added, h.removed
		FROM t_lines l CROSS JOIN main.hist h ON h.line = l.line WHERE h.removed <= l.until`
)

// RestoredBy are the commits that added, the last time before, the statements that a commit of a line adds: seq.
const RestoredBy = `SELECT DISTINCT (SELECT max(h.added) FROM hist h WHERE h.line = 1 AND h.s = c.s AND h.p = c.p AND h.o = c.o AND h.g = c.g)
	FROM main.changes c WHERE c.line = ? AND c.seq = ? AND c.op = 43`
