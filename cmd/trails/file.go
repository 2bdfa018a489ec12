package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"
)

// fileHelp is the end of the help of commands that take FILE before other arguments.
const fileHelp = `
FILE may be left out when TRAILS_DB names it.`

// fileThen splits FILE off the arguments of a command with exactly these other arguments. If TRAILS_DB is set and one
// argument is missing, that is FILE.
func (p *program) fileThen(cmd *cobra.Command, args []string, others ...string) (file string, rest []string, err error) {
	db := p.env["TRAILS_DB"]
	switch {
	case len(args) == len(others)+1:
		return args[0], args[1:], nil
	case len(args) == len(others) && db != "":
		return db, args, nil
	case len(args) > len(others)+1:
		return "", nil, usageError{fmt.Sprintf("%s: too many arguments: %q", cmd.Name(), args[len(others)+1])}
	}
	return "", nil, missing(cmd, args, append([]string{"FILE"}, others...))
}

// onFile runs a command with FILE and exactly these other arguments.
func (p *program) onFile(do func(cmd *cobra.Command, file string, rest []string) error, others ...string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		file, rest, err := p.fileThen(cmd, args, others...)
		if err != nil {
			return err
		}
		return do(cmd, file, rest)
	}
}

// fileThenSome splits FILE off the arguments of a command with any number of others. If TRAILS_DB is set, the first
// argument is FILE only if it is a SQLite file, which data and capabilities never are.
func (p *program) fileThenSome(cmd *cobra.Command, args []string) (file string, rest []string, err error) {
	db := p.env["TRAILS_DB"]
	switch {
	case db != "" && (len(args) == 0 || !isSQLite(args[0])):
		return db, args, nil
	case len(args) == 0:
		return "", nil, missing(cmd, args, []string{"FILE"})
	}
	return args[0], args[1:], nil
}

// missing says which argument is missing.
func missing(cmd *cobra.Command, args, wanted []string) error {
	name := wanted[min(len(args), len(wanted)-1)]
	if len(wanted) > 1 || name != "FILE" {
		return usageError{fmt.Sprintf("%s needs %d arguments and got %d: %s is missing", cmd.Name(), len(wanted), len(args), name)}
	}
	return usageError{cmd.Name() + " needs FILE, or TRAILS_DB set to it"}
}

// walLimit is the bound on the write-ahead log in bytes; 0 by default.
func (p *program) walLimit() (int64, error) {
	text := p.env["TRAILS_WAL_LIMIT"]
	if text == "" {
		return 0, nil
	}
	mib, err := strconv.ParseInt(text, 10, 64)
	if err != nil || mib < 1 || mib > 1<<20 {
		return 0, usageError{"TRAILS_WAL_LIMIT is " + text + ": it is a number of MiB from 1 to 1048576"}
	}
	return mib << 20, nil
}

const sqliteMagic = "SQLite format 3\x00"

// isSQLite reports whether path is a regular file that begins like a database. It does not read from pipes.
func isSQLite(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, len(sqliteMagic))
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	return string(head) == sqliteMagic
}
