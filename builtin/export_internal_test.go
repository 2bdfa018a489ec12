package builtin

import (
	"trails/capability/project"
	"trails/invoke"
)

// ProvidersWithViews are the providers with a doctor that looks at some views of capabilities.
func ProvidersWithViews(views []project.Encoding) []invoke.Provider {
	return Options{}.providers(views)
}
