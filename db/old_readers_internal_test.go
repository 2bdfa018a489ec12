package db

import (
	"testing"
	"time"
)

func TestReadersMayGetOldBesideAShortLogOrOneCommit(t *testing.T) {
	const bound = 64 << 20
	for _, c := range []struct {
		size int64
		want time.Duration
	}{
		{bound, oldestReader}, {bound + bound/8, oldestReader / 2}, {bound + bound/2, oldestReader / 16},
		{2 * bound, youngestReader}, {1 << 50, youngestReader},
	} {
		if got := ageAllowed(c.size, bound); got != c.want {
			t.Errorf("%d bytes: %v, want %v", c.size, got, c.want)
		}
	}
	if youngestReader >= logWait {
		t.Error("a reader gets older than writers wait for it")
	}
	now := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		versions []int64
		want     bool
	}{
		"nobody has looked before": {[]int64{7}, false},
		"nothing is committed":     {[]int64{7, 7, 7}, false},
		"one commit":               {[]int64{7, 8, 8, 8}, false},
		"one after the other":      {[]int64{7, 8, 9}, true},
		"a pause between":          {[]int64{7, 8, 8, 9}, true},
		"two, long ago":            {[]int64{7, 8, 9, 9, 9, 9, 9, 9}, false},
	} {
		var seen commitsSeen
		var got bool
		for i, version := range c.versions {
			got = seen.look(version, now.Add(time.Duration(i)*committing/4))
		}
		if got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
