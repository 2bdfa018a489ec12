package main

import (
	"path/filepath"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/e2e/testrun"
)

// A backup of what verify finds damaged is made, and says so by its exit code and on stderr; one without the damage does not.
func TestABackupOfADamagedFileSaysSo(t *testing.T) {
	testrun.Alone(t)
	artifact := "INSERT INTO artifacts (owner, handle, content, label, media_type, tool, created, expires) VALUES ('a', 'h', 7, '', '', '', 0, 0)"
	for _, c := range []struct {
		sql, flags string
		code       int
	}{
		{"", "", exitDone},
		{"UPDATE commits SET message = 'another'", "", exitFailed},
		{"DELETE FROM changes", "", exitFailed},
		{"DELETE FROM live WHERE s = (SELECT max(s) FROM live)", "", exitFailed},
		{artifact, "", exitFailed},
		{artifact, "--without-artifacts", exitDone},
	} {
		file := newNotes(t)
		if c.sql != "" {
			dbtest.Exec(t, file, c.sql)
		}
		copied := filepath.Join(filepath.Dir(file), "copy.trails")
		var out, errs strings.Builder
		code := run(strings.Fields("backup "+file+" "+copied+" "+c.flags), strings.NewReader(""), &out, &errs, nil)
		if code != c.code || !strings.Contains(out.String(), "wrote "+copied) || (code == exitDone) != (errs.Len() == 0) {
			t.Errorf("%s %s: %d, %s%s", c.sql, c.flags, code, out.String(), errs.String())
		}
		if code := run([]string{"verify", copied}, strings.NewReader(""), &out, &errs, nil); code != c.code {
			t.Errorf("%s %s: verify says %d of the copy", c.sql, c.flags, code)
		}
	}
}

// No definition of a file that verify finds damaged goes to another one.
func TestADamagedFileIsNotPromoted(t *testing.T) {
	testrun.Alone(t)
	for sql, want := range map[string]int{"": exitDone, "DELETE FROM changes": exitFailed, "DELETE FROM live": exitFailed} {
		from, to := newNotes(t), newNotes(t)
		if sql != "" {
			dbtest.Exec(t, from, sql)
		}
		for _, more := range []string{"--plan", "--yes"} {
			var out, errs strings.Builder
			if code := run([]string{"promote", from, to, more}, strings.NewReader(""), &out, &errs, nil); code != want || (want != exitDone) != strings.Contains(errs.String(), from+" is damaged") {
				t.Errorf("%q, promote %s: %d, %s%s", sql, more, code, out.String(), errs.String())
			}
		}
	}
}
