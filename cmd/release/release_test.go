package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/capability/project"
	"trails/e2e/testrun"
)

// TestMain lets the binary of the test be the one that is released: it has a page of the
// manual and a completion.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "man":
		err := errors.Join(os.MkdirAll(os.Args[2], 0o755), os.WriteFile(filepath.Join(os.Args[2], "trails.1"), []byte(".TH TRAILS 1\n"), 0o644))
		if err != nil {
			panic(err)
		}
	case len(os.Args) == 3 && os.Args[1] == "completion":
		fmt.Println("# of " + os.Args[2])
	default:
		os.Exit(m.Run())
	}
}

// kept are releases that several tests look at, by repository.
var kept = map[string]map[string][]byte{}

// once is a release that is made once.
func once(t *testing.T, repository string) map[string][]byte {
	t.Helper()
	if kept[repository] == nil {
		kept[repository] = made(t, repository)
	}
	return kept[repository]
}

// made is what a release makes of the binary of this test, by name.
func made(t *testing.T, repository string) map[string][]byte {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &release{log: io.Discard, version: "v1.2.3", repository: repository, source: "../..", out: filepath.Join(t.TempDir(), "dist"), date: time.Unix(1_700_000_000, 0).UTC()}
	r.build = func(_ context.Context, _ platform, path string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Link(self, path))
	}
	if err := r.run(t.Context(), []platform{{"linux", "amd64"}, {"windows", "amd64"}, {"darwin", "arm64"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.run(t.Context(), nil); err == nil {
		t.Error("a release over another one is not refused")
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(r.out, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// unzipped are the members of a .zip by name.
func unzipped(t *testing.T, text []byte) map[string]*zip.File {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]*zip.File{}
	for _, f := range z.File {
		members[f.Name] = f
	}
	return members
}

func TestARelease(t *testing.T) {
	testrun.Alone(t)
	files := once(t, "https://github.com/example/trails")
	for name, again := range made(t, "https://github.com/example/trails") {
		if !bytes.Equal(files[name], again) {
			t.Errorf("%s is another one the second time", name)
		}
	}
	var sums []string
	for line := range strings.Lines(string(files["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if sum != fmt.Sprintf("%x", sha256.Sum256(files[name])) {
			t.Errorf("the checksum of %s is wrong", name)
		}
		sums = append(sums, name)
	}
	want := []string{
		"server.json", "trails_1.2.3_amd64.mcpb", "trails_1.2.3_arm64.mcpb",
		"trails_1.2.3_darwin_arm64.cdx.json", "trails_1.2.3_darwin_arm64.tar.gz",
		"trails_1.2.3_linux_amd64.cdx.json", "trails_1.2.3_linux_amd64.tar.gz",
		"trails_1.2.3_windows_amd64.cdx.json", "trails_1.2.3_windows_amd64.zip",
	}
	if d := cmp.Diff(want, sums); d != "" || len(files) != len(want)+1 {
		t.Error(d)
	}

	z, err := gzip.NewReader(bytes.NewReader(files["trails_1.2.3_linux_amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var members []string
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if runs := h.Mode&0o111 != 0; runs != strings.HasSuffix(h.Name, "/trails") || h.ModTime.Unix() != 1_700_000_000 || h.Uid != 0 {
			t.Errorf("%+v", h)
		}
		members = append(members, strings.TrimPrefix(h.Name, "trails_1.2.3_linux_amd64/"))
	}
	if d := cmp.Diff([]string{"trails", "CHANGELOG.md", "LICENSE", "README.md", "completions/_trails", "completions/trails.bash", "completions/trails.fish", "man/man1/trails.1"}, members); d != "" {
		t.Error(d)
	}
	if unzipped(t, files["trails_1.2.3_windows_amd64.zip"])["trails_1.2.3_windows_amd64/trails.exe"] == nil {
		t.Error("the archive for Windows has no trails.exe")
	}
}

// keeps says what of the rules in testdata a document breaks.
func keeps(t *testing.T, rules string, document []byte) error {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", rules))
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text []byte) any {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		return value
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(rules, parse(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(parse(document))
}

// A bundle's manifest keeps the rules of MCPB 0.3, and leads to binaries that are there.
func TestABundle(t *testing.T) {
	testrun.Alone(t)
	files := once(t, "")
	if files["server.json"] != nil {
		t.Error("a registry entry without a repository")
	}
	manifestOf := func(files map[string][]byte) ([]byte, map[string]*zip.File) {
		t.Helper()
		members := unzipped(t, files["trails_1.2.3_amd64.mcpb"])
		in, err := members["manifest.json"].Open()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		return text, members
	}
	text, members := manifestOf(files)
	published, _ := manifestOf(once(t, "https://github.com/example/trails"))
	for _, text := range [][]byte{text, published} {
		if err := keeps(t, "mcpb-0.3.json", text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	for _, wrong := range [][2]string{{`"license"`, `"licence"`}, {`"binary"`, `"go"`}, {`"win32"`, `"windows"`}, {"user_config.file", "user_config.other"}, {`"0.3"`, `"0.2"`}} {
		if keeps(t, "mcpb-0.3.json", bytes.ReplaceAll(text, []byte(wrong[0]), []byte(wrong[1]))) == nil {
			t.Errorf("the rules take %s in the place of %s", wrong[1], wrong[0])
		}
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Version != "1.2.3" {
		t.Errorf("version %s", m.Version)
	}
	if d := cmp.Diff([]string{"linux", "win32"}, m.Compatibility.Platforms); d != "" {
		t.Error(d)
	}
	if !slices.Equal(m.Server.Config.Args, []string{"mcp", "${user_config.file}"}) || !m.UserConfig["file"].Required {
		t.Errorf("the file is not asked for: %+v", m)
	}
	f := members[m.Icon]
	if f == nil {
		t.Fatalf("the icon %s is not in the bundle", m.Icon)
	}
	opened, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if drawn, err := png.DecodeConfig(opened); err != nil || drawn.Width != 512 || drawn.Height != 512 {
		t.Errorf("the icon: %v %v", drawn, err)
	}
	for _, path := range []string{m.Server.EntryPoint, m.Server.Config.Command, m.Server.Config.Overrides["linux"].Command, m.Server.Config.Overrides["win32"].Command} {
		f := members[strings.TrimPrefix(path, "${__dirname}/")]
		if f == nil || f.Mode()&0o111 == 0 {
			t.Errorf("%s is no program in the bundle", path)
		}
	}
}

// The entry of the registry keeps the rules of its schema, and names bundles that are there.
func TestTheEntryOfTheRegistry(t *testing.T) {
	testrun.Alone(t)
	files := once(t, "https://github.com/example/trails")
	text := files["server.json"]
	if err := keeps(t, "server-2025-12-11.json", text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	for _, wrong := range [][2]string{{`"stdio"`, `"pipe"`}, {"io.github.example/", "io.github.example."}, {"fileSha256", "sha256"}, {"/2025-12-11/", "/2025-07-09/"}, {"https://raw.", "http://raw."}, {"512x512", "512"}, {project.ServerDescription, strings.Repeat("long ", 21)}} {
		if keeps(t, "server-2025-12-11.json", bytes.ReplaceAll(text, []byte(wrong[0]), []byte(wrong[1]))) == nil {
			t.Errorf("the rules take %s in the place of %s", wrong[1], wrong[0])
		}
	}
	var entry struct {
		Version  string
		Packages []struct{ Identifier, FileSha256 string }
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Version != "1.2.3" || len(entry.Packages) != 2 {
		t.Errorf("%+v", entry)
	}
	for _, p := range entry.Packages {
		name := p.Identifier[strings.LastIndexByte(p.Identifier, '/')+1:]
		if p.Identifier != "https://github.com/example/trails/releases/download/v1.2.3/"+name || p.FileSha256 != fmt.Sprintf("%x", sha256.Sum256(files[name])) {
			t.Errorf("%+v", p)
		}
	}
	r := &release{version: "v1", repository: "https://example.org/trails", out: filepath.Join(t.TempDir(), "x")}
	if err := r.bundles(map[string][]byte{}, nil, nil); err == nil {
		t.Error("a repository that the registry does not know is not refused")
	}
}

func TestABillOfMaterials(t *testing.T) {
	testrun.Alone(t)
	var b bom
	if err := json.Unmarshal(once(t, "")["trails_1.2.3_linux_amd64.cdx.json"], &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.SpecVersion != "1.6" || !regexp.MustCompile(`^urn:uuid:[0-9a-f-]{36}$`).MatchString(b.SerialNumber) || b.Metadata.Component.PURL != "pkg:golang/trails@1.2.3" {
		t.Errorf("%+v", b.Metadata)
	}
	seen := map[string]bool{}
	for _, c := range b.Components {
		if seen[c.Ref] || c.Name == "" || c.Version == "" {
			t.Errorf("%+v", c)
		}
		seen[c.Ref] = true
	}
	if !seen["pkg:golang/github.com/google/uuid@v1.6.0"] || len(b.Dependencies) != 1 || len(b.Dependencies[0].DependsOn) != len(b.Components) {
		t.Errorf("%v", seen)
	}
}

func TestAVersionIsSemVer(t *testing.T) {
	testrun.Alone(t)
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "1.2.3-4-gabc-dirty": "1.2.3-4-gabc-dirty", "0123456": "0.0.0-dev-0123456", "": "0.0.0-dev-unknown"} {
		if got := (&release{version: version}).number(); got != want {
			t.Errorf("%q is %s, want %s", version, got, want)
		}
	}
}

// A binary that weighs too much is no release, and the first that does ends it.
func TestABinaryThatWeighsTooMuchIsRefused(t *testing.T) {
	testrun.Alone(t)
	var told strings.Builder
	r := &release{log: &told, heaviest: 3, out: filepath.Join(t.TempDir(), "dist")}
	r.build = func(_ context.Context, p platform, path string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, make([]byte, len(p.OS)-2), 0o600))
	}
	err := r.run(t.Context(), []platform{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "arm64"}})
	if err == nil || !strings.Contains(err.Error(), "the binary of darwin/arm64 has 4 bytes, more than 3") {
		t.Errorf("it says %v", err)
	}
	if got := told.String(); got != "linux/amd64: 3 bytes\ndarwin/arm64: 4 bytes\n" {
		t.Errorf("it told %q", got)
	}
	if _, err := os.Stat(r.out); err == nil {
		t.Error("there is a release")
	}
}
