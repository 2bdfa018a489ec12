package stmt

import (
	"fmt"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"trails/e2e/testrun"
)

// TestStatementsOfQueriesAreKeptWithinBounds prepares more of them, and longer ones, than stay prepared.
func TestStatementsOfQueriesAreKeptWithinBounds(t *testing.T) {
	testrun.Alone(t)
	raw, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	c := Of(raw)
	defer c.Close()
	take := func(i, long int) string {
		sql := fmt.Sprintf("SELECT %d -- %s", i, strings.Repeat("x", long))
		s, err := c.TakeQuery(sql)
		if err != nil {
			t.Fatal(err)
		}
		s.Release()
		return sql
	}
	for _, long := range []int{10, mostQueryText - 20, mostQueryText} {
		var last string
		for i := range 2 * mostQueries {
			last = take(i, long)
		}
		if n := len(c.idle[last]); (n == 1) != (len(last) <= mostQueryText) {
			t.Errorf("of a text of %d bytes %d statements stay", len(last), n)
		}
		if k := &c.queries; len(k.at) > mostQueries || k.bytes > mostQueryBytes || k.recent.Len() != len(k.at) || len(c.idle) != len(k.at) {
			t.Errorf("with texts of %d bytes %d stay, %d in order, %d bytes, %d statements", len(last), len(k.at), k.recent.Len(), k.bytes, len(c.idle))
		}
	}
}
