package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"trails/fault"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Settings say how tools of upstream servers are offered and called. They are stored in the file. The zero Settings
// are the defaults: each call is made once and unchanged, without limits.
type Settings struct {
	// TolerantArgs corrects arguments with [Schema.Tolerate] before they are checked.
	TolerantArgs bool `json:"tolerant_args,omitempty"`
	// CacheStable orders cards as [Stable] does.
	CacheStable bool          `json:"cache_stable,omitempty"`
	Retry       RetrySettings `json:"retry,omitzero"`
	Cache       CacheSettings `json:"cache,omitzero"`
	RateLimits  RateLimits    `json:"rate_limits,omitzero"`
	// ResultChars is the maximum number of characters of a result that is passed on unchanged; 0 is 4,000.
	ResultChars int `json:"result_chars,omitempty"`
	// Embeddings also rank search results by meaning.
	Embeddings Embeddings `json:"embeddings,omitzero"`
}

// Embeddings name an HTTP endpoint for embeddings with OpenAI's interface. The zero Embeddings are none.
type Embeddings struct {
	// URL is where texts are sent, such as https://api.openai.com/v1/embeddings.
	URL string `json:"url,omitempty"`
	// Model is the endpoint's name of the model.
	Model string `json:"model,omitempty"`
	// KeyEnv is the environment variable with the endpoint's key, which is not stored; "" for none.
	KeyEnv string `json:"key_env,omitempty"`
}

// Digest is a digest of where texts are sent and with which key, which is what trusting it approves.
func (e Embeddings) Digest() string { return digestOf(Embeddings{URL: e.URL, KeyEnv: e.KeyEnv}) }

// RetrySettings are a [Retry] in JSON.
type RetrySettings struct {
	MaxAttempts    int     `json:"max_attempts,omitempty"`
	BaseDelayMS    int     `json:"base_delay_ms,omitempty"`
	MaxDelayMS     int     `json:"max_delay_ms,omitempty"`
	Jitter         float64 `json:"jitter,omitempty"`
	RetryableCodes []Code  `json:"retryable_codes,omitempty"`
}

// CacheSettings are a [Caching] in JSON.
type CacheSettings struct {
	ReadOnly bool     `json:"read_only,omitempty"`
	Allow    []string `json:"allow,omitempty"`
	TTLs     int      `json:"ttl_s,omitempty"`   // 0 is 60
	Entries  int      `json:"entries,omitempty"` // 0 is 1,000
}

// RateLimits are [Quotas] in JSON.
type RateLimits struct {
	MetaTools map[string]RateLimit `json:"meta_tools,omitempty"`
	Tools     map[string]RateLimit `json:"tools,omitempty"`
}

// RateLimit is a [Quota] in JSON.
type RateLimit struct {
	PerMinute  int `json:"max_calls_per_minute,omitempty"`
	PerSession int `json:"max_calls_per_session,omitempty"`
}

// Limits on Settings.
const (
	maxAttempts       = 10
	maxDelay          = 10 * time.Minute
	maxTTL            = 24 * time.Hour
	maxEntries        = 100_000
	maxCalls          = 1_000_000
	maxSettled        = 1_000 // ids of a list
	fewestResultChars = 500   // minimum size of a stored result's excerpt
	mostResultChars   = 1_000_000
	maxModel          = 200
)

// metaTools are the tools of the gateway that can have a limit.
var metaTools = []string{"tool_browse", "tool_execute", "tool_view"}

// tryable are the codes that may be retried.
var tryable = []Code{UpstreamTimeout, UpstreamUnavailable, RateLimited, UpstreamError, AuthFailed, PermissionDenied}

// ParseSettings parses the JSON of Settings. The fault InvalidData lists all wrong members.
func ParseSettings(text []byte) (Settings, error) {
	var s Settings
	if err := decode(text, &s); err != nil {
		return s, err
	}
	return s, s.Check()
}

// decode decodes a JSON object with known members only. Errors say what is wrong with it, which they call "it"; the
// fault InvalidData lists all unknown members and wrong types.
func decode(text []byte, into any) error {
	if len(text) > maxKeptText {
		return fault.New(fault.TooLarge, "it has %d bytes; at most %d", len(text), maxKeptText)
	}
	if name, twice := jsontext.Repeated(text); twice {
		return fault.New(fault.Malformed, "it has the member %s twice", quote.Text(name, 80))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fault.New(fault.Malformed, "it is no JSON: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Malformed, "it is followed by other text; give one JSON object only")
	}
	return fit(v, into)
}

// Text is the settings as JSON, their members in the order of the fields.
func (s Settings) Text() string { return textOf(s) }

// Check returns the fault InvalidData with each member that is wrong.
func (s Settings) Check() error {
	var wrong []fault.FieldError
	report := func(field string, value any, format string, args ...any) {
		wrong = append(wrong, fault.FieldError{Field: field, Code: fault.Shape, Value: value, Message: strings.TrimPrefix(field+": ", ": ") + fmt.Sprintf(format, args...)})
	}
	between := func(field string, value, least, most int) {
		if value != 0 && (value < least || value > most) {
			report(field, value, "between %d and %d", least, most)
		}
	}
	ids := func(field string, ids []string) {
		if len(ids) > maxSettled {
			report(field, len(ids), "at most %d", maxSettled)
		}
		for _, id := range ids {
			if parsed, err := ParseID(id); err != nil || parsed.Kind != Tool {
				report(field, id, "%s is no id of a tool, such as github:create_issue#34afee88", quote.Text(id, 80))
			}
		}
	}
	between("retry.max_attempts", s.Retry.MaxAttempts, 1, maxAttempts)
	between("retry.base_delay_ms", s.Retry.BaseDelayMS, 1, int(maxDelay.Milliseconds()))
	between("retry.max_delay_ms", s.Retry.MaxDelayMS, max(1, s.Retry.BaseDelayMS), int(maxDelay.Milliseconds()))
	if s.Retry.Jitter < 0 || s.Retry.Jitter > 1 {
		report("retry.jitter", s.Retry.Jitter, "between 0 and 1")
	}
	for _, code := range s.Retry.RetryableCodes {
		if !slices.Contains(tryable, code) {
			report("retry.retryable_codes", string(code), "%s is none of %v", quote.Text(string(code), 80), tryable)
		}
	}
	ids("cache.allow", s.Cache.Allow)
	between("cache.ttl_s", s.Cache.TTLs, 1, int(maxTTL.Seconds()))
	between("cache.entries", s.Cache.Entries, 1, maxEntries)
	for _, name := range slices.Sorted(maps.Keys(s.RateLimits.MetaTools)) {
		if !slices.Contains(metaTools, name) {
			report("rate_limits.meta_tools", name, "%s is none of %v", quote.Text(name, 80), metaTools)
		}
	}
	ids("rate_limits.tools", slices.Sorted(maps.Keys(s.RateLimits.Tools)))
	for field, limits := range map[string]map[string]RateLimit{"rate_limits.meta_tools.": s.RateLimits.MetaTools, "rate_limits.tools.": s.RateLimits.Tools} {
		for name, limit := range limits {
			between(field+name+".max_calls_per_minute", limit.PerMinute, 1, maxCalls)
			between(field+name+".max_calls_per_session", limit.PerSession, 1, maxCalls)
		}
	}
	between("result_chars", s.ResultChars, fewestResultChars, mostResultChars)
	if e := s.Embeddings; e != (Embeddings{}) {
		if problem := wrongAddress(e.URL, "key_env"); problem != "" {
			report("embeddings.url", e.URL, "%s", problem)
		} else if u, err := url.Parse(e.URL); err == nil {
			for name := range u.Query() {
				if secret.MatchString(name) {
					report("embeddings.url", name, "the value of %s is probably secret, and is not kept in the file; say key_env, a variable of the environment", quote.Text(name, 80))
				}
			}
		}
		if e.Model == "" || len(e.Model) > maxModel || strings.ContainsFunc(e.Model, unicode.IsControl) {
			report("embeddings.model", e.Model, "the name of a model, at most %d characters", maxModel)
		}
		if e.KeyEnv != "" && !variables.MatchString(e.KeyEnv) {
			report("embeddings.key_env", nil, "the name of a variable of the environment; the key itself is not kept in the file")
		}
	}
	if size := len(s.Text()); size > maxKeptText {
		report("", size, "the settings have %d bytes; at most %d", size, maxKeptText)
	}
	if len(wrong) == 0 {
		return nil
	}
	sort.SliceStable(wrong, func(i, j int) bool { return wrong[i].Field < wrong[j].Field })
	return fault.Invalid(wrong)
}

// Retrying converts the settings for retries.
func (s Settings) Retrying() Retry {
	return Retry{
		MaxAttempts: s.Retry.MaxAttempts, BaseDelay: time.Duration(s.Retry.BaseDelayMS) * time.Millisecond,
		MaxDelay: time.Duration(s.Retry.MaxDelayMS) * time.Millisecond, Jitter: s.Retry.Jitter, Codes: s.Retry.RetryableCodes,
	}
}

// Caching says which answers are kept.
func (s Settings) Caching() Caching {
	return Caching{ReadOnly: s.Cache.ReadOnly, Allow: s.Cache.Allow, TTL: time.Duration(cmp.Or(s.Cache.TTLs, 60)) * time.Second, Entries: cmp.Or(s.Cache.Entries, 1_000)}
}

// Quotas say how often tools may be called in a session.
func (s Settings) Quotas() Quotas {
	quotas := func(limits map[string]RateLimit) map[string]Quota {
		all := make(map[string]Quota, len(limits))
		for name, limit := range limits {
			all[name] = Quota(limit)
		}
		return all
	}
	return Quotas{Meta: quotas(s.RateLimits.MetaTools), Tools: quotas(s.RateLimits.Tools)}
}

// PassedOn is the effective ResultChars.
func (s Settings) PassedOn() int { return cmp.Or(s.ResultChars, 4_000) }
