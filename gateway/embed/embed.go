// Package embed computes the similarity of a catalog's texts to a request, with vectors from an HTTP endpoint. It
// only uses the endpoint of the settings, in batches and with deadlines, caches vectors in memory, and pauses after
// failures. Ranking is done by package gateway/rank.
//
// Read [Embedder.Near] first.
package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"trails/fault"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/kg/remote"
	"trails/text/quote"
)

// Config are the settings of a process for endpoints. The zero Config trusts none.
type Config struct {
	// Trusts reports whether somebody at this machine has approved sending texts to an endpoint; nil trusts none.
	Trusts func(gateway.Embeddings) bool
	// Lookup returns environment variables; nil means os.LookupEnv.
	Lookup func(string) (string, bool)
	// Patience is how long [Embedder.Near] waits; 0 is 2 s.
	Patience time.Duration
	// Rest is the pause after a failure, longer each time; 0 is 30 s.
	Rest time.Duration
	// Log receives the failures of endpoints; nil means slog.Default().
	Log *slog.Logger
}

// Limits on requests and on the cache.
const (
	mostTextBytes = 2_000
	batchTime     = 30 * time.Second
	longestRest   = 15 * time.Minute
	mostNumbers   = 32 << 20 // of all vectors, 4 bytes each
	mostTold      = 200      // characters of a problem
)

// Embedder caches vectors, of one endpoint and model at a time. It is safe for concurrent use. Only [Open] makes one.
type Embedder struct {
	config  Config
	mu      sync.Mutex
	closed  bool
	space   *space // nil while no endpoint is in use
	fillers sync.WaitGroup
}

// Open returns an embedder that has asked nobody yet.
func Open(c Config) *Embedder {
	c.Log = cmp.Or(c.Log, slog.Default())
	c.Patience, c.Rest = cmp.Or(c.Patience, 2*time.Second), cmp.Or(c.Rest, 30*time.Second)
	if c.Trusts == nil {
		c.Trusts = func(gateway.Embeddings) bool { return false }
	}
	if c.Lookup == nil {
		c.Lookup = os.LookupEnv
	}
	return &Embedder{config: c}
}

// Close ends requests in the background.
func (e *Embedder) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.Use(gateway.Embeddings{})
	e.fillers.Wait()
}

// Use sets the settings. If they change, running requests end, and the cache is emptied.
func (e *Embedder) Use(now gateway.Embeddings) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.space != nil && e.space.of != now {
		e.space.end()
		e.space = nil
	}
}

// Texts are the texts of a catalog, safe for concurrent use.
type Texts struct {
	texts []string
	keys  []key
}

type key [sha256.Size]byte

// NewTexts prepares texts for sending, without anything that looks like a secret.
func NewTexts(texts []string) *Texts {
	t := &Texts{texts: make([]string, len(texts)), keys: make([]key, len(texts))}
	for i, text := range texts {
		t.texts[i] = scrubbed(text)
		t.keys[i] = sha256.Sum256([]byte(t.texts[i]))
	}
	return t
}

func scrubbed(text string) string {
	clean, _ := artifact.Scrub([]byte(text)) // before it is cut: half of a secret does not look like one
	return strings.ToValidUTF8(string(clean[:min(len(clean), mostTextBytes)]), "")
}

// Near returns the similarity of each text to a request: the cosine of their vectors, -1 to 1, and 0 for a text that
// the endpoint refuses. It requests the vectors that it does not have, and returns nothing before all are there; if that
// takes too long, it continues in the background. The fault explains a missing result, with equal text for equal reasons.
// After a failure the endpoint is not used for a while. A request that it refuses, and no other text, is the fault
// InvalidData, and pauses nothing.
func (e *Embedder) Near(ctx context.Context, by gateway.Embeddings, texts *Texts, request string) ([]float64, error) {
	s, err := e.spaceOf(by)
	if err != nil {
		return nil, err
	}
	patience := time.NewTimer(e.config.Patience)
	defer patience.Stop()
	asked, err := s.vectorOf(ctx, scrubbed(request)) // first, because it shows whether the endpoint answers
	if err != nil {
		return nil, err
	}
	for {
		vectors, filling, err := s.all(texts)
		switch {
		case err != nil:
			return nil, err
		case filling == nil:
			near := make([]float64, len(vectors))
			for i, v := range vectors {
				if len(v) == 0 {
					continue // refused
				}
				if len(v) != len(asked) {
					return nil, fault.New(fault.Conflict, "the endpoint has changed its vectors meanwhile; browse again")
				}
				near[i] = dot(asked, v)
			}
			return near, nil
		}
		select {
		case <-filling:
		case <-patience.C:
			return nil, fault.New(fault.Busy, "the vectors of the texts are still being made; browse again later")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Vector returns the unit vector of a request, from the cache or from the endpoint. The fault is as for
// [Embedder.Near].
func (e *Embedder) Vector(ctx context.Context, by gateway.Embeddings, request string) ([]float32, error) {
	s, err := e.spaceOf(by)
	if err != nil {
		return nil, err
	}
	return s.vectorOf(ctx, scrubbed(request))
}

// BatchTexts is the maximum number of texts for [Embedder.Batch].
const BatchTexts = 64

// Batch requests the unit vectors of up to [BatchTexts] texts, all of one length, and passes them to take as they come, in
// the order of the texts; they are not cached. If the endpoint refuses a batch, each half is requested, down to the texts
// that are refused alone: of such a text the vector is nil, and why is the reason. The fault is as for [Embedder.Near].
func (e *Embedder) Batch(ctx context.Context, by gateway.Embeddings, texts []string, take func(vectors [][]float32, why string) error) error {
	s, err := e.spaceOf(by)
	if err != nil {
		return err
	}
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = scrubbed(text)
	}
	return s.inHalves(ctx, clean, nil, take)
}

// State is the state of an endpoint.
type State string

// The states.
const (
	Untrusted State = "untrusted" // nobody at this machine has approved it
	Idle      State = "idle"      // it was not used yet
	Up        State = "up"
	Down      State = "down" // it failed, and is paused
)

// Health is the state of an endpoint, with the number of cached vectors.
type Health struct {
	State   State
	Problem string // why it is down
	Vectors int
}

// Health tells how an endpoint stands, without asking it.
func (e *Embedder) Health(by gateway.Embeddings) Health {
	if !e.config.Trusts(by) {
		return Health{State: Untrusted, Problem: untrusted(by).Message}
	}
	e.mu.Lock()
	s := e.space
	e.mu.Unlock()
	if s == nil || s.of != by {
		return Health{State: Idle}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := Health{State: Up, Vectors: len(s.vectors)}
	if s.problem != nil {
		h.State, h.Problem = Down, s.problem.Message
	}
	return h
}

func untrusted(by gateway.Embeddings) *fault.Error {
	return fault.New(fault.Denied, "nobody at this machine has agreed that texts are sent to %s; trails gateway trust FILE --embeddings does", quote.Line(by.URL, mostTold))
}

// spaceOf returns the vectors of a trusted endpoint.
func (e *Embedder) spaceOf(by gateway.Embeddings) (*space, error) {
	e.Use(by)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.space != nil && e.space.of == by {
		return e.space, nil
	}
	if e.closed {
		return nil, fault.New(fault.Unusable, "the program ends")
	}
	if !e.config.Trusts(by) {
		return nil, untrusted(by)
	}
	var secret string
	if by.KeyEnv != "" {
		var known bool
		if secret, known = e.config.Lookup(by.KeyEnv); !known {
			return nil, fault.New(fault.Unusable, "%s is not in the environment of this process; set it and start again", by.KeyEnv)
		}
	}
	u, err := url.Parse(by.URL)
	if err != nil {
		return nil, fault.New(fault.Unusable, "the address of the endpoint is no URL; give another one with gateway settings")
	}
	s := &space{embedder: e, of: by, secret: secret, vectors: map[key]*vector{}}
	// This address was approved explicitly, so --allow-remote is not needed.
	host := []string{u.Scheme + "://" + u.Host}
	s.brief, err = remote.New(host, remote.Limits{Time: e.config.Patience, Answer: 1 << 20})
	if err != nil {
		return nil, err
	}
	if s.long, err = remote.New(host, remote.Limits{Time: batchTime, Answer: 32 << 20}); err != nil {
		return nil, err
	}
	s.living, s.end = context.WithCancel(context.Background())
	e.space = s
	return s, nil
}

// space is the vectors of one endpoint and model.
type space struct {
	embedder    *Embedder
	of          gateway.Embeddings
	secret      string
	brief, long *remote.Client // timeouts for a request, and for a batch of texts
	living      context.Context
	end         context.CancelFunc

	mu      sync.Mutex
	vectors map[key]*vector
	length  int   // of each vector, 0 while there is none
	turn    int64 // counter of requests, which is the age of vectors
	filling chan struct{}
	// problem is the last failure, nil after success.
	problem *fault.Error
	rest    time.Duration // pause after the next failure
	until   time.Time     // end of the pause
}

// vector is a unit vector, or the refusal of a text.
type vector struct {
	numbers []float32
	used    int64        // value of turn at its last use
	refusal *fault.Error // why there are no numbers, nil if there are
	until   time.Time    // when a refused text is requested again
}

// vectorOf returns the vector of a request, which is requested unless it is cached. That the endpoint refuses it alone is
// the fault InvalidData.
func (s *space) vectorOf(ctx context.Context, request string) ([]float32, error) {
	k := key(sha256.Sum256([]byte(request)))
	s.mu.Lock()
	s.turn++
	if v := s.known(k); v != nil {
		defer s.mu.Unlock()
		if v.used = s.turn; v.refusal != nil {
			return nil, refused(v.refusal)
		}
		return v.numbers, nil
	}
	s.mu.Unlock()
	made, err := s.ask(ctx, s.brief, []string{request}, []key{k})
	switch {
	case fault.Is(err, fault.InvalidData):
		return nil, refused(fault.Of(err))
	case err != nil:
		return nil, err
	}
	return made[0], nil
}

// refused says to the caller that it is this request alone.
func refused(why *fault.Error) error {
	return fault.New(fault.InvalidData, "the endpoint of embeddings refuses this text, and takes others: %s; other words may do", why.Message)
}

// known returns the cached vector or refusal of a text, nil for none; s.mu must be held.
func (s *space) known(k key) *vector {
	v := s.vectors[k]
	if v != nil && v.refusal != nil && time.Now().After(v.until) {
		delete(s.vectors, k)
		return nil
	}
	return v
}

// all returns the vectors of texts, nil for one that is refused. If some are missing it returns a channel that is closed when it should be called
// again.
func (s *space) all(texts *Texts) ([][]float32, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(texts.keys)*s.length > mostNumbers {
		return nil, nil, fault.New(fault.TooLarge, "the vectors of %d texts, %d numbers each, take more than %d MiB", len(texts.keys), s.length, mostNumbers*4>>20)
	}
	vectors := make([][]float32, len(texts.keys))
	var missing []int
	for i, k := range texts.keys {
		v := s.known(k)
		if v == nil {
			missing = append(missing, i)
			continue
		}
		v.used, vectors[i] = s.turn, v.numbers
	}
	switch {
	case len(missing) == 0:
		return vectors, nil, nil
	case s.problem != nil:
		return nil, nil, s.problem
	case s.filling == nil:
		s.filling = make(chan struct{})
		s.embedder.fillers.Go(func() { s.fill(texts, missing) })
	}
	return nil, s.filling, nil
}

// fill requests the vectors of the texts with these indexes, until a batch fails.
func (s *space) fill(texts *Texts, missing []int) {
	for some := range slices.Chunk(missing, BatchTexts) {
		batch, keys := make([]string, len(some)), make([]key, len(some))
		for i, at := range some {
			batch[i], keys[i] = texts.texts[at], texts.keys[at]
		}
		if err := s.inHalves(s.living, batch, keys, func([][]float32, string) error { return nil }); err != nil {
			break
		}
		s.mu.Lock()
		tooMany := len(texts.keys)*s.length > mostNumbers
		s.mu.Unlock()
		if tooMany {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.filling)
	s.filling = nil
}

// inHalves is [space.ask] for a batch, of which it requests each half if that is refused, down to texts refused alone.
func (s *space) inHalves(ctx context.Context, texts []string, keys []key, take func(vectors [][]float32, why string) error) error {
	vectors, err := s.ask(ctx, s.long, texts, keys)
	switch {
	case err == nil:
		return take(vectors, "")
	case !fault.Is(err, fault.InvalidData):
		return err
	case len(texts) == 1:
		return take([][]float32{nil}, fault.Of(err).Message)
	}
	half := len(texts) / 2
	if err := s.inHalves(ctx, texts[:half], keys[:min(half, len(keys))], take); err != nil {
		return err
	}
	return s.inHalves(ctx, texts[half:], keys[min(half, len(keys)):], take)
}

// plainText is a text that an endpoint which answers at all does not refuse.
const plainText = "text"

// ask requests vectors and caches them under these keys, if there are any, unless the endpoint is paused. A refusal of
// several texts, or of one where the endpoint takes another, is the fault InvalidData. It pauses nothing, and that of one
// text is cached, too. An endpoint that takes no text has failed.
func (s *space) ask(ctx context.Context, way *remote.Client, texts []string, keys []key) ([][]float32, error) {
	s.mu.Lock()
	if s.problem != nil {
		if time.Now().Before(s.until) {
			defer s.mu.Unlock()
			return nil, s.problem
		}
		s.until = time.Now().Add(s.rest) // one request tests the endpoint, others do not wait
	}
	s.mu.Unlock()
	made, err := request(ctx, way, s.of, s.secret, texts)
	if fault.Is(err, fault.InvalidData) && len(texts) == 1 {
		switch _, failed := request(ctx, way, s.of, s.secret, []string{plainText}); {
		case fault.Is(failed, fault.InvalidData):
			err = fault.New(fault.Unusable, "the endpoint refuses every text: %s", fault.Of(failed).Message)
		case failed != nil:
			err = failed
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.length != 0 && len(made[0]) != s.length {
		// The endpoint has another model now, whose vectors cannot be compared with the cached ones.
		err = fault.New(fault.Unusable, "the endpoint answered with vectors of %d numbers, and of %d before", len(made[0]), s.length)
		s.length = 0
		clear(s.vectors)
	}
	var f *fault.Error
	switch {
	case err == nil:
		s.problem, s.rest = nil, 0
	case errors.As(err, &f) && f.Kind == fault.InvalidData:
		s.problem, s.rest = nil, 0 // it answers: other texts may do
		if len(texts) > 1 {
			return nil, f
		}
		refusal := fault.New(fault.InvalidData, "%s", quote.Line(f.Message, mostTold))
		for _, k := range keys {
			s.vectors[k] = &vector{used: s.turn, refusal: refusal, until: time.Now().Add(longestRest)}
		}
		return nil, refusal
	case f != nil:
		s.rest = min(max(2*s.rest, s.embedder.config.Rest), longestRest)
		s.problem, s.until = fault.New(f.Kind, "%s", quote.Line(f.Message, mostTold)), time.Now().Add(s.rest)
		s.embedder.config.Log.Warn("the endpoint of embeddings rests", "problem", s.problem.Message, "for", s.rest)
		return nil, s.problem
	default:
		return nil, err // the caller cancelled
	}
	s.length = len(made[0])
	for i, k := range keys {
		s.vectors[k] = &vector{numbers: made[i], used: s.turn}
	}
	if len(s.vectors)*s.length > mostNumbers {
		s.forget()
	}
	return made, nil
}

// forget drops the least recently used quarter of the vectors, except for those in use; s.mu must be held.
func (s *space) forget() {
	lastUses := make([]int64, 0, len(s.vectors))
	for _, v := range s.vectors {
		lastUses = append(lastUses, v.used)
	}
	slices.Sort(lastUses)
	last := min(lastUses[len(lastUses)/4], s.turn-1)
	for k, v := range s.vectors {
		if v.used <= last {
			delete(s.vectors, k)
		}
	}
}
