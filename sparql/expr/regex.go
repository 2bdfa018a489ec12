package expr

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"trails/fault"
	"trails/rdf/xsd"
	"trails/sparql"
)

// regex is REGEX (section 17.4.3.14): text, pattern, and maybe flags.
func regex(args []sparql.Expr) evaluator {
	if len(args) < 2 || len(args) > 3 {
		return compile(nil)
	}
	text, pattern := searched(args[0]), newMatcherSource(args[1], args[2:])
	return func(env Env) (value, error) {
		in, err := text(env)
		if err != nil {
			return failed(err)
		}
		m, err := pattern.in(env)
		if err != nil {
			return failed(err)
		}
		found, err := m.matches(in)
		if err != nil {
			return failed(err)
		}
		return ofBool(found)
	}
}

// replace is REPLACE (section 17.4.3.15): text, pattern, replacement, maybe flags.
func replace(args []sparql.Expr) evaluator {
	if len(args) < 3 || len(args) > 4 {
		return compile(nil)
	}
	text, pattern, replacement := compile(args[0]), newMatcherSource(args[1], args[3:]), compile(args[2])
	return func(env Env) (value, error) {
		l, err := literalOf(env, text)
		if err != nil {
			return failed(err)
		}
		m, err := pattern.in(env)
		if err != nil {
			return failed(err)
		}
		by, err := textOf(env, replacement)
		if err != nil {
			return failed(err)
		}
		return m.replace(l, by)
	}
}

// texts is implemented by an [Env] that can return the text of a string without making a term.
type texts interface {
	Text(v sparql.Var) (string, bool)
}

// searched returns the text of a string literal, with or without a language.
func searched(e sparql.Expr) func(Env) (string, error) {
	text := compile(e)
	v, _ := e.(sparql.VarExpr)
	return func(env Env) (string, error) {
		if known, ok := env.(texts); ok && v.Var != "" {
			if text, ok := known.Text(v.Var); ok {
				return text, nil
			}
		}
		l, err := literalOf(env, text)
		return l.text, err
	}
}

func literalOf(env Env, e evaluator) (literal, error) {
	v, err := e(env)
	if err != nil {
		return literal{}, err
	}
	if l, ok := stringLiteral(v.term); ok {
		return l, nil
	}
	return literal{}, ErrType
}

func textOf(env Env, e evaluator) (string, error) {
	v, err := e(env)
	if err != nil {
		return "", err
	}
	if s, ok := isText(v.term); ok {
		return s, nil
	}
	return "", ErrType
}

// matcher is a pattern with its flags, ready to match.
type matcher struct {
	re      *regexp.Regexp
	literal bool     // flag q: no character of the pattern or the replacement is special
	empty   bool     // the empty text matches
	size    int      // number of instructions of the compiled pattern
	needs   []Needs  // each text that matches has all pieces of one of these
	first   []Needs  // needs in the form in which texts are searched
	runs    *runeRun // the pattern, if it is one class of characters
}

// matches first looks for the needed pieces, which often decides without a match.
func (m matcher) matches(text string) (bool, error) {
	possible := len(m.first) == 0
	for _, n := range m.first {
		if n.in(text) {
			if n.Exact {
				return true, nil
			}
			possible = true
		}
	}
	if !possible {
		return false, nil
	}
	if err := m.affords(text); err != nil {
		return false, err
	}
	return m.re.MatchString(text), nil
}

// maxSteps bounds the work of one match: the length of the text times the size of the program. A match cannot be
// stopped once it has begun.
const maxSteps = 1 << 28

func (m matcher) affords(text string) error {
	if len(text) > maxSteps/m.size {
		return fault.New(fault.TooLarge, "a regular expression of this size takes texts of at most %d bytes", maxSteps/m.size)
	}
	return nil
}

// matcherSource gives the matcher: a constant one, or one from the values of two expressions.
type matcherSource struct {
	pattern, flags evaluator
	fixed          func() (matcher, error)
}

func newMatcherSource(pattern sparql.Expr, flags []sparql.Expr) matcherSource {
	flag := sparql.Expr(sparql.TermExpr{Term: emptyText})
	if len(flags) > 0 {
		flag = flags[0]
	}
	s := matcherSource{pattern: compile(pattern), flags: compile(flag)}
	if isConstant(pattern) && isConstant(flag) {
		s.fixed = sync.OnceValues(func() (matcher, error) { return s.find(nil) })
	}
	return s
}

func isConstant(e sparql.Expr) bool {
	_, ok := e.(sparql.TermExpr)
	return ok
}

func (s matcherSource) in(env Env) (matcher, error) {
	if s.fixed != nil {
		return s.fixed()
	}
	return s.find(env)
}

func (s matcherSource) find(env Env) (matcher, error) {
	pattern, err := textOf(env, s.pattern)
	if err != nil {
		return matcher{}, err
	}
	flags, err := textOf(env, s.flags)
	if err != nil {
		return matcher{}, err
	}
	return compiled.get(pattern, flags)
}

// compiled caches the patterns that are computed at run time. It is emptied when it is full, so that callers cannot
// fill the memory.
var compiled = matchers{made: map[[2]string]matcher{}}

const maxMatchers = 256

type matchers struct {
	mu   sync.Mutex
	made map[[2]string]matcher
}

func (m *matchers) get(pattern, flags string) (matcher, error) {
	key := [2]string{pattern, flags}
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.made[key]; ok {
		return found, nil
	}
	made, err := newMatcher(pattern, flags)
	if err != nil {
		return matcher{}, err
	}
	if len(m.made) >= maxMatchers {
		clear(m.made)
	}
	m.made[key] = made
	return made, nil
}

func newMatcher(pattern, flags string) (matcher, error) {
	translated, err := xsd.Pattern(pattern, flags)
	if err != nil {
		return matcher{}, ErrRegex
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return matcher{}, ErrRegex
	}
	m := matcher{re: re, literal: strings.Contains(flags, "q"), empty: re.MatchString(""), size: maxSteps}
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return m, nil
	}
	parsed = parsed.Simplify()
	m.needs, m.runs = needsOf(parsed), runeRunOf(parsed)
	m.first = plain(m.needs)
	if program, err := syntax.Compile(parsed); err == nil {
		m.size = len(program.Inst)
	}
	return m, nil
}
