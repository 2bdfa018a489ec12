package stmt

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// ResultCode returns the primary result code of an error.
func ResultCode(err error) sqlite.ResultCode { return sqlite.ErrCode(err).ToPrimary() }

// Busy reports whether the statement can be tried again, because another connection holds a lock or recovers the
// log.
func Busy(err error) bool {
	switch ResultCode(err) {
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol:
		return true
	}
	return false
}

// Damage reports that the file contradicts itself.
type Damage struct {
	What  string
	Cause error // nil, or a cause that is also logged
}

// Error says what contradicts what.
func (e Damage) Error() string {
	if e.Cause != nil {
		return "the file is damaged: " + e.What + ": " + e.Cause.Error()
	}
	return "the file is damaged: " + e.What
}

// Damaged returns a [Damage] without a cause.
func Damaged(format string, args ...any) error {
	return Damage{What: fmt.Sprintf(format, args...)}
}

// IsDamage reports whether the error means that the content of the file is damaged.
func IsDamage(err error) bool {
	var damage Damage
	if errors.As(err, &damage) {
		return true
	}
	code := ResultCode(err)
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}
