package pager

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// stepsBetweenPauses is how many instructions of SQLite's machine run between two calls of what [Handle.Pause] was
// given: some 50 microseconds.
const stepsBetweenPauses = 1000

// Pause lets SQLite call pause again and again while it runs statements of the connection, until pause is nil. The
// connection waits while pause does. See https://sqlite.org/c3ref/progress_handler.html.
func (h *Handle) Pause(pause func()) {
	if pause == nil {
		if h.pause != nil {
			sqlite3.Xsqlite3_progress_handler(h.tls, h.db, 0, 0, 0)
		}
		h.pause = nil
		return
	}
	h.pause = func(*libc.TLS, uintptr) int32 {
		pause()
		return 0
	}
	sqlite3.Xsqlite3_progress_handler(h.tls, h.db, stepsBetweenPauses, cFunc(h.pause), 0)
}
