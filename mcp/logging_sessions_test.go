package mcp_test

import (
	"net/http/httptest"
	"testing"

	"trails/mcp"
)

func TestEachSessionHasItsOwnLogLevel(t *testing.T) {
	const version = "2025-11-25"
	schemaOf(t, version)
	s := mcp.New(&suiteEngine{}, options(""))
	web := httptest.NewServer(s.StatefulHandler())
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	begin := func(level string) *talk {
		c := &talk{t: t, version: version, inspector: newInspector(t, version), line: sessionLine(t, web.URL, version)}
		c.greet()
		if level != "" {
			c.ask("logging/setLevel", `"level":"`+level+`"`)
		}
		return c
	}
	loud, silent, quiet := begin("debug"), begin(""), begin("emergency")
	for name, c := range map[string]*talk{"loud": loud, "silent": silent, "quiet": quiet} {
		c.ask("tools/call", `"name":"test_error_handling"`)
		if told := c.seen["LoggingMessageNotification"]; (told == 1) != (c == loud) {
			t.Errorf("the %s one is told %d times", name, told)
		}
	}
}
