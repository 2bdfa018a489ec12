package project

import "strings"

// Refusal is what a host refuses or cuts in a tool, with a public report of it.
type Refusal struct {
	Rule   string // of [Lint]
	Host   string // the program or the API behind it
	What   string
	Report string
}

// Refusals are the known refusals by hosts, each reported publicly. Some hosts have fixed theirs, but not in all
// versions in use.
var Refusals = []Refusal{
	{ruleName, "OpenAI", "refuses names of more than 64 characters", "https://github.com/mastra-ai/mastra/issues/6302"},
	{ruleName, "Gemini", "refuses names with other characters than letters, digits and _ . : -", "https://github.com/Finerestaurant/kicad-mcp-python/issues/2"},
	{ruleName, "Gemini", "refuses names that begin with a digit or a hyphen", "https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/79"},
	{ruleName, "Cursor", "drops a tool whose name has 60 characters with that of its server", "https://github.com/ComposioHQ/composio/issues/2788"},
	{ruleDescription, "OpenAI", "refuses descriptions of more than 1,024 characters", "https://github.com/janwilmake/openapi-mcp-server/issues/23"},
	{ruleDescription, "Claude Code", "cuts descriptions at 2,048 characters", "https://github.com/anthropics/claude-code/issues/41593"},
	{ruleRoot, "Claude Code", "drops all tools of a server with one whose schema is not that of an object", "https://github.com/anthropics/claude-code/issues/88049"},
	{ruleRoot, "OpenAI", "refuses arguments without properties", "https://github.com/openai/openai-agents-python/pull/454"},
	{ruleCombination, "Anthropic", "refuses oneOf, allOf and anyOf at the top level", "https://github.com/anthropics/claude-code/issues/40075"},
	{ruleCombination, "Gemini", "refuses anyOf with an array in it", "https://github.com/t8y2/dbx/issues/6233"},
	{ruleCombination, "Claude Code", "gets no tools where one has $ref", "https://github.com/anthropics/claude-code/issues/76881"},
	{ruleCombination, "Copilot CLI", "does not resolve $ref", "https://github.com/github/copilot-cli/issues/1876"},
	{ruleType, "Gemini CLI", "skips tools with a parameter without a type", "https://github.com/JetBrains/mcp-jetbrains/issues/71"},
	{ruleTypes, "Gemini", "refuses lists of types", "https://github.com/sbroenne/mcp-server-excel/pull/674"},
	{ruleTypes, "Cursor", "refuses every value where there is a list of types", "https://github.com/cursor/cursor/issues/3778"},
	{ruleTypes, "Copilot CLI", "fails with Gemini where items have a list of types", "https://github.com/github/copilot-cli/issues/4623"},
	{ruleTypes, "Kuadrant MCP Gateway", "drops tools with a list of types", "https://github.com/baruchiro/paperless-mcp/issues/138"},
	{ruleItems, "VS Code", "refuses arrays without items", "https://github.com/microsoft/vscode-copilot-release/issues/7462"},
	{ruleItems, "OpenAI", "refuses arrays without items", "https://github.com/mark3labs/mcphost/issues/35"},
	{ruleProperty, "Anthropic", "refuses names of properties other than 1 to 64 letters, digits and _ . -", "https://github.com/freee/freee-mcp/issues/15"},
	{ruleAdditional, "Gemini", "does not know additionalProperties in items", "https://github.com/nanbingxyz/5ire/issues/42"},
	{ruleEnum, "Gemini", "takes enum of strings alone", "https://github.com/router-for-me/CLIProxyAPI/pull/1076"},
	{ruleEnum, "Gemini", "refuses an empty string in enum", "https://github.com/sbroenne/mcp-server-excel/issues/607"},
	{ruleConst, "Zed with Gemini", "does not know const", "https://github.com/zed-industries/zed/issues/45552"},
	{ruleBound, "Anthropic", "refuses integers that do not fit into its own", "https://github.com/RevenueCat/ai-toolkit/issues/26"},
	{rulePattern, "VS Code", "refuses a tool with a pattern that JavaScript does not compile", "https://github.com/useshortcut/mcp-server-shortcut/issues/7"},
	{rulePattern, "LangChain", "fails at each call of a tool with a pattern that JavaScript's flag u refuses", "https://github.com/langchain-ai/langchainjs/issues/11351"},
	{rulePattern, "OpenAI", "refuses look-around in patterns", "https://github.com/cline/cline/issues/14013"},
	{ruleKeyword, "Gemini", "does not know contentEncoding", "https://github.com/anomalyco/opencode/issues/15408"},
	{ruleKeyword, "Gemini", "does not know exclusiveMinimum", "https://github.com/modelcontextprotocol/servers/issues/1624"},
	{ruleKeyword, "Claude", "refuses $schema of another draft than its own", "https://github.com/ankimcp/anki-mcp-server/issues/67"},
	{ruleFormat, "Gemini CLI", "took no format but enum and date-time", "https://github.com/google-gemini/gemini-cli/issues/2237"},
	{ruleDepth, "Gemini", "refuses schemas that nest too deep", "https://github.com/google-gemini/gemini-cli/issues/5923"},
	{ruleList, "Cursor", "passes on 40 tools, and leaves out the others", "https://github.com/bun913/mcp-testrail/issues/6"},
	{ruleList, "VS Code", "refuses more than 128 tools", "https://github.com/microsoft/vscode-copilot-release/issues/11653"},
	{ruleDepth, "Kimi", "refuses schemas of more than 10 levels", "https://github.com/anomalyco/opencode/issues/25495"},
}

// whoRefuse names the hosts that a rule is for.
func whoRefuse(rule string) string {
	var hosts []string
	for _, r := range Refusals {
		if r.Rule == rule && (len(hosts) == 0 || hosts[len(hosts)-1] != r.Host) {
			hosts = append(hosts, r.Host)
		}
	}
	return strings.Join(hosts, ", ")
}
