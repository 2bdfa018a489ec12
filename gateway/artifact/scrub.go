package artifact

import (
	"bytes"
	"unicode/utf8"

	"trails/text/redact"
)

// secret is a pattern of secrets.
type secret struct {
	// words are words one of which precedes every such secret; none if they have several spellings.
	words []string
	// next returns the begin and end of the first secret at or behind a position; a negative begin means none.
	next func(text []byte, at int) (from, to int)
}

// secrets are applied one after the other, each to the output of the previous ones.
var secrets = []secret{
	{words: []string{"PRIVATE KEY-----"}, next: privateKey},
	// Tokens that begin with the name of their issuer.
	{words: []string{"trails_"}, next: redact.Token},
	token(alphanumeric, 30, 0, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	token(alphanumeric+"_", 30, 0, "github_pat_"),
	token(alphanumeric+"_-", 16, 0, "glpat-"),
	token(alphanumeric+"-", 10, 0, "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
	token("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 16, 16, "AKIA", "ASIA").whole(),
	token(alphanumeric+"_-", 35, 35, "AIza"),
	token(alphanumeric+"_-", 20, 0, "sk-"),
	token(alphanumeric, 16, 0, "rk_live_", "rk_test_", "sk_live_", "sk_test_"),
	token(alphanumeric, 30, 0, "npm_"),
	{words: []string{".eyJ"}, next: webToken},
	{next: credentials},
	{words: []string{"://"}, next: passwordInURI},
	{next: called},
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// class is a set of bytes.
type class [256]bool

func classOf(signs string) *class {
	var c class
	for i := range len(signs) {
		c[signs[i]] = true
	}
	return &c
}

// not is the complement of the class, including non-ASCII bytes.
func (c *class) not() *class {
	var other class
	for i, has := range c {
		other[i] = !has
	}
	return &other
}

// run returns the end of the run of class bytes at a position.
func (c *class) run(text []byte, at int) int {
	for at < len(text) && c[text[at]] {
		at++
	}
	return at
}

var (
	isWord   = classOf(alphanumeric + "_")
	isSpace  = classOf("\t\n\f\r ")
	inBearer = classOf(alphanumeric + "+/._~-")
	inJWT    = classOf(alphanumeric + "_-")
	inScheme = classOf(alphanumeric + "+.-")
	isLetter = classOf(alphanumeric[:52])
	inUser   = classOf("/\t\n\f\r :@\"").not()
	inKey    = classOf("-").not()
	inHead   = classOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	inValue  = classOf("\t\n\f\r \"',;&}{").not()
)

// begins reports whether a word may begin at a position.
func begins(text []byte, at int) bool { return at == 0 || !isWord[text[at-1]] }

// token is one of some words followed by at least least characters of a class, at most most of them, if that is not
// 0.
func token(of string, least, most int, words ...string) secret {
	var first class
	for _, word := range words {
		first[word[0]] = true
	}
	signs := classOf(of)
	return secret{words, func(text []byte, at int) (int, int) {
		for ; at < len(text); at++ {
			if !first[text[at]] || !begins(text, at) {
				continue
			}
			for _, word := range words {
				if len(text)-at < len(word) || string(text[at:at+len(word)]) != word {
					continue
				}
				from := at + len(word)
				end := len(text)
				if most > 0 {
					end = min(end, from+most)
				}
				if to := signs.run(text[:end], from); to-from >= least {
					return from, to
				}
			}
		}
		return -1, 0
	}}
}

// whole is a token that ends at the end of a word.
func (s secret) whole() secret {
	return secret{s.words, func(text []byte, at int) (int, int) {
		for {
			from, to := s.next(text, at)
			if from < 0 || to == len(text) || !isWord[text[to]] {
				return from, to
			}
			at = from
		}
	}}
}

// privateKey finds keys in the form of PEM (RFC 7468).
func privateKey(text []byte, at int) (int, int) {
	const head, tail = "-----BEGIN ", "PRIVATE KEY-----"
	for from := at; ; {
		next := bytes.Index(text[from:], []byte(tail))
		if next < 0 {
			return -1, 0
		}
		label := from + next
		from = label + len(tail)
		begin := label // of what stands behind the five hyphens
		for begin > at && inHead[text[begin-1]] {
			begin--
		}
		begin += len(head) - 5 // the first that may be of the label
		if begin <= label && begin-len(head) >= at && string(text[begin-len(head):begin]) == head {
			if to := inKey.run(text, from); utf8.RuneCount(text[from:to]) >= 16 {
				return from, to
			}
		}
	}
}

// webToken finds JSON Web Tokens (RFC 7519): two parts of JSON, and a signature.
func webToken(text []byte, at int) (int, int) {
	const begin, least = "eyJ", 8
	for {
		next := bytes.Index(text[at:], []byte(begin))
		if next < 0 {
			return -1, 0
		}
		at += next
		from := at + len(begin)
		if !begins(text, at) {
			at++
			continue
		}
		head := inJWT.run(text, from)
		if head-from >= least && bytes.HasPrefix(text[head:], []byte("."+begin)) {
			body := inJWT.run(text, head+1+len(begin))
			if body-head-1-len(begin) >= least && body < len(text) && text[body] == '.' {
				if to := inJWT.run(text, body+1); to-body-1 >= least {
					return from, to
				}
			}
		}
		at = head // what begins before it ends there, too
	}
}

// schemes are those of HTTP whose credentials are one word.
var schemes = callings([]string{"bearer"}, []string{"basic"})

// credentials finds credentials of the header of RFC 9110, section 11.6.2.
func credentials(text []byte, at int) (int, int) {
	for ; at < len(text); at++ {
		for _, scheme := range schemes.at(text, at) {
			word := folded(text, at, scheme[0])
			if word < 0 || !begins(text, at) {
				continue
			}
			from := isSpace.run(text, word)
			if from == word {
				continue
			}
			to := inBearer.run(text, from)
			for next := odd(text, to); next > to; next = odd(text, to) {
				to = inBearer.run(text, next)
			}
			if utf8.RuneCount(text[from:to]) >= 16 {
				for to < len(text) && text[to] == '=' {
					to++
				}
				return from, to
			}
		}
	}
	return -1, 0
}

// odd returns the position behind a non-ASCII letter that case folding makes ASCII, see [folded].
func odd(text []byte, at int) int {
	return max(at, folded(text, at, "s"), folded(text, at, "k"))
}

// passwordInURI finds the password before a host (RFC 3986, section 3.2.1).
func passwordInURI(text []byte, at int) (int, int) {
	const sign = "://"
	for next := at; ; {
		found := bytes.Index(text[next:], []byte(sign))
		if found < 0 {
			return -1, 0
		}
		end := next + found // of the scheme
		next = end + len(sign)
		scheme := false
		for i := end - 1; i >= at && inScheme[text[i]] && !scheme; i-- {
			scheme = isLetter[text[i]] && begins(text, i)
		}
		user := inUser.run(text, next)
		if n := utf8.RuneCount(text[next:user]); !scheme || n < 1 || n > 100 || user == len(text) || text[user] != ':' {
			continue
		}
		to := inUser.run(text, user+1)
		if n := utf8.RuneCount(text[user+1 : to]); n >= 3 && n <= 200 && to < len(text) && text[to] == '@' {
			return user + 1, to
		}
	}
}

// calling are names, in one or two words of any case, by their first two bytes.
type calling struct {
	first, second class
	names         [256][][]string
}

// callings indexes these names. Their second letters have no non-ASCII variants.
func callings(names ...[]string) *calling {
	var c calling
	for _, name := range names {
		first, upper := name[0][0], name[0][0]-'a'+'A'
		for _, b := range []byte{first, upper, "\u017f"[0]} {
			if b < utf8.RuneSelf || first == 's' {
				c.first[b] = true
				c.names[b] = append(c.names[b], name)
			}
		}
		c.second[name[0][1]], c.second[name[0][1]-'a'+'A'] = true, true
	}
	return &c
}

// at returns the names that may occur at a position.
func (c *calling) at(text []byte, at int) [][]string {
	if b := text[at]; !c.first[b] || at+1 == len(text) || b < utf8.RuneSelf && !c.second[text[at+1]] {
		return nil
	}
	return c.names[text[at]]
}

var secretNames = callings([]string{"password"}, []string{"passwd"}, []string{"secret"}, []string{"api", "key"}, []string{"access", "key"}, []string{"private", "key"},
	[]string{"auth", "token"}, []string{"access", "token"}, []string{"refresh", "token"})

// called finds values named as secrets, as in password: x, "api_key": "x" and client-secret=x.
func called(text []byte, at int) (int, int) {
	for ; at < len(text); at++ {
		for _, name := range secretNames.at(text, at) {
			end := folded(text, at, name[0])
			if end >= 0 && len(name) > 1 {
				if end < len(text) && (text[end] == '_' || text[end] == '-') {
					end++
				}
				end = folded(text, end, name[1])
			}
			if end < 0 {
				continue
			}
			end = isSpace.run(text, quoted(text, end))
			if end == len(text) || text[end] != ':' && text[end] != '=' {
				continue
			}
			from := quoted(text, isSpace.run(text, end+1))
			if to := inValue.run(text, from); utf8.RuneCount(text[from:to]) >= 6 {
				return from, to
			}
		}
	}
	return -1, 0
}

// quoted returns the position behind a quotation mark, if there is one.
func quoted(text []byte, at int) int {
	if at < len(text) && (text[at] == '"' || text[at] == '\'') {
		at++
	}
	return at
}

// folded returns the position behind a word in any case, or -1. The long s and the Kelvin sign count as s and k.
func folded(text []byte, at int, word string) int {
	for i := range len(word) {
		switch c := word[i]; {
		case at < len(text) && (text[at] == c || text[at] == c-'a'+'A'):
			at++
		case c == 's' && bytes.HasPrefix(text[at:], []byte("\u017f")):
			at += len("\u017f")
		case c == 'k' && bytes.HasPrefix(text[at:], []byte("\u212a")):
			at += len("\u212a")
		default:
			return -1
		}
	}
	return at
}

// mayBeIn reports whether a text may contain such a secret.
func (s secret) mayBeIn(text []byte) bool {
	for _, word := range s.words {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return len(s.words) == 0
}

// Scrub replaces secrets in a text by the same number of asterisks, and returns how many there were. Its time is
// linear in the length of the text.
func Scrub(text []byte) ([]byte, int) {
	clean, found := text, 0
	var places [][2]int
	for _, s := range secrets {
		if !s.mayBeIn(clean) {
			continue
		}
		places = places[:0] // all are found before one is replaced, because the context before a secret matters
		for from, to := s.next(clean, 0); from >= 0; from, to = s.next(clean, to) {
			places = append(places, [2]int{from, to})
		}
		for _, place := range places {
			if len(bytes.Trim(clean[place[0]:place[1]], "*")) == 0 {
				continue
			}
			if found == 0 {
				clean = bytes.Clone(text)
			}
			found++
			for i := place[0]; i < place[1]; i++ {
				if clean[i] != '\n' {
					clean[i] = '*'
				}
			}
		}
	}
	return clean, found
}
