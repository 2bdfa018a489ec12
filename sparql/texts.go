package sparql

import (
	"container/list"
	"sync"
)

// Texts remembers the queries of the texts that were asked last: agents and programs
// send the same ones again and again. What it returns is shared, and nobody changes
// it. The zero value is ready; it is safe for concurrent use.
type Texts struct {
	mu     sync.Mutex
	parsed map[textKey]*list.Element
	recent list.List // of *parsedText, the one that was used last in front
	size   int
}

type textKey struct{ text, base, under string }

type parsedText struct {
	key   textKey
	query *Query
	size  int
}

// What is remembered, as bytes of memory, about. Longer texts than maxShared are
// parsed each time.
const (
	maxTexts     = 512
	maxTextsSize = 8 << 20
	maxShared    = 32 << 10
)

// Parse is [Parse]. What is parsed is remembered for its text, its base and under, which
// names the other options: of one name they are the same.
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

// bytesOfToken is about how much memory the algebra takes for one token.
const bytesOfToken = 200

// size is about how many bytes what was parsed takes.
func (p *parser) size() int { return len(p.text) + p.bytes + bytesOfToken*p.tokens }
