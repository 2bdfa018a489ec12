package stored

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"trails/fault"
)

// Front is the front matter of a saved view: a query that is no tool, with an address of the pages.
type Front struct {
	ID, Description, View string
	Dashboard             int // 0 for none
}

// Write puts the front matter before the text of a query.
func (f Front) Write(query string) string {
	out := "#+ id: " + scalar(f.ID) + "\n#+ description: " + scalar(f.Description) + "\n#+ view: " + scalar(f.View) + "\n"
	if f.Dashboard > 0 {
		out += "#+ dashboard: " + strconv.Itoa(f.Dashboard) + "\n"
	}
	return out + "#+ expose: false\n" + query
}

// Reviewed is the text of a stored query with another description and place on the dashboard, 0 for none. All other
// lines stay. It refuses a value of several lines.
func Reviewed(text, description string, dashboard int) (string, error) {
	values := map[string]string{"description": scalar(description), "dashboard": ""}
	if dashboard > 0 {
		values["dashboard"] = strconv.Itoa(dashboard)
	}
	return rewritten(text, values)
}

// Viewed is the text of a stored query with another view, the address of a page. All other lines stay. It refuses to replace
// a view of several lines.
func Viewed(text, view string) (string, error) {
	return rewritten(text, map[string]string{"view": scalar(view)})
}

// rewritten is the text with other values of members of its front matter, each of one line, "" for none.
func rewritten(text string, values map[string]string) (string, error) {
	h, err := parseHeader(text)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	added := ""
	for _, key := range []string{"description", "dashboard", "view"} {
		if _, given := values[key]; !given {
			continue
		}
		entry := ""
		if values[key] != "" {
			entry = "#+ " + key + ": " + values[key] + "\n"
		}
		n := h.member(key)
		if n == nil {
			added += entry
			continue
		}
		var alone map[string]any
		line := strings.TrimPrefix(strings.TrimSpace(lines[n.Line-1]), "#+")
		if yaml.Unmarshal([]byte(line), &alone) != nil || len(alone) != 1 || fmt.Sprint(alone[key]) != n.Value {
			return "", fault.New(fault.InvalidData, "the %s of the stored query has several lines; change it at /admin/query", key)
		}
		lines[n.Line-1] = entry
	}
	at := 0
	if h.root != nil {
		at = h.root.Line - 1
	}
	return strings.Join(lines[:at], "") + added + strings.Join(lines[at:], ""), nil
}

// scalar is a text as one line of YAML.
func scalar(text string) string { return strconv.Quote(text) }
