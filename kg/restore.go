package kg

import (
	"context"

	"trails/auth/policy"
	"trails/db"
)

// Restored says what a restore does, or did; see db.Restored.
type Restored = db.Restored

// RestoreOptions say how a backup is restored.
type RestoreOptions struct {
	// Save is where the replaced state is kept, which must not exist; "" keeps nothing.
	Save string
	// Unverified leaves out the check of all that the backup holds.
	Unverified bool
	// Confirm, when set, is asked before anything is changed; an error stops the restore.
	Confirm func(Restored) error
	// By is who restores, the agent of the activity that is recorded in the file.
	By policy.Principal
	// Progress, when set, hears how far each phase is: "copy", "verify", "save", "restore".
	Progress func(phase string, done, total int64)
}

// Restore puts the content of a backup in the place of the file at path, in one
// transaction, while other processes read and write it. See db.Restore.
func Restore(ctx context.Context, path, backup string, o RestoreOptions) (Restored, error) {
	return db.Restore(ctx, path, backup, db.RestoreOptions{
		Save: o.Save, Unverified: o.Unverified, Confirm: o.Confirm, Progress: o.Progress,
		Activity: atCommandLine("restore", o.By),
	})
}
