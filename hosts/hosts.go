// Package hosts writes a graph's entry into the configurations of MCP hosts: the programs that start `trails mcp` for
// an agent, such as Claude Desktop or VS Code. Nothing else in a configuration is touched, and no secret is written.
//
// Read [Host] first, then [Host.Install] and [Host.Uninstall].
package hosts

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"trails/fault"
)

// Host is a program that starts MCP servers which its configuration names.
type Host struct {
	Name  string // as --agent has it
	Title string
	// Restart says how the host comes to read its configuration again, as a sentence without its end.
	Restart string

	key     string                            // of the servers in the configuration
	typed   bool                              // an entry says that it is of the type stdio
	format  func([]byte) (document, error)    // of the configuration
	user    func(System) (config, dir string) // dir is what the host has made where it is installed
	project string                            // of a configuration in a project, "" if there is none
}

// all are the hosts. Their documentation has the places:
// https://modelcontextprotocol.io/docs/develop/connect-local-servers, https://code.claude.com/docs/en/mcp,
// https://cursor.com/docs/mcp, https://code.visualstudio.com/docs/agents/reference/mcp-configuration and
// https://developers.openai.com/codex/mcp.
var all = []Host{
	{
		Name: "claude-desktop", Title: "Claude Desktop", Restart: "quit Claude Desktop and start it again",
		key: "mcpServers", format: jsonServers("mcpServers"),
		user: func(s System) (config, dir string) {
			dir = filepath.Join(s.applications(), "Claude")
			return filepath.Join(dir, "claude_desktop_config.json"), dir
		},
	},
	{
		Name: "claude-code", Title: "Claude Code", Restart: "start a new session of claude, where /mcp lists its servers",
		key: "mcpServers", typed: true, format: jsonServers("mcpServers"), project: ".mcp.json",
		user: func(s System) (config, dir string) {
			if dir := s.Env["CLAUDE_CONFIG_DIR"]; dir != "" {
				return filepath.Join(dir, ".claude.json"), dir
			}
			return filepath.Join(s.Home, ".claude.json"), filepath.Join(s.Home, ".claude")
		},
	},
	{
		Name: "cursor", Title: "Cursor", Restart: "restart Cursor, whose settings list its servers under MCP",
		key: "mcpServers", format: jsonServers("mcpServers"), project: ".cursor/mcp.json",
		user: func(s System) (config, dir string) {
			dir = filepath.Join(s.Home, ".cursor")
			return filepath.Join(dir, "mcp.json"), dir
		},
	},
	{
		Name: "vscode", Title: "VS Code", Restart: `restart VS Code, whose command "MCP: List Servers" lists and starts them`,
		key: "servers", typed: true, format: jsonServers("servers"), project: ".vscode/mcp.json",
		user: func(s System) (config, dir string) {
			dir = filepath.Join(s.applications(), "Code", "User")
			return filepath.Join(dir, "mcp.json"), dir
		},
	},
	{
		Name: "codex", Title: "Codex", Restart: "start a new session of codex, where /mcp lists its servers",
		key: "mcp_servers", format: tomlServers("mcp_servers"), project: ".codex/config.toml",
		user: func(s System) (config, dir string) {
			if dir = s.Env["CODEX_HOME"]; dir == "" {
				dir = filepath.Join(s.Home, ".codex")
			}
			return filepath.Join(dir, "config.toml"), dir
		},
	},
}

// Names returns the names of all hosts.
func Names() (names []string) {
	for _, h := range all {
		names = append(names, h.Name)
	}
	return names
}

// Named returns the host of a name, or a fault of the kind InvalidArguments.
func Named(name string) (Host, error) {
	for _, h := range all {
		if h.Name == name {
			return h, nil
		}
	}
	return Host{}, fault.New(fault.InvalidArguments, "there is no agent %q; there are %s%s", name, strings.Join(Names(), ", "), fault.DidYouMean(name, Names()))
}

// System is what tells where a host keeps the configuration of a user.
type System struct {
	OS   string // as runtime.GOOS
	Home string // the user's directory
	Env  map[string]string
}

// applications is the directory in which desktop applications keep their files.
func (s System) applications() string {
	switch s.OS {
	case "darwin":
		return filepath.Join(s.Home, "Library", "Application Support")
	case "windows":
		if dir := s.Env["APPDATA"]; dir != "" {
			return dir
		}
		return filepath.Join(s.Home, "AppData", "Roaming")
	}
	if dir := s.Env["XDG_CONFIG_HOME"]; filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(s.Home, ".config")
}

// Place is where a host's configuration is.
type Place struct {
	Path string
	// Shared means that the configuration belongs to a project, and others may read it.
	Shared bool

	dir   string // must exist for a configuration to be made
	usual bool   // that is so if the host is installed
}

// At returns the place of a configuration elsewhere than where the host looks for it by itself.
func At(path string) Place { return Place{Path: path, dir: filepath.Dir(path)} }

// User returns the place of the user's configuration. A System without Home has none.
func (h Host) User(s System) (Place, error) {
	if s.Home == "" {
		return Place{}, fault.New(fault.Unusable, "%s keeps its configuration in the user's directory, which the environment does not name; say where it is with --config", h.Title)
	}
	path, dir := h.user(s)
	return Place{Path: path, dir: dir, usual: true}, nil
}

// Project returns the place of the configuration in a project, or a fault for hosts without one.
func (h Host) Project(dir string) (Place, error) {
	if h.project == "" {
		return Place{}, fault.New(fault.InvalidArguments, "%s has no configuration for a project; leave --project out", h.Title)
	}
	return Place{Path: filepath.Join(dir, filepath.FromSlash(h.project)), Shared: true, dir: dir}, nil
}

// Server is how a host starts a server.
type Server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// entry is a server in a configuration.
type entry struct {
	name string
	Server
	more []string // keys that this package does not write
}

// document is a parsed configuration.
type document interface {
	entries() ([]entry, error)
	// set returns the text with an entry of this name, in the place of one that is there.
	set(name string, s Server, typed bool) ([]byte, error)
	// remove returns the text without an entry that is there.
	remove(name string) ([]byte, error)
	// others are the values outside of an entry, in a form that can be compared.
	others(name string) (any, error)
}

// target is the graph that an entry serves: the subcommand and its first argument. ok is false for the servers of other
// programs. self is the path of this binary, which may have been renamed.
func (s Server) target(self string) (command, address string, ok bool) {
	program := programOf(s.Command)
	if program != "trails" && program != programOf(self) || len(s.Args) < 2 || s.Args[0] != "mcp" && s.Args[0] != "proxy" {
		return "", "", false
	}
	return s.Args[0], s.Args[1], true
}

// programOf is the name of a program, of any system's path.
func programOf(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// serves reports whether two servers are of trails, and serve the same graph.
func (s Server) serves(other Server) bool {
	command, address, ours := s.target(other.Command)
	if !ours || command != other.Args[0] {
		return false
	}
	return address == other.Args[1] || command == "mcp" && sameFile(address, other.Args[1])
}

// says reports whether an entry has all of a server already. Further arguments at the end are the user's own.
func (e entry) says(s Server) bool {
	return e.Command == s.Command && len(e.Args) >= len(s.Args) && slices.Equal(e.Args[:len(s.Args)], s.Args) && maps.Equal(ownEnv(e.Env), s.Env)
}

// owned are the variables that an installation decides about.
var owned = []string{"TRAILS_MCP_SCOPES"}

// ownEnv returns the owned variables of an environment.
func ownEnv(env map[string]string) map[string]string {
	own := map[string]string{}
	for _, name := range owned {
		if value, is := env[name]; is {
			own[name] = value
		}
	}
	return own
}

// written returns what an installation wrote of an entry. The user's own variables may be secrets.
func (e entry) written() Server { return Server{e.Command, e.Args, ownEnv(e.Env)} }

// added lists what a user or a host added to an entry of trails, which writing it anew would lose.
func (e entry) added(s Server) []string {
	more := slices.Clone(e.more)
	if len(e.Args) > len(s.Args) {
		more = append(more, "args "+strings.Join(e.Args[len(s.Args):], " "))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if !slices.Contains(owned, name) {
			more = append(more, "env "+name)
		}
	}
	return more
}
