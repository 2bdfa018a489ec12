package xsd

func isBoolean(s string) bool { return s == "true" || s == "false" || s == "1" || s == "0" }

func isTrue(s string) bool { return s == "true" || s == "1" }

func canonicalBoolean(s string) (string, bool) {
	if isTrue(s) {
		return "true", true
	}
	return "false", true
}

// compareBooleans puts false before true.
func compareBooleans(a, b string) (int, bool) {
	switch ta, tb := isTrue(a), isTrue(b); {
	case ta == tb:
		return 0, true
	case tb:
		return -1, true
	}
	return 1, true
}
