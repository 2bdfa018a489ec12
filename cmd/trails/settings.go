package main

import "strings"

// setting is an environment variable. A flag for the same overrides it.
type setting struct{ name, flag, means string }

// settings are all variables that trails reads, except for those of OpenTelemetry. The help and the reference of the
// guide are made from them.
var settings = []setting{
	{"TRAILS_DB", "", "FILE, where it is left out"},
	{"TRAILS_MCP_SCOPES", "", "scopes of mcp and serve: a comma list of runtime, builder, dev (default runtime); more than runtime is for whoever starts mcp (in production with --operator), the sign-in link of serve, and callers with the token"},
	{"TRAILS_MCP_TOKEN", "", "the token that mcp and serve ask for"},
	{"TRAILS_TOKEN", "", "the token that the client of mcp shows"},
	{"TRAILS_MCP_TOOL_ERRORS", "--tool-errors", "how tools answer what is invalid: auto (default), protocol or result"},
	{"TRAILS_STORED_TOOLS", "--stored-tools", "how many stored queries are tools of their own (default 24)"},
	{"TRAILS_ARTIFACT_TTL", "--artifact-ttl", "how long results of tools are kept, such as 24h (default 168h); the same for all processes on a file"},
	{"TRAILS_ARTIFACT_QUOTA", "--artifact-quota", "MiB of them that are kept at most (default 256); the same for all processes on a file"},
	{"TRAILS_TRUST_UPSTREAMS", "", "names or digests of upstream servers that this process may start or reach"},
	{"TRAILS_TOKEN_NAME", "", "the token that proxy shows to the server NAME; without it the file of credentials is asked"},
	{"TRAILS_UPSTREAM_NAME", "", "the caller's own credential for the upstream server NAME, at the command line and over stdio"},
	{"TRAILS_OIDC_ISSUER", "--oidc-issuer", "the URL of an identity provider whose tokens mcp and serve know"},
	{"TRAILS_OIDC_AUDIENCE", "--oidc-audience", "audiences of those tokens, with spaces between (default of serve: its address)"},
	{"TRAILS_OIDC_GROUPS_CLAIM", "--oidc-groups-claim", "their claim with the caller's groups (default groups)"},
	{"TRAILS_OIDC_SCOPE_PREFIX", "--oidc-scope-prefix", "what stands before our scopes in their claims (default nothing)"},
	{"TRAILS_OIDC_CLOCK_SKEW", "--oidc-clock-skew", "by how much the provider's clock may differ (default 1m)"},
	{"TRAILS_OIDC_CLIENT_ID", "--oidc-client-id", "the ID of serve at the provider, with which people sign in there from the pages"},
	{"TRAILS_OIDC_CLIENT_SECRET", "", "its secret, if it has one"},
	{"TRAILS_OAUTH", "--oauth", "true lets people sign in at serve for clients that take no token"},
	{"TRAILS_OAUTH_ID_JAG", "--oauth-id-jag", "true takes assertions of the provider (ID-JAG) there, too"},
	{"TRAILS_PUBLIC_URL", "--public-url", "the address at which a proxy takes requests for serve"},
	{"TRAILS_ENV", "--env", "dev (default), or production, which hides dev tools and gives who starts mcp more than runtime only with --operator or the token"},
	{"TRAILS_WAL_LIMIT", "", "MiB from which the file's write-ahead log starts over before the next write (default 64); the same for all processes on a file"},
	{"TRAILS_LOG", "", `debug, info, warn or error, and text or json: "debug,json"`},
}

// ended describes the exit codes, in order.
var ended = []string{"done", "failed", "wrong usage", "not found", "conflict or lost precondition", "denied", "invalid data"}

// environmentHelp is the end of the help: variables and exit codes.
func environmentHelp() string {
	const width = 96
	var b strings.Builder
	b.WriteString("\nEnvironment (flags win):\n")
	for _, s := range settings {
		line := "  " + s.name + "  "
		for word := range strings.FieldsSeq(s.means) {
			if len(line)+len(word) > width {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = "      "
			}
			line += word + " "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("\nExit codes: ")
	for code, means := range ended {
		if code > 0 {
			b.WriteString(", ")
		}
		b.WriteByte(byte('0' + code))
		b.WriteString(" " + means)
	}
	b.WriteString(".\n")
	return b.String()
}
