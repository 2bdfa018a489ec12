package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"trails/fault"
)

func TestACauseAndAPathAreForTheMachineAlone(t *testing.T) {
	closed := &fs.PathError{Op: "open", Path: "/srv/graphs/a.db", Err: fs.ErrPermission}
	unread := fault.New(fault.Unusable, "%s cannot be read", fault.Path("/srv/graphs/a.db")).Because(closed)
	for name, c := range map[string]struct {
		err         error
		told, whole string
	}{
		"a path and a cause":         {unread, "a.db cannot be read", "/srv/graphs/a.db cannot be read: open /srv/graphs/a.db: permission denied"},
		"a path twice":               {fault.New(fault.Missing, "no file %s; run trails init %[1]s", fault.Path("/srv/b.db")), "no file b.db; run trails init b.db", "no file /srv/b.db; run trails init /srv/b.db"},
		"a detail is added":          {unread.With("uri", "x"), "a.db cannot be read", "/srv/graphs/a.db cannot be read: open /srv/graphs/a.db: permission denied"},
		"a fault in a fault":         {fault.New(fault.Unusable, "nothing was restored: %v", error(unread)), "nothing was restored: a.db cannot be read", "nothing was restored: /srv/graphs/a.db cannot be read: open /srv/graphs/a.db: permission denied"},
		"a fault that is a cause":    {fault.New(fault.Unusable, "%s", unread.Message).Because(unread), "a.db cannot be read", "/srv/graphs/a.db cannot be read: open /srv/graphs/a.db: permission denied"},
		"a fault in another error":   {fmt.Errorf("backup: %w", unread), "a.db cannot be read", "backup: /srv/graphs/a.db cannot be read: open /srv/graphs/a.db: permission denied"},
		"a cause that is told":       {fault.New(fault.Busy, "%v; try again", errors.ErrUnsupported).Because(errors.ErrUnsupported), "unsupported operation; try again", "unsupported operation; try again"},
		"neither a path nor a cause": {fault.New(fault.Missing, "there is no branch %s", "b"), "there is no branch b", "there is no branch b"},
		"no fault":                   {closed, "internal error", "open /srv/graphs/a.db: permission denied"},
	} {
		f := fault.Of(c.err)
		if f.Message != c.told || f.Error() != c.told {
			t.Errorf("%s: callers are told %s", name, f.Error())
		}
		if got := fault.Whole(c.err); got != c.whole {
			t.Errorf("%s: the machine is told %s", name, got)
		}
	}
	if !errors.Is(unread.With("a", 1), fs.ErrPermission) {
		t.Error("the cause is not found any more")
	}
	corrected := *unread
	corrected.Message = "LOAD: " + corrected.Message
	if got := corrected.Whole(); got != "LOAD: a.db cannot be read: open /srv/graphs/a.db: permission denied" {
		t.Errorf("of a copy with another message the machine is told %s", got)
	}
}
