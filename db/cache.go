package db

import (
	"sync/atomic"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/wordindex"
)

// caches are what a process remembers of a file between transactions. They are valid for one epoch: restoring a
// backup begins another, in which commits and terms may have other numbers. Each transaction uses the caches of its
// epoch.
type caches struct {
	epoch string
	terms *dictionary.Cache
	// lastHead is the head that was read last.
	lastHead atomic.Pointer[history.Commit]
	// texts are sorted texts of whole properties, each as of a commit.
	texts textStore
	// fresh are the texts that are not in the index of words yet.
	fresh freshCache
	// unindexed is the number and size of these texts, as of the last commit of this process.
	unindexed atomic.Pointer[wordindex.Unindexed]
	// facts and plans are for queries; see docs/decisions/0014-plans-by-shape.md.
	facts *facts
	plans *plans
}

func newCaches(epoch string) *caches {
	return &caches{epoch: epoch, terms: dictionary.NewCache(), facts: newFacts(), plans: newPlans()}
}

// cachesOf returns the caches of an epoch, empty ones for a new epoch.
func (f *File) cachesOf(epoch string) *caches {
	c := f.caches.Load()
	if c.epoch != epoch {
		c = newCaches(epoch)
		f.caches.Store(c)
	}
	return c
}
