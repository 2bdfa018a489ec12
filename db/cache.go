package db

import (
	"maps"
	"sync"
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
	fresh *freshCache
	// common is how many texts of the index have common words.
	common *commonCache
	// unindexed is the number and size of these texts, as of the last commit of this process.
	unindexed atomic.Pointer[wordindex.Unindexed]
	// facts and plans are for queries; see docs/decisions/0014-plans-by-shape.md.
	facts *facts
	plans *plans
	// past are the facts of the earlier commits that were asked last.
	past *pastFacts
	// decisions are for readers with rights.
	decisions *keptDecisions
	// origins are the classes of commits.
	origins *byCommit[commitOrigin]
}

func newCaches(epoch string) *caches {
	return &caches{epoch: epoch, terms: dictionary.NewCache(), fresh: &freshCache{}, common: &commonCache{}, facts: newFacts(), plans: newPlans(), past: &pastFacts{}, decisions: &keptDecisions{}, origins: &byCommit[commitOrigin]{}}
}

// ofView returns the caches for an earlier commit. Sorted texts are not kept for it, and facts are those of the commit, or of the
// rights of its reader.
func (c *caches) ofView(of *facts) *caches {
	return &caches{epoch: c.epoch, terms: c.terms, fresh: c.fresh, common: c.common, facts: of, plans: c.plans, past: c.past, decisions: c.decisions, origins: c.origins}
}

// maxPast bounds the earlier commits whose facts are kept. When there are more, all are dropped.
const maxPast = 8

// pastFacts keeps facts by the number of their commit. It is safe for concurrent use.
type pastFacts struct {
	mu     sync.Mutex
	commit map[history.Seq]*facts
}

func (p *pastFacts) of(seq history.Seq) *facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.commit[seq]; known != nil {
		return known
	}
	if p.commit == nil || len(p.commit) >= maxPast {
		p.commit = map[history.Seq]*facts{}
	}
	p.commit[seq] = newFacts()
	return p.commit[seq]
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

// byCommit keeps what is known of commits, which never changes. The zero value is empty. It is safe for concurrent use.
type byCommit[V any] struct {
	mu   sync.Mutex
	kept map[history.Seq]V
}

// maxCommitsKept bounds the commits. When there are more, all are dropped.
const maxCommitsKept = 1 << 16

func (c *byCommit[V]) get(seq history.Seq) (v V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, known = c.kept[seq]
	return v, known
}

func (c *byCommit[V]) put(seq history.Seq, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxCommitsKept {
		c.kept = map[history.Seq]V{}
	}
	c.kept[seq] = v
}

// copyTo makes an empty one know the same.
func (c *byCommit[V]) copyTo(other *byCommit[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	other.kept = maps.Clone(c.kept)
}
