package kg

import (
	"context"
	"time"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/db"
)

// Compacted says how large a file was and is; see db.Compacted.
type Compacted = db.Compacted

// CompactOptions say how a file is made smaller.
type CompactOptions struct {
	// DryRun finds out how small the file would be, and changes nothing.
	DryRun bool
	// By is who does it, the agent of the activity that is recorded in the file.
	By policy.Principal
	// Progress, when set, hears how far each phase is: "copy", "rewrite", "verify", "restore".
	Progress func(phase string, done, total int64)
}

// Compact makes the file at path as small as its content, in one transaction, while other processes read and write it. See
// db.Compact.
func Compact(ctx context.Context, path string, o CompactOptions) (Compacted, error) {
	return db.Compact(ctx, path, db.CompactOptions{DryRun: o.DryRun, Progress: o.Progress, Activity: atCommandLine("compact", o.By)})
}

// atCommandLine is the activity of a command that changes a file as a whole.
func atCommandLine(command string, by policy.Principal) *db.Activity {
	now := time.Now()
	return &db.Activity{
		ID: uuid.Must(uuid.NewV7()).String(), Capability: command, Agent: by.Author(), Via: "cli",
		Started: now, Ended: now, Outcome: "ok",
	}
}
