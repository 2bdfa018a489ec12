package sparql

import (
	"container/list"
	"sync"
)

// Texts caches the parsed form of the texts that were used last, since agents and programs send the same texts again
// and again. Its results are shared and must not be changed. The zero value is ready to use; it is safe for
// concurrent use.
type Texts struct {
	mu     sync.Mutex
	parsed map[textKey]*list.Element
	recent list.List // of *parsedText, most recently used first
	size   int
}

type textKey struct{ text, base, under string }

type parsedText struct {
	key   textKey
	query *Query
	size  int
}

// The bounds of the cache: entries, approximate bytes of memory, and the bytes of a text that is cached at all.
const (
	maxTexts     = 512
	maxTextsSize = 8 << 20
	maxShared    = 32 << 10
)

// Parse is [Parse] with a cache. The key is the text, the base and under, which must identify the other options.
func (t *Texts) Parse(text string, o Options, under string) (*Query, error) {
	if len(text) > maxShared || len(o.Base) > maxShared {
		return Parse(text, o)
	}
	key := textKey{text, o.Base, under}
	if q := t.find(key); q != nil {
		return q, nil
	}
	p, err := newParser(text, o)
	if err != nil {
		return nil, err
	}
	q, err := p.wholeQuery()
	if err == nil {
		t.keep(&parsedText{key, q, p.size()})
	}
	return q, err
}

func (t *Texts) find(key textKey) *Query {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.parsed[key]
	if !ok {
		return nil
	}
	t.recent.MoveToFront(e)
	return e.Value.(*parsedText).query
}

func (t *Texts) keep(p *parsedText) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.parsed[p.key]; ok || p.size > maxTextsSize/8 {
		return
	}
	if t.parsed == nil {
		t.parsed = map[textKey]*list.Element{}
	}
	t.parsed[p.key] = t.recent.PushFront(p)
	t.size += p.size
	for len(t.parsed) > maxTexts || t.size > maxTextsSize {
		old := t.recent.Remove(t.recent.Back()).(*parsedText)
		delete(t.parsed, old.key)
		t.size -= old.size
	}
}

// bytesOfToken is the approximate memory that the algebra of one token takes.
const bytesOfToken = 200

// size returns the approximate memory of what was parsed.
func (p *parser) size() int { return len(p.text) + p.bytes + bytesOfToken*p.tokens }
