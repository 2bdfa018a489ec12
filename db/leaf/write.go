package leaf

// Statements of main are added to live and removed from it, on a connection that shows views, too.
const (
	Add    = "INSERT OR IGNORE INTO main.live (s, p, o, g, added) VALUES (?, ?, ?, ?, ?)"
	Remove = "DELETE FROM main.live WHERE s = ? AND p = ? AND o = ? AND g = ? RETURNING added"
	IsMain = "SELECT 1 FROM live WHERE s = ? AND p = ? AND o = ? AND g = ?"
	// AddFed adds what a bulk load feeds. OR FAIL: to be able to undo a single statement, SQLite would copy every page
	// that it changes. An error ends the whole transaction anyway.
	AddFed = "INSERT OR FAIL INTO live (s, p, o, g, added) SELECT s, p, o, g, ? FROM feed_quads"
	// LogAdded makes the change log of a commit that has none.
	LogAdded  = "INSERT INTO changes (line, seq, s, p, o, g, op) SELECT ?, added, s, p, o, g, ? FROM live WHERE added = ?"
	RemoveAll = "DELETE FROM live"
	// ForgetStatistics keeps SQLite's planner from having statistics of the present statements.
	ForgetStatistics = "DELETE FROM sqlite_stat1 WHERE tbl = 'live'"
)

// Statements that are removed from main stand in hist under line 1. Those of a branch stand there under its number,
// and what it removed of earlier lines under the negative number.
const (
	Retire     = "INSERT INTO main.hist (line, s, p, o, g, added, removed) VALUES (?, ?, ?, ?, ?, ?, ?)"
	RemoveFrom = "DELETE FROM main.hist WHERE line = ? AND s = ? AND p = ? AND o = ? AND g = ? AND added = ?"
	// What the commits of a branch ?1 from number ?2 on did is taken out of the table: what they added, removed (it is there
	// until ?3, which is [trails/db/scan.Forever], as before), and took from earlier lines.
	DropAdded   = "DELETE FROM main.hist WHERE line = ?1 AND added >= ?2"
	DropRemoved = "UPDATE main.hist SET removed = ?3 WHERE line = ?1 AND removed >= ?2 AND removed <> ?3"
	DropTaken   = "DELETE FROM main.hist WHERE line = -?1 AND removed >= ?2"
)

// A draft's table has the statements that it changed, with the commit that had added each, or 0.
const (
	NetDraft = `SELECT d.s, d.p, d.o, d.g, d.was FROM temp.draft d
		WHERE (d.was = 0) = EXISTS (SELECT 1 FROM live l WHERE l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g)`
	BackDraft = `SELECT d.s, d.p, d.o, d.g, COUNT(*) FROM temp.draft d
		WHERE (d.was = 0) != EXISTS (SELECT 1 FROM live l WHERE l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g) HAVING COUNT(*) > 0`
	// UndoAdded looks the rows up one by one: CROSS JOIN keeps SQLite from scanning live.
	UndoAdded = `DELETE FROM live WHERE (s, p, o, g) IN (SELECT l.s, l.p, l.o, l.g
		FROM temp.draft d CROSS JOIN live l ON l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g)`
	UndoRemoved = "INSERT INTO live (s, p, o, g, added) SELECT s, p, o, g, was FROM temp.draft WHERE was > 0"
	// The same on a branch ?1: what it added itself, what it had before, and what it took from earlier lines.
	UndoAddedOnBranch = `DELETE FROM main.hist WHERE (line, s, p, o, g, added) IN (SELECT ?1, d.s, d.p, d.o, d.g, ?2 FROM temp.draft d)`
	UndoOwnOnBranch   = "INSERT INTO main.hist (line, s, p, o, g, added, removed) SELECT ?1, s, p, o, g, was, ?2 FROM temp.draft WHERE was > ?3"
	UndoTaken         = `DELETE FROM main.hist WHERE (line, s, p, o, g, added) IN (SELECT -?1, d.s, d.p, d.o, d.g, d.was FROM temp.draft d WHERE d.was BETWEEN 1 AND ?2)`
)
