package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/kg"
)

// restoring is what a call of restore asks for.
type restoring struct {
	yes, discard, noVerify bool
	save                   string
}

// restored is what restore says with -o json.
type restored struct {
	File   string  `json:"file"`
	Backup string  `json:"backup"`
	Before *string `json:"before"`
	Head   *string `json:"head"`
	Saved  *string `json:"saved"`
}

func (p *program) restoreCommand() *cobra.Command {
	var o restoring
	cmd := &cobra.Command{
		Use:   "restore FILE BACKUP",
		Short: "Put a backup in the place of the graph, while it is in use",
		Long: `Replace what FILE holds by what BACKUP holds, in one transaction: servers that have FILE
open go on, and see the old state or the new one. BACKUP must be a backup of the same
graph. It is checked as verify does, and is not changed. What is replaced is kept beside
FILE, in FILE.before-restore-TIME. A FILE that is not there is made.

Moving a backup to FILE's name by hand is safe only when nobody has FILE open.
` + fileHelp,
		Example: `  trails restore notes.trails notes-monday.trails
  trails restore notes.trails notes-monday.trails --yes -o json`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			if o.discard && o.save != "" {
				return usageError{"restore: give --save or --discard, not both"}
			}
			return p.restore(cmd, file, rest[0], o)
		}, "BACKUP"),
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask; needed where nobody can be asked")
	cmd.Flags().StringVar(&o.save, "save", "", "`FILE` that keeps what is replaced (default FILE.before-restore-TIME)")
	cmd.Flags().BoolVar(&o.discard, "discard", false, "do not keep what is replaced")
	cmd.Flags().BoolVar(&o.noVerify, "no-verify", false, "do not check all that BACKUP holds")
	return cmd
}

func (p *program) restore(cmd *cobra.Command, file, backup string, o restoring) error {
	_, err := os.Stat(file)
	there := !errors.Is(err, fs.ErrNotExist)
	if there && !o.discard && o.save == "" {
		o.save = file + ".before-restore-" + time.Now().UTC().Format("20060102T150405Z")
	}
	progress := p.newMeter()
	defer progress.close()
	done, err := kg.Restore(cmd.Context(), file, backup, kg.RestoreOptions{
		Save: o.save, Unverified: o.noVerify, By: me(), Progress: progress.phases(),
		Confirm: func(r kg.Restored) error {
			progress.close()
			if o.yes || !there {
				return nil
			}
			return p.confirmRestore(file, backup, r)
		},
	})
	if err != nil {
		return err
	}
	progress.close()
	result := restored{File: file, Backup: backup, Before: idOf(done.Before), Head: idOf(done.After)}
	if there && o.save != "" {
		result.Saved = &o.save
	}
	return p.print(result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "restored %s from %s: %s\n", file, backup, stateOf(done.After))
		if err == nil && result.Saved != nil {
			_, err = fmt.Fprintf(w, "what was there is in %s: %s\n", o.save, stateOf(done.Before))
		}
		return err
	})
}

// confirmRestore asks the person at the terminal; where there is none the answer is no.
func (p *program) confirmRestore(file, backup string, r kg.Restored) error {
	question := fmt.Sprintf("%s is at %s; %s is at %s", file, stateOf(r.Before), backup, stateOf(r.After))
	in := p.terminal()
	if in == nil {
		return fault.New(fault.Precondition, "%s; nothing was changed, because nobody can be asked: repeat it with --yes", question)
	}
	if p.isYes(in, fmt.Sprintf("%s.\nReplace %s?", question, file)) {
		return nil
	}
	return fault.New(fault.Precondition, "%s was left as it is", file)
}

// stateOf says which commit a file is at.
func stateOf(c kg.Commit) string {
	if c.ID.IsZero() {
		return "no commit"
	}
	return fmt.Sprintf("commit %s of %s with %s", c.ID, c.Time.Format("2006-01-02 15:04:05"), count(c.Quads, "quad"))
}

func idOf(c kg.Commit) *string {
	if c.ID.IsZero() {
		return nil
	}
	id := c.ID.String()
	return &id
}
