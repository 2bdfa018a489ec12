package project

import "regexp"

// patterns matches patterns of RE2 whose every part ECMA-262 has with the flag u, where it means the same. Parts that
// only look otherwise, such as a bracket in a class, are not matched.
var patterns = regexp.MustCompile(`^(?:` +
	`[^\\\[\]{}]` + // a character, a sign, or the beginning or end of a group
	`|\{\d+(?:,\d*)?\}` + // a repetition: other braces must be escaped
	`|` + escaped + `|\\[bB]` +
	`|\[\^?(?:[^\\\[\]]|\\-|` + escaped + `)+\]` + // a class
	`)*$`)

// escaped is what may be escaped inside and outside of classes. RE2 has more: \A, \z, \Q, \pL, \x{1F600}, \:.
const escaped = `\\(?:[dDwWsSfnrtv^$\\.*+?()\[\]{}|/]|x[0-9A-Fa-f]{2}|[pP]\{[CLMNPSZ][a-z]?\})`

// flags matches groups of RE2 that ECMA-262 does not have, as (?i) and (?P<name>…).
var flags = regexp.MustCompile(`\(\?[^:<]`)

// portable returns a pattern if it can stand in a JSON Schema, whose patterns are those of ECMA-262, and "" otherwise:
// hosts that compile patterns refuse the tool, or all tools, for one that is not.
func portable(pattern string) string {
	if pattern == "" || !patterns.MatchString(pattern) || flags.MatchString(pattern) {
		return ""
	}
	return pattern
}
