// Package guide embeds the page of the guide about the pages, which they show as their help. Its text is docs/guide/pages.md.
package guide

import _ "embed"

// Pages is that page in Markdown.
//
//go:embed pages.md
var Pages string
