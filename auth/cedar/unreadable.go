package cedar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/text/quote"
)

// The texts of errors of the parser, which have the place in them alone.
var (
	parseError   = regexp.MustCompile(`(?s)^.*?parse error at [^"]*?(\d+):(\d+) "(?:[^"\\]|\\.)*": (.*)$`)
	unclosed     = regexp.MustCompile(`(\d+):(\d+): literal not terminated$`)
	lacks        = regexp.MustCompile(`(?s)^(exact )?got (.*) want (\S+)$`)
	noPolicyWord = regexp.MustCompile(`(?s)^unexpected effect: (.+)$`)
)

// unreadable explains why a text is none of policies, with the place at which something is to be written.
func unreadable(text string, err error) fault.FieldError {
	f := fault.FieldError{Field: "policies", Code: fault.Shape, Message: "this is no text of Cedar policies: " + quote.Text(err.Error(), maxSaid)}
	if at := unclosed.FindStringSubmatch(err.Error()); at != nil {
		f.Source = placeOf(text, offsetOf(text, at[1], at[2]))
		f.Message = `the text that begins here has no closing quotation mark: add one`
		return f
	}
	at := parseError.FindStringSubmatch(err.Error())
	if at == nil {
		return f
	}
	place, said := offsetOf(text, at[1], at[2]), at[3]
	if missing := lacks.FindStringSubmatch(said); missing != nil {
		got, want := missing[2], missing[3]
		if missing[1] != "" { // the error is at the token behind the one that is wrong
			place = max(0, strings.LastIndex(text[:place], got))
		}
		f.Source = placeOf(text, endBefore(text, place))
		switch {
		case want == ";":
			f.Message = "the policy has no ; at its end: add it here"
		case got == "":
			f.Message = fmt.Sprintf("%s is missing here, at the end of the text: add it", quote.Text(want, maxName))
		default:
			f.Message = fmt.Sprintf("%s is missing here, before %s: add it", quote.Text(want, maxName), quote.Text(got, maxName))
		}
		return f
	}
	f.Source = placeOf(text, place)
	if word := noPolicyWord.FindStringSubmatch(said); word != nil {
		f.Source = placeOf(text, max(0, strings.LastIndex(text[:place], word[1])))
		f.Message = "a policy begins with permit or forbid, and not with " + quote.Text(word[1], maxName)
		return f
	}
	f.Message = "no policy can be read here: " + quote.Text(said, maxSaid)
	return f
}

// offsetOf is the offset of a line and a column, which counts characters from 1.
func offsetOf(text, line, column string) int {
	lines, _ := strconv.Atoi(line)
	columns, _ := strconv.Atoi(column)
	at := 0
	for ; lines > 1; lines-- {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	for ; columns > 1 && at < len(text); columns-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// placeOf names an offset.
func placeOf(text string, at int) string {
	before := text[:min(at, len(text))]
	return fmt.Sprintf("line %d, column %d", strings.Count(before, "\n")+1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1)
}

// endBefore is where what stands before an offset ends, without blanks and comments.
func endBefore(text string, at int) (end int) {
	for i := 0; i < at; i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "//"):
			i += len(strings.SplitN(text[i:], "\n", 2)[0]) - 1
		case c == '"':
			for i++; i < at && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			end = min(i+1, at)
		case c > ' ':
			end = i + 1
		}
	}
	return end
}
