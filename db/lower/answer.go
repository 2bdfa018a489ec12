package lower

import (
	"strconv"
	"strings"

	"trails/sparql"
)

// selectVars is the whole statement.
func (b *block) selectVars(vars []sparql.Var) string {
	fields := make([]string, len(vars))
	for i, v := range vars {
		fields[i] = b.shown(v) + " AS c" + strconv.Itoa(i+1)
	}
	if len(fields) == 0 {
		fields = []string{"1"}
	}
	return b.render(strings.Join(fields, ", "))
}

// shown is a column of the statement. What has no id yet needs none.
func (b *block) shown(v sparql.Var) string {
	c, ok := b.cols.get(v)
	if !ok {
		return "NULL"
	}
	if call, ok := strings.CutPrefix(c.sql, "t_eval("); ok && !b.distinct {
		return "t_show(" + call
	}
	return c.sql
}
