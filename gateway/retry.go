package gateway

import (
	"errors"
	"slices"
	"time"
)

// Retry says whether and when a failed call is repeated. The zero Retry makes each call once.
type Retry struct {
	MaxAttempts int           // including the first one
	BaseDelay   time.Duration // before the second attempt; doubled each time
	MaxDelay    time.Duration // 0 for none
	// Jitter is the random part of a delay, from 0 to 1.
	Jitter float64
	// Codes are the codes to retry; by default the transport errors UPSTREAM_TIMEOUT and UPSTREAM_UNAVAILABLE. An
	// error returned by a tool is an answer, and is never retried.
	Codes []Code
}

// RetryAfter is the delay that the server of a failed call asks for, 0 if none.
func RetryAfter(err error) time.Duration {
	var e *Error
	if !errors.As(err, &e) {
		return 0
	}
	seconds, _ := e.Details["retry_after"].(float64)
	return time.Duration(seconds * float64(time.Second))
}

// Again returns the delay after attempt number attempt failed with a code; false if it was the last. chance is a
// random number from 0 to 1.
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
