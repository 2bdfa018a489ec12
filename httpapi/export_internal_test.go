package httpapi

import "github.com/go-chi/chi/v5"

// Inner are our own addresses as they are routed.
func Inner() chi.Routes {
	r := chi.NewRouter()
	New(nil, Options{}).server.routes(r)
	return r
}
