package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"trails/fault"
)

// A host that writes its configuration while it is edited loses nothing of it, and one that never stops is named.
func TestAHostThatWritesMeanwhile(t *testing.T) {
	for _, c := range []struct {
		writes int // of the host: in the first edits, one each
		want   string
		busy   bool
	}{
		{1, "0+", false}, // before the file was claimed
		{3, "2+", false},
		{100, "", true},
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		edits := 0
		backup, err := update(At(path), false, func(path string, text []byte) ([]byte, error) {
			if edits < c.writes {
				if err := os.WriteFile(path, fmt.Append(nil, edits), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			edits++
			return append(text, '+'), nil
		})
		if fault.Is(err, fault.Busy) != c.busy || !c.busy && err != nil {
			t.Errorf("%d writes: %v", c.writes, err)
		}
		now, err := os.ReadFile(path)
		if err != nil || !c.busy && (string(now) != c.want || backup != path+backupExt) || c.busy && string(now) != fmt.Sprint(edits-1) {
			t.Errorf("%d writes: got %q after %d edits, %v", c.writes, now, edits, err)
		}
		if exists(path + newExt) {
			t.Errorf("%d writes: a new text was left", c.writes)
		}
	}
}
