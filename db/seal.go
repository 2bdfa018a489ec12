package db

import (
	"bytes"
	"crypto/rand"

	"trails/db/stmt"
)

// A write-ahead log does not say which file it belongs to: SQLite uses the log with the name of the file, and copies
// its content into the file. After `mv backup.db live.db` the old log would destroy the backup. So every write
// transaction puts a new seal into the row of main, together with the previous seal. The row is on one page, which is
// then in the log. So the seal in the file itself must be the previous seal of the log's first transaction or, if the
// log was partly copied, one of the seals in the log.
//
// A seal is eight random bytes, and the first eight bytes of a digest over them and the rest of the row, which
// File.Verify recomputes.

const (
	getSeal = "SELECT epoch, seal, before, protected FROM lines WHERE line = ?"
	putSeal = "UPDATE lines SET epoch = ?, seal = ?, before = ? WHERE line = ?"
)

const nonceSize = 8

// newSeal returns a seal for a row with this epoch, previous seal and protection.
func newSeal(epoch, before []byte, protected bool) []byte {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // it never fails
	return sealWith(nonce, epoch, before, protected)
}

func sealWith(nonce, epoch, before []byte, protected bool) []byte {
	return append(bytes.Clone(nonce), rowSum("lines", withProtection(protected, epoch, before, nonce)...)[:nonceSize]...)
}

func newEpoch() []byte {
	epoch := make([]byte, 16)
	_, _ = rand.Read(epoch) // it never fails
	return epoch
}

// seal puts a new seal into the row of main, and the epoch if one is given.
func (c *conn) seal(epoch []byte) error {
	var before []byte
	var protected bool
	err := c.Exec(getSeal, func(s *stmt.Stmt) error {
		if before, protected = s.Blob(1), s.ColumnBool(3); epoch == nil {
			epoch = s.Blob(0)
		}
		return nil
	}, mainLine)
	if err != nil {
		return err
	}
	return c.Exec(putSeal, nil, epoch, newSeal(epoch, before, protected), before, mainLine)
}

// commitSealed commits the writer's transaction. If it returns nil, the changes are in the file that the path leads
// to.
func (f *File) commitSealed() error {
	if err := f.place.Writable(); err != nil {
		return err
	}
	if err := f.writer.seal(nil); err != nil {
		return err
	}
	if err := f.writer.End("COMMIT"); err != nil {
		return err
	}
	return f.place.Here()
}

// leaveLog copies the log into the open file and empties it, when the path no longer leads to that file. So a moved
// file is complete without its log, and the log cannot damage another file that takes its name. If it fails now, the
// next refused transaction tries again.
func (c *conn) leaveLog() { _ = c.Once("PRAGMA wal_checkpoint(TRUNCATE)") }
