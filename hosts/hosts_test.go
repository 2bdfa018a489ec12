package hosts_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/hosts"
)

const self = "/usr/local/bin/trails"

func named(t testing.TB, name string) hosts.Host {
	t.Helper()
	h, err := hosts.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func server(file string) hosts.Server {
	return hosts.Server{Command: self, Args: []string{"mcp", file}}
}

// config writes a configuration to a directory of its own, and returns its path.
func config(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func textOf(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEdits holds what becomes of configurations. The commands are install and uninstall of /data/notes.trails; "host"
// names the host, "name" the entry, "file" another graph, "scopes" sets TRAILS_MCP_SCOPES, "force" replaces. Where the
// input has "crlf" it has the line breaks of Windows, and a byte order mark.
func TestEdits(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var host, name, file, scopes string
			for key, value := range map[string]*string{"host": &host, "name": &name, "scopes": &scopes, "file": &file} {
				if d.HasArg(key) {
					d.ScanArgs(t, key, value)
				}
			}
			file = cmp.Or(file, "/data/notes.trails")
			text := d.Input
			if text != "" {
				text += "\n"
			}
			if d.HasArg("crlf") {
				text = "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")
			}
			at := hosts.At(config(t, text))
			s := server(file)
			if scopes != "" {
				s.Env = map[string]string{"TRAILS_MCP_SCOPES": scopes}
			}
			o := hosts.Options{Name: name, Default: hosts.NameOf(strings.TrimSuffix(filepath.Base(file), ".trails")), Force: d.HasArg("force")}
			change := named(t, host).Install
			if d.Cmd == "uninstall" {
				change = named(t, host).Uninstall
			}
			did, err := change(at, s, o)
			now := textOf(t, at.Path)
			if err != nil {
				if now != text {
					t.Errorf("%s: it is refused, and the text was changed:\n%s", d.Pos, now)
				}
				return strings.ReplaceAll(fault.Whole(err), at.Path, "CONFIG") + "\n"
			}
			if (now == text) != (did.Did == hosts.Unchanged || did.Did == hosts.Absent) {
				t.Errorf("%s: it was %s, and changed is %t", d.Pos, did.Did, now != text)
			}
			if did.Backup != "" && textOf(t, did.Backup) != text {
				t.Errorf("%s: the backup is %q", d.Pos, textOf(t, did.Backup))
			}
			if again, err := change(at, s, o); err != nil || textOf(t, at.Path) != now || again.Backup != "" {
				t.Errorf("%s: the second time: %+v, %v", d.Pos, again, err)
			}
			if did.Did == hosts.Unchanged || did.Did == hosts.Absent {
				return did.Did + "\n"
			}
			if d.HasArg("crlf") {
				if rest := strings.ReplaceAll(now, "\r\n", ""); strings.Contains(rest, "\n") || !strings.HasPrefix(now, "\ufeff") {
					t.Errorf("%s: got other line breaks, or no mark: %q", d.Pos, now)
				}
				now = strings.TrimPrefix(strings.ReplaceAll(now, "\r\n", "\n"), "\ufeff")
			}
			return fmt.Sprintf("%s %s\n%s", did.Did, did.Name, now)
		})
	})
}

// TestPlaces holds where hosts keep their configurations.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		host string
		hosts.System
		want string
	}{
		{"claude-desktop", hosts.System{OS: "darwin"}, "/u/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", hosts.System{OS: "windows", Env: map[string]string{"APPDATA": "/u/AppData/Roaming"}}, "/u/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"claude-desktop", hosts.System{OS: "linux"}, "/u/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", hosts.System{OS: "linux", Env: map[string]string{"XDG_CONFIG_HOME": "/x"}}, "/x/Claude/claude_desktop_config.json"},
		{"claude-desktop", hosts.System{OS: "linux", Env: map[string]string{"XDG_CONFIG_HOME": "x"}}, "/u/.config/Claude/claude_desktop_config.json"},
		{"claude-code", hosts.System{OS: "darwin"}, "/u/.claude.json"},
		{"claude-code", hosts.System{OS: "linux", Env: map[string]string{"CLAUDE_CONFIG_DIR": "/c"}}, "/c/.claude.json"},
		{"cursor", hosts.System{OS: "windows"}, "/u/.cursor/mcp.json"},
		{"vscode", hosts.System{OS: "darwin"}, "/u/Library/Application Support/Code/User/mcp.json"},
		{"vscode", hosts.System{OS: "windows"}, "/u/AppData/Roaming/Code/User/mcp.json"},
		{"vscode", hosts.System{OS: "linux"}, "/u/.config/Code/User/mcp.json"},
		{"codex", hosts.System{OS: "linux"}, "/u/.codex/config.toml"},
		{"codex", hosts.System{OS: "linux", Env: map[string]string{"CODEX_HOME": "/c"}}, "/c/config.toml"},
	} {
		c.Home = "/u"
		at, err := named(t, c.host).User(c.System)
		if got := filepath.ToSlash(at.Path); err != nil || got != c.want {
			t.Errorf("%s on %s: got %s, %v; want %s", c.host, c.OS, got, err, c.want)
		}
	}
	if _, err := named(t, "cursor").User(hosts.System{OS: "linux"}); !fault.Is(err, fault.Unusable) {
		t.Errorf("a user without a directory: %v", err)
	}
	for host, want := range map[string]string{"claude-code": "p/.mcp.json", "cursor": "p/.cursor/mcp.json", "vscode": "p/.vscode/mcp.json", "codex": "p/.codex/config.toml"} {
		if at, err := named(t, host).Project("p"); err != nil || filepath.ToSlash(at.Path) != want {
			t.Errorf("a project of %s: %v, %v", host, at, err)
		}
	}
	if _, err := named(t, "claude-desktop").Project("p"); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("a project of Claude Desktop: %v", err)
	}
	if _, err := hosts.Named("vs-code"); err == nil || !strings.HasSuffix(err.Error(), `did you mean "vscode"?`) {
		t.Errorf("got %v", err)
	}
}

// A configuration is made where the host is installed, or the directory is there, and nowhere else.
func TestAConfigurationIsMadeWhereTheHostIs(t *testing.T) {
	home := t.TempDir()
	h := named(t, "vscode")
	at, err := h.User(hosts.System{OS: "linux", Home: home})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Install(at, server("/data/notes.trails"), hosts.Options{Name: "notes"}); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "VS Code seems not to be installed") {
		t.Fatalf("got %v", err)
	}
	if c, err := h.Install(at, server("/data/notes.trails"), hosts.Options{Name: "notes", Dry: true}); err != nil || c.Did != hosts.Added {
		t.Errorf("what would be written is not shown: %v, %v", c.Did, err)
	}
	if err := os.MkdirAll(filepath.Dir(at.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	project, err := h.Project(home)
	if err != nil {
		t.Fatal(err)
	}
	for place, mode := range map[hosts.Place]fs.FileMode{at: 0o600, project: 0o644} {
		did, err := h.Install(place, server("/data/notes.trails"), hosts.Options{Name: "notes"})
		if err != nil || did.Did != hosts.Added || did.Backup != "" {
			t.Errorf("got %+v, %v", did, err)
		}
		if info, err := os.Stat(place.Path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", place.Path, info, err)
		}
		if got := textOf(t, place.Path); got != did.Entry {
			t.Errorf("got %s, told %s", got, did.Entry)
		}
	}
	if _, err := h.Install(hosts.At(filepath.Join(home, "no", "mcp.json")), server("/data/notes.trails"), hosts.Options{Name: "notes"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

// A link stays one, what it leads to keeps its mode, and so does the backup, which may hold secrets.
func TestALinkIsFollowed(t *testing.T) {
	target := config(t, `{"mcpServers": {}, "token": "secret"}`)
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	did, err := named(t, "cursor").Install(hosts.At(link), server("/data/notes.trails"), hosts.Options{Name: "notes"})
	if err != nil || did.Config != target || did.Backup != target+".trails-backup" {
		t.Fatalf("got %+v, %v", did, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	for _, path := range []string{target, did.Backup} {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if strings.Contains(did.Entry, "secret") {
		t.Errorf("told %s", did.Entry)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(target), "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("there are %v, %v", left, err)
	}
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := named(t, "cursor").Install(hosts.At(link), server("/data/notes.trails"), hosts.Options{Name: "notes"}); !fault.Is(err, fault.Unusable) {
		t.Errorf("a link to nothing: %v", err)
	}
}

// With Dry everything is told, and nothing is written.
func TestADryRunWritesNothing(t *testing.T) {
	path := config(t, "{}")
	did, err := named(t, "vscode").Install(hosts.At(path), server("/data/notes.trails"), hosts.Options{Name: "notes", Dry: true})
	if err != nil || did.Did != hosts.Added || !strings.Contains(did.Entry, `"servers": {`) || did.Backup != "" {
		t.Errorf("got %+v, %v", did, err)
	}
	if left, _ := filepath.Glob(path + "*"); textOf(t, path) != "{}" || len(left) != 1 {
		t.Errorf("there are %v", left)
	}
}

// Processes that write one configuration at a time lose nothing of each other.
func TestInstallationsAtOnce(t *testing.T) {
	for _, host := range []string{"cursor", "codex"} {
		path := config(t, "")
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if _, err := named(t, host).Install(hosts.At(path), server(fmt.Sprintf("/data/%d.trails", i)), hosts.Options{Name: fmt.Sprintf("n%d", i)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		text := textOf(t, path)
		for i := range 8 {
			if !strings.Contains(text, fmt.Sprintf("/data/%d.trails", i)) {
				t.Errorf("%s: %d is not there:\n%s", host, i, text)
			}
		}
	}
}

// What a killed process left is named, and nothing is written beside it.
func TestAnotherProcessIsWaitedFor(t *testing.T) {
	path := config(t, "{}")
	if err := os.WriteFile(path+".trails-new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := named(t, "cursor").Install(hosts.At(path), server("/data/notes.trails"), hosts.Options{Name: "notes"})
		if !fault.Is(err, fault.Busy) || !strings.Contains(fault.Whole(err), "remove "+path+".trails-new") || textOf(t, path) != "{}" {
			t.Errorf("got %v", err)
		}
	})
}

// A directory that cannot be written is named, and a configuration that is none.
func TestWhatCannotBeWrittenIsNamed(t *testing.T) {
	dir := t.TempDir()
	if _, err := named(t, "cursor").Install(hosts.At(dir), server("/data/notes.trails"), hosts.Options{Name: "notes"}); !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("got %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := config(t, "{}")
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := named(t, "cursor").Install(hosts.At(path), server("/data/notes.trails"), hosts.Options{Name: "notes"}); !fault.Is(err, fault.Unusable) || !strings.Contains(fault.Whole(err), "permission denied") {
		t.Errorf("got %v", err)
	}
}

// TestWhatIsInstalledIsRemoved makes configurations at random: what installation and removal lead to is the text from
// before, byte for byte.
func TestWhatIsInstalledIsRemoved(t *testing.T) {
	dir := t.TempDir()
	for host, texts := range map[string]*rapid.Generator[string]{"vscode": jsonTexts(), "codex": tomlTexts()} {
		t.Run(host, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := texts.Draw(t, "text")
				at := hosts.At(filepath.Join(dir, host))
				if err := os.WriteFile(at.Path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				h, err := hosts.Named(host)
				if err != nil {
					t.Fatal(err)
				}
				s := server(rapid.SampledFrom([]string{"/data/notes.trails", `C:\Users\Ana "x"\ü.trails`, "/a b'c"}).Draw(t, "file"))
				did, err := h.Install(at, s, hosts.Options{Name: "notes"})
				if err != nil {
					t.Fatal(err)
				}
				made, err := os.ReadFile(at.Path)
				if err != nil || did.Did != hosts.Added {
					t.Fatal(err)
				}
				if did, err = h.Uninstall(at, s, hosts.Options{}); err != nil || did.Did != hosts.Removed {
					t.Fatalf("got %+v, %v of\n%s", did, err, made)
				}
				got, err := os.ReadFile(at.Path)
				if err != nil || !bytes.Equal(got, []byte(text)) {
					t.Fatalf("%v: got\n%q\nwas\n%q\nbetween\n%q", err, got, text, made)
				}
			})
		})
	}
}

// TestRemovingTheOnlyChangeBringsBackTheBytes has configurations of which an installation changes more than the lines of an
// entry: it makes the object of the servers, the end of a line, or the file.
func TestRemovingTheOnlyChangeBringsBackTheBytes(t *testing.T) {
	for _, host := range hosts.Names() {
		texts := []string{"", "\n\n", "{}", "{\n}\n", "{ }\n", "\ufeff{}\r\n", `{"a": {"b": 1.0e5}}`, "// one\n{ /* two */ }\n// three\n", "{\"a\": [],}\r\n"}
		if host == "codex" {
			texts = []string{"", "\n\n", `model = "x"`, "# one", "a = 1 # one\r\nb = 2", "\ufeffa = 1"}
		}
		h, s := named(t, host), server("/data/notes.trails")
		for _, text := range texts {
			at := hosts.At(config(t, text))
			if _, err := h.Install(at, s, hosts.Options{Name: "notes"}); err != nil {
				t.Fatalf("%s: %q: %v", host, text, err)
			}
			if _, err := h.Uninstall(at, s, hosts.Options{}); err != nil {
				t.Fatalf("%s: %q: %v", host, text, err)
			}
			if got, err := os.ReadFile(at.Path); err != nil || string(got) != text {
				t.Errorf("%s: %v: got %q, was %q", host, err, got, text)
			}
		}
		at := hosts.At(filepath.Join(t.TempDir(), "config"))
		if _, err := h.Install(at, s, hosts.Options{Name: "notes"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Uninstall(at, s, hosts.Options{}); err != nil {
			t.Fatal(err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(at.Path), "*")); err != nil || len(left) != 1 || !strings.HasSuffix(left[0], "backup") {
			t.Errorf("%s: a configuration that there was not leaves %q, %v", host, left, err)
		}
	}
}

// What changed meanwhile stays: only the entry goes.
func TestWhatChangedAfterAnInstallationStays(t *testing.T) {
	h, s := named(t, "cursor"), server("/data/notes.trails")
	at := hosts.At(config(t, "{}\n"))
	if _, err := h.Install(at, s, hosts.Options{Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(at.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at.Path, bytes.Replace(made, []byte("{"), []byte(`{"mine": 1,`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Uninstall(at, s, hosts.Options{}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(at.Path); err != nil || !strings.Contains(string(got), `"mine": 1`) || strings.Contains(string(got), "notes") {
		t.Errorf("%v: got %s", err, got)
	}
}

// What cannot be edited is refused and left as it is: a list where servers are to be, values in each other without end, and
// a file that nobody may write.
func TestWhatCannotBeEditedIsLeft(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, c := range []struct {
		host, text string
		mode       os.FileMode
		kind       fault.Kind
		says       string
	}{
		{"codex", "[[mcp_servers]]\ncommand = \"x\"\n", 0o600, fault.Conflict, "one value or a list"},
		{"codex", "mcp_servers = 1\n", 0o600, fault.Conflict, "one value or a list"},
		{"cursor", `{"a":` + deep + `}`, 0o600, fault.Malformed, "cannot be read, and was left"},
		{"codex", "a = " + deep, 0o600, fault.Malformed, "cannot be read, and was left"},
		{"vscode", "{}", 0o444, fault.Unusable, "is read-only (mode 0444), and was left"},
	} {
		at := hosts.At(config(t, c.text))
		if err := os.Chmod(at.Path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := named(t, c.host).Install(at, server("/data/notes.trails"), hosts.Options{Name: "notes"})
		if !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %.40s: %v", c.host, c.text, err)
		}
		if got, err := os.ReadFile(at.Path); err != nil || string(got) != c.text {
			t.Errorf("%s %.40s: %v, it is changed", c.host, c.text, err)
		}
	}
}

// jsonTexts generates configurations of VS Code with another server.
func jsonTexts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		blank := rapid.SampledFrom([]string{"", " ", newline, newline + "  ", newline + "\t", newline + newline + "    ", " // it's {\"a\": 1}," + newline, " /* \"notes\": { */ ", newline + "  // one" + newline + "  "})
		value := rapid.SampledFrom([]string{"1", "true", "null", `"a } \" b"`, "[1, {}]", "[]", `{"command": "x", "args": ["mcp", "y"]}`, "1.50", "12345678901234567890"})
		members := func(names ...string) string {
			var b strings.Builder
			for i, name := range names {
				if i > 0 {
					b.WriteString(",")
				}
				b.WriteString(blank.Draw(t, "before") + `"` + name + `":` + blank.Draw(t, "between") + value.Draw(t, "value"))
			}
			if rapid.Bool().Draw(t, "comma") {
				b.WriteString(",")
			}
			return b.String()
		}
		servers := "{" + members([]string{"other", "more"}[:rapid.IntRange(1, 2).Draw(t, "servers")]...) + rapid.SampledFrom([]string{"", newline + "  ", " // last" + newline + "  "}).Draw(t, "end") + "}"
		before := ""
		if rapid.Bool().Draw(t, "inputs") {
			before = `"inputs": [],`
		}
		return "{" + blank.Draw(t, "first") + before + blank.Draw(t, "second") + `"servers": ` + servers + blank.Draw(t, "last") + "}" + newline
	})
}

// tomlTexts generates configurations of Codex.
func tomlTexts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		part := rapid.SampledFrom([]string{
			"# [mcp_servers.notes]\n", "\n", "[mcp_servers.other]\ncommand = 'x' # [mcp_servers.notes]\n", "[mcp_servers.other.env]\nA = \"b\"\n",
			"[more]\nlist = [\n  # ]\n  1,\n]\n", "[text]\na = \"\"\"\n[mcp_servers.notes]\ncommand = 1\n\"\"\"\n", "[mcp_servers]\nthird = { command = \"y\", args = [] }\n", "[[history]]\nat = 1979-05-27\n",
		})
		text := "model = \"m\"\n" + strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), "")
		return strings.ReplaceAll(text, "\n", newline)
	})
}
