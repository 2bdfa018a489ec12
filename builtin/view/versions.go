package view

// CapabilityHistory is what capability_history answers: a capability, and what it was, the newest first.
type CapabilityHistory struct {
	ID         string    `json:"id"`
	Version    *string   `json:"version" doc:"The one of now; null for a capability that is gone."`
	Deprecates []string  `json:"deprecates" doc:"The ids that it replaces."`
	Versions   []Version `json:"versions"`
}

// Version is one of the versions of a capability.
type Version struct {
	Version string          `json:"version"`
	Part    string          `json:"part" oneof:",patch,minor,major" doc:"What the changes ask to rise; empty for the first version."`
	Changes []VersionChange `json:"changes" doc:"Since the version before."`
	Time    string          `json:"time" type:"date-time" doc:"When the file saw it first."`
	Author  string          `json:"author" doc:"Who changed the schema that it follows from; empty for what the program has by itself."`
	Program string          `json:"program" doc:"The version of trails, or of the program, that had it."`
	Commit  *string         `json:"commit" doc:"The head at that time."`
}

// VersionChange is a field of the descriptor that differs from the previous version.
type VersionChange struct {
	Field string `json:"field"`
	What  string `json:"what"`
	Part  string `json:"part"`
}
