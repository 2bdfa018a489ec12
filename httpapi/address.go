package httpapi

import "net/http"

// addressOf returns the address that a request came from, without its port: what is
// counted by caller is counted by it.
func addressOf(r *http.Request) string { return hostname(r.RemoteAddr) }
