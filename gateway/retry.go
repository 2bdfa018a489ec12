package gateway

import (
	"errors"
	"slices"
	"time"
)

// Retry says whether a call that failed is made again, and when. The zero Retry makes each
// call once.
type Retry struct {
	MaxAttempts int           // with the first one
	BaseDelay   time.Duration // before the second attempt; it doubles before each further one
	MaxDelay    time.Duration // 0 for none
	// Jitter is how much of a delay is left to chance: from 0, nothing, to 1.
	Jitter float64
	// Codes are those after which a call is made again; none are those of a transport that
	// failed, UPSTREAM_TIMEOUT and UPSTREAM_UNAVAILABLE. What a tool itself calls an error is
	// an answer, and is never asked for again.
	Codes []Code
}

// RetryAfter is how long the server of a call that failed wants not to be asked again, 0 when it
// has not said.
func RetryAfter(err error) time.Duration {
	var e *Error
	if !errors.As(err, &e) {
		return 0
	}
	seconds, _ := e.Details["retry_after"].(float64)
	return time.Duration(seconds * float64(time.Second))
}

// Again returns how long to wait after an attempt, the first one is 1, that failed with a code,
// false when it was the last. Chance is a number from 0 to 1 that is drawn for it.
func (r Retry) Again(attempt int, failed Code, chance float64) (time.Duration, bool) {
	codes := r.Codes
	if len(codes) == 0 {
		codes = []Code{UpstreamTimeout, UpstreamUnavailable}
	}
	if attempt >= r.MaxAttempts || !slices.Contains(codes, failed) {
		return 0, false
	}
	const most = 24 * time.Hour // so that doubling never overflows
	limit := most
	if r.MaxDelay > 0 {
		limit = min(r.MaxDelay, most)
	}
	delay := min(r.BaseDelay, limit)
	for range attempt - 1 {
		if delay = min(2*delay, limit); delay == limit {
			break
		}
	}
	return time.Duration(float64(delay) * (1 - r.Jitter*chance)), true
}
