package stmt

import "container/list"

// Bounds on the query statements that stay prepared on a connection: their number, and the length of their texts,
// together and each.
const (
	mostQueries    = 64
	mostQueryBytes = 512 << 10
	mostQueryText  = 64 << 10
)

// keptQueries are the texts of the query statements that stay prepared, most recently used first. They are
// bounded, because there is no end of different queries.
type keptQueries struct {
	at     map[string]*list.Element
	recent list.List
	bytes  int
}

// TakeQuery is Take for the statement of a query.
func (c *Conn) TakeQuery(sql string) (*Stmt, error) {
	s, err := c.Take(sql)
	if err == nil {
		s.passing = !c.queries.use(sql, c.drop)
	}
	return s, err
}

// drop finalizes the statements with this text; running ones when they are released.
func (c *Conn) drop(sql string) {
	for s := range c.busy {
		s.passing = s.passing || s.sql == sql
	}
	for _, s := range c.idle[sql] {
		_ = s.Finalize()
	}
	delete(c.idle, sql)
}

// use records the use of a text, and drops the texts that were unused for longest. It reports whether the text stays.
func (k *keptQueries) use(sql string, drop func(string)) bool {
	if e, ok := k.at[sql]; ok {
		k.recent.MoveToFront(e)
		return true
	}
	if len(sql) > mostQueryText {
		return false
	}
	if k.at == nil {
		k.at = map[string]*list.Element{}
	}
	k.at[sql] = k.recent.PushFront(sql)
	k.bytes += len(sql)
	for len(k.at) > mostQueries || k.bytes > mostQueryBytes {
		old := k.recent.Remove(k.recent.Back()).(string)
		delete(k.at, old)
		k.bytes -= len(old)
		drop(old)
	}
	return true
}
