package gateway_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/gateway"
)

func TestSettingsAreReadAsTheyAreWritten(t *testing.T) {
	text := `{"tolerant_args":true,"cache_stable":true,"retry":{"max_attempts":3,"base_delay_ms":200,"max_delay_ms":1000,"jitter":0.5,"retryable_codes":["RATE_LIMITED"]},` +
		`"cache":{"read_only":true,"allow":["files:read#34afee88"],"ttl_s":30,"entries":10},` +
		`"rate_limits":{"meta_tools":{"tool_execute":{"max_calls_per_minute":60}},"tools":{"files:read#34afee88":{"max_calls_per_session":5}}},"result_chars":2000,"embeddings":{"url":"http://localhost:1/v1/embeddings?version=2","model":"m","key_env":"KEY"}}`
	s, err := gateway.ParseSettings([]byte(text))
	if err != nil || s.Text() != text {
		t.Fatalf("%s is read as %s, %v", text, s.Text(), err)
	}
	if diff := cmp.Diff(gateway.Retry{MaxAttempts: 3, BaseDelay: 200 * time.Millisecond, MaxDelay: time.Second, Jitter: 0.5, Codes: []gateway.Code{gateway.RateLimited}}, s.Retrying()); diff != "" {
		t.Errorf("retrying: %s", diff)
	}
	if diff := cmp.Diff(gateway.Caching{ReadOnly: true, Allow: []string{"files:read#34afee88"}, TTL: 30 * time.Second, Entries: 10}, s.Caching()); diff != "" {
		t.Errorf("caching: %s", diff)
	}
	quotas := gateway.Quotas{Meta: map[string]gateway.Quota{"tool_execute": {PerMinute: 60}}, Tools: map[string]gateway.Quota{"files:read#34afee88": {PerSession: 5}}}
	if diff := cmp.Diff(quotas, s.Quotas()); diff != "" {
		t.Errorf("quotas: %s", diff)
	}
	var usual gateway.Settings
	if usual.Text() != "{}" || usual.PassedOn() != 4_000 || usual.Caching().ReadOnly || s.PassedOn() != 2_000 {
		t.Errorf("the usual settings are %s, and pass on %d characters", usual.Text(), usual.PassedOn())
	}
	if _, again := usual.Retrying().Again(1, gateway.UpstreamTimeout, 0); again {
		t.Error("a call is made again without a setting")
	}
}

func TestWrongSettingsAreRefusedWithTheirPlaces(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                              "it is no JSON",
		`{"retries":1}`:                  `there is no member "retries"; there are tolerant_args, cache_stable, retry`,
		`{} {}`:                          "followed by other text",
		`{"retry":{"max_attempts":11}}`:  "retry.max_attempts: between 1 and 10",
		`{"retry":{"base_delay_ms":-1}}`: "retry.base_delay_ms: between",
		`{"retry":{"base_delay_ms":9,"max_delay_ms":8}}`:                      "retry.max_delay_ms: between 9 and",
		`{"retry":{"jitter":1.5}}`:                                            "retry.jitter: between 0 and 1",
		`{"retry":{"retryable_codes":["ARGS_INVALID"]}}`:                      "retry.retryable_codes: ",
		`{"cache":{"ttl_s":90000}}`:                                           "cache.ttl_s: between",
		`{"cache":{"entries":-5}}`:                                            "cache.entries: between",
		`{"cache":{"allow":["resource::a:b"]}}`:                               `cache.allow: "resource::a:b" is no id of a tool`,
		`{"rate_limits":{"meta_tools":{"x":{}}}}`:                             `rate_limits.meta_tools: "x" is none of`,
		`{"rate_limits":{"tools":{"a:b":{"max_calls_per_minute":-1}}}}`:       "rate_limits.tools.a:b.max_calls_per_minute: between",
		`{"result_chars":10}`:                                                 "result_chars: between 500",
		`{"embeddings":{"model":"m"}}`:                                        "embeddings.url: not an address",
		`{"embeddings":{"url":"http://me:pw@h/","model":"m"}}`:                "embeddings.url: an address has no user or password; say key_env",
		`{"embeddings":{"url":"https://h/?api-key=x","model":"m"}}`:           `embeddings.url: the value of "api-key" is probably secret`,
		`{"embeddings":{"url":"https://h/"}}`:                                 "embeddings.model: the name of a model",
		`{"embeddings":{"url":"https://h/","model":"m","key_env":"sk-1234"}}`: "embeddings.key_env: the name of a variable",
		`{"cache":{"allow":["` + strings.Repeat(`a:b","`, 11_000) + `a:b"]}}`: "at most 65536",
		`{"cache":{"allow":["` + strings.Repeat(`a:b","`, 1_000) + `a:b"]}}`:  "cache.allow: at most 1000",
	} {
		_, err := gateway.ParseSettings([]byte(text))
		if err == nil || !strings.Contains(fault.Of(err).Error(), want) {
			t.Errorf("%.80s is answered %v, not %s", text, err, want)
		}
	}
}
