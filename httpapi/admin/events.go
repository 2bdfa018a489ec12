package admin

// watchers counts the open event streams.
type watchers struct{}
