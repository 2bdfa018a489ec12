package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"trails/fault"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Server is the definition of an upstream MCP server in a file: how to reach it, and what to use of it. Secrets are
// not stored but referred to as ${NAME}, a variable in the environment of the process that connects.
type Server struct {
	Name string `json:"name"`
	// How to reach it: a command using standard input and output, an address of Streamable HTTP, or one of the older
	// HTTP with SSE. Exactly one is set.
	Command []string `json:"command,omitempty"`
	HTTP    string   `json:"http,omitempty"`
	SSE     string   `json:"sse,omitempty"`
	// Env are environment variables of the command, Headers are headers of each HTTP request.
	Env     map[string]string `json:"env,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// CallerHeader is the header, or CallerEnv the variable of the command, for the caller's own credential: each
	// caller has a separate connection, or none. At most one of them is set.
	CallerHeader string `json:"caller_header,omitempty"`
	CallerEnv    string `json:"caller_env,omitempty"`
	// Namespace is the namespace of its ids; "" means the name.
	Namespace string `json:"namespace,omitempty"`
	// Include and Exclude are patterns of [path.Match] for the names of what is used; an empty Include means
	// everything.
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// Required makes every search fail if the server cannot be reached; other unreachable servers are only reported.
	Required bool `json:"required,omitempty"`
	// Pin holds back whatever has changed since it was accepted.
	Pin bool `json:"pin,omitempty"`
	// TimeoutMS bounds a call, 0 is 60,000; Concurrency bounds concurrent calls, 0 is 8.
	TimeoutMS   int `json:"timeout_ms,omitempty"`
	Concurrency int `json:"concurrency,omitempty"`
	// Via is the transport through which the definition was made, "" for the command line on a machine with the file.
	// Callers cannot set it.
	Via string `json:"via,omitempty"`
}

// Limits on a Server.
const (
	maxKeptText    = 64 << 10
	maxServerWords = 256
	maxTimeout     = time.Hour
	maxConcurrency = 256
)

var (
	serverName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	namespaces = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	variable   = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	variables  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	// credential finds values that are probably secret, whatever they are called.
	credential = regexp.MustCompile(`(?i)^(bearer|basic)\s+\S{8}|://[^/\s:@]+:[^/\s@]+@`)
	// secret finds names of which the value is probably one.
	secret = regexp.MustCompile(`(?i)auth|token|secret|password|passwd|cookie|credential|api[-_]?key|private[-_]?key`)
)

// IsServerName reports whether a name is allowed for a server.
func IsServerName(name string) bool { return serverName.MatchString(name) }

// ParseServer parses the JSON of a Server that is in a file. The fault InvalidData lists all wrong members, but for
// those that earlier versions wrote and [Server.Check] refuses: a server that was taken stays usable.
func ParseServer(text []byte) (Server, error) {
	var s Server
	if err := decode(text, &s); err != nil {
		return s, err
	}
	return s, s.check(false)
}

// Text is the server as JSON, its members in the order of the fields.
func (s Server) Text() string { return textOf(s) }

// textOf is the JSON of a definition for the file.
func textOf(v any) string {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("gateway: %T is no JSON: %v", v, err)) // it only contains texts, numbers and booleans
	}
	return string(text)
}

// Digest is a digest of how the server is reached, which is what trusting it approves.
func (s Server) Digest() string {
	return digestOf(Server{Name: s.Name, Command: s.Command, HTTP: s.HTTP, SSE: s.SSE, Env: s.Env, Headers: s.Headers, CallerHeader: s.CallerHeader, CallerEnv: s.CallerEnv})
}

// digestOf is a digest of such data.
func digestOf(reached any) string {
	sum := sha256.Sum256([]byte(textOf(reached)))
	return hex.EncodeToString(sum[:])
}

// wrongAddress is what is wrong with an HTTP address, "" for nothing. instead says how to give a secret, which it may
// not contain.
func wrongAddress(address, instead string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "not an address with http:// or https://"
	case u.User != nil:
		return "an address has no user or password; say " + instead
	case u.Fragment != "":
		return "an address has no fragment"
	}
	return ""
}

// reserved are the headers that the protocol itself sets.
var reserved = regexp.MustCompile(`(?i)^(host|connection|transfer-encoding|content-.*|accept|mcp-.*|last-event-id)$`)

// Check returns the fault InvalidData with each member that is wrong in a definition that is to be written.
func (s Server) Check() error { return s.check(true) }

// check is Check; without written it allows what earlier versions wrote.
func (s Server) check(written bool) error {
	var wrong []fault.FieldError
	report := func(field string, value any, format string, args ...any) {
		wrong = append(wrong, fault.FieldError{Field: field, Code: fault.Shape, Value: value, Message: field + ": " + fmt.Sprintf(format, args...)})
	}
	if !IsServerName(s.Name) {
		report("name", s.Name, "a name has a lower-case letter and then at most 31 lower-case letters, digits and hyphens")
	}
	if s.Namespace != "" && !namespaces.MatchString(s.Namespace) {
		report("namespace", s.Namespace, "a namespace has a lower-case letter and then at most 63 lower-case letters, digits, hyphens and underscores")
	}
	if s.Space() == OwnNamespace {
		report("namespace", s.Space(), "%s is the namespace of the graph's own tools; say another namespace", OwnNamespace)
	}
	ways := 0
	if len(s.Command) > 0 {
		ways++
		if s.Command[0] == "" || len(s.Command) > maxServerWords || strings.Contains(strings.Join(s.Command, ""), "\x00") {
			report("command", s.Command, "a command is a program and at most %d arguments", maxServerWords-1)
		}
		for i, word := range s.Command {
			if written && i > 0 && strings.HasPrefix(s.Command[i-1], "-") && secret.MatchString(s.Command[i-1]) && len(word) >= 8 && word[0] != '-' && !variable.MatchString(word) && !isPlace(word) {
				report("command", s.Command[i-1], "a secret is not kept in the file; say ${NAME}, a variable of the environment")
			}
			if name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "="); given && secret.MatchString(name) && !variable.MatchString(value) {
				report("command", word, "a secret is not kept in the file; say ${NAME}, a variable of the environment")
			}
		}
	}
	for field, address := range map[string]string{"http": s.HTTP, "sse": s.SSE} {
		if address == "" {
			continue
		}
		ways++
		if problem := wrongAddress(address, "the header Authorization with ${NAME}"); problem != "" {
			report(field, address, "%s", problem)
		} else if u, err := url.Parse(address); written && err == nil {
			for name, values := range u.Query() {
				if secret.MatchString(name) && !variable.MatchString(strings.Join(values, "")) {
					report(field, name, "the value of %s is probably secret, and is not kept in the file; say ${NAME}, a variable of the environment", quote.Text(name, 80))
				}
			}
		}
	}
	if ways != 1 {
		report("command", nil, "say one of command, http and sse")
	}
	if len(s.Env) > 0 && len(s.Command) == 0 {
		report("env", nil, "only a command has an environment")
	}
	if len(s.Headers) > 0 && len(s.Command) > 0 {
		report("headers", nil, "only an address has headers")
	}
	for _, m := range []struct {
		field  string
		values map[string]string
		names  *regexp.Regexp
	}{{"env", s.Env, variables}, {"headers", s.Headers, headerName}} {
		for _, name := range slices.Sorted(maps.Keys(m.values)) {
			value := m.values[name]
			switch {
			case !m.names.MatchString(name):
				report(m.field, name, "%s is no name", quote.Text(name, 80))
			case strings.ContainsAny(value, "\r\n\x00"):
				report(m.field, name, "%s has a line break", name)
			case written && m.field == "headers" && reserved.MatchString(name):
				report(m.field, name, "%s is set by the protocol", name)
			case (secret.MatchString(name) || written && credential.MatchString(value)) && !variable.MatchString(value):
				report(m.field, name, "the value of %s is probably secret, and is not kept in the file; say ${NAME}, a variable of the environment", name)
			}
		}
	}
	for _, m := range []struct {
		field, name, of string
		fits            bool
		names           *regexp.Regexp
		values          map[string]string
	}{
		{"caller_header", s.CallerHeader, "an address", len(s.Command) == 0, headerName, s.Headers},
		{"caller_env", s.CallerEnv, "a command", len(s.Command) > 0, variables, s.Env},
	} {
		switch {
		case m.name == "":
		case !m.fits:
			report(m.field, m.name, "only %s has one", m.of)
		case !m.names.MatchString(m.name):
			report(m.field, m.name, "%s is no name", quote.Text(m.name, 80))
		case written && m.field == "caller_header" && reserved.MatchString(m.name):
			report(m.field, m.name, "%s is set by the protocol", m.name)
		case slices.ContainsFunc(slices.Collect(maps.Keys(m.values)), func(name string) bool { return strings.EqualFold(name, m.name) }):
			report(m.field, m.name, "%s has a value that is the same for all callers", m.name)
		}
	}
	for field, patterns := range map[string][]string{"include": s.Include, "exclude": s.Exclude} {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil {
				report(field, p, "%s is no pattern", quote.Text(p, 80))
			}
		}
	}
	if s.TimeoutMS < 0 || s.Timeout() > maxTimeout {
		report("timeout_ms", s.TimeoutMS, "between 1 and %d", maxTimeout.Milliseconds())
	}
	if s.Concurrency < 0 || s.Concurrency > maxConcurrency {
		report("concurrency", s.Concurrency, "between 1 and %d", maxConcurrency)
	}
	if len(wrong) == 0 {
		return nil
	}
	sort.SliceStable(wrong, func(i, j int) bool { return wrong[i].Field < wrong[j].Field })
	return fault.Invalid(wrong)
}

// PerCaller reports whether callers use their own credentials.
func (s Server) PerCaller() bool { return s.CallerHeader != "" || s.CallerEnv != "" }

// Timeout is the time limit of a call.
func (s Server) Timeout() time.Duration {
	return time.Duration(cmp.Or(s.TimeoutMS, 60_000)) * time.Millisecond
}

// AtOnce is the maximum number of concurrent calls.
func (s Server) AtOnce() int { return cmp.Or(s.Concurrency, 8) }

// Space is the namespace of the server's ids.
func (s Server) Space() string { return cmp.Or(s.Namespace, s.Name) }

// Takes reports whether a name passes Include and Exclude.
func (s Server) Takes(name string) bool {
	matches := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
	return (len(s.Include) == 0 || slices.ContainsFunc(s.Include, matches)) && !slices.ContainsFunc(s.Exclude, matches)
}

// Address says how it is reached, for a person: the command, or the address.
func (s Server) Address() string {
	return cmp.Or(strings.Join(s.Command, " "), s.HTTP, s.SSE)
}

// ResolvedProgram is the first word of the command with variables replaced; other variables may be missing.
func (s Server) ResolvedProgram(lookup func(string) (string, bool)) (string, error) {
	only, err := Server{Name: s.Name, Command: s.Command[:1]}.Resolved(lookup)
	return only.Command[0], err
}

// Secrets are the values of the variables that the definition refers to, and the headers that have
// one in them: nobody but the server is shown them. What is plainly none, such as a path of this
// machine or an address without credentials, is not among them where no name says that it is one.
func (s Server) Secrets(lookup func(string) (string, bool)) (all []string) {
	add := func(name, text string) {
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			if value, ok := lookup(m[1]); ok && (!isPlace(value) || secret.MatchString(name) || secret.MatchString(m[1])) {
				all = append(all, value)
			}
		}
	}
	for _, word := range s.Command {
		name, _, _ := strings.Cut(word, "=")
		add(name, word)
	}
	for name, value := range s.Env {
		add(name, value)
	}
	resolved, err := s.Resolved(lookup)
	for name, value := range s.Headers {
		add("secret", value)
		if err == nil && variable.MatchString(value) {
			all = append(all, resolved.Headers[name])
		}
	}
	add("secret", s.HTTP+s.SSE)
	return all
}

// isPlace reports whether a value is a path or an address.
func isPlace(value string) bool {
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.HasPrefix(value, "./") || len(value) > 2 && value[1:3] == `:\` {
		return true
	}
	u, err := url.Parse(value)
	return err == nil && u.Host != "" && u.User == nil && u.RawQuery == ""
}

// Resolved replaces ${NAME} by the values that lookup returns. An unknown variable is the fault Unusable.
func (s Server) Resolved(lookup func(string) (string, bool)) (Server, error) {
	var missing string
	expand := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(reference string) string {
			value, ok := lookup(variable.FindStringSubmatch(reference)[1])
			if !ok {
				missing = reference
			}
			return value
		})
	}
	all := func(texts map[string]string) map[string]string {
		out := make(map[string]string, len(texts))
		for name, text := range texts {
			out[name] = expand(text)
		}
		return out
	}
	s.Env, s.Headers = all(s.Env), all(s.Headers)
	for name, value := range s.Headers {
		if s.Headers[name] = strings.TrimSpace(value); strings.ContainsFunc(s.Headers[name], unicode.IsControl) && missing == "" {
			return s, fault.New(fault.Unusable, "the upstream %s has the header %s, whose value has a line break or another control character: look at the variables that it names", s.Name, name)
		}
	}
	for _, address := range []*string{&s.HTTP, &s.SSE} {
		// A variable is in the path or in the query: elsewhere it is no address.
		way, query, asks := strings.Cut(*address, "?")
		escaped := func(text string, escape func(string) string) string {
			return variable.ReplaceAllStringFunc(text, func(reference string) string { return escape(expand(reference)) })
		}
		if *address = escaped(way, url.PathEscape); asks {
			*address += "?" + escaped(query, url.QueryEscape)
		}
	}
	s.Command = slices.Clone(s.Command)
	for i, word := range s.Command {
		s.Command[i] = expand(word)
	}
	if missing != "" {
		return s, fault.New(fault.Unusable, "the upstream %s needs %s, which is not in the environment of this process", s.Name, missing)
	}
	return s, nil
}
