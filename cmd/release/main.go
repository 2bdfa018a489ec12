// Command release builds everything that is published for a version: for each platform an archive of binary,
// manual pages and completions; bundles for desktop clients of MCP; the MCP registry's entry; a bill of
// materials for each binary; and checksums. The same source gives the same bytes. make release runs it.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is an operating system and a processor, by Go's names.
type platform struct{ OS, Arch string }

func (p platform) String() string { return p.OS + "/" + p.Arch }

// platforms are the platforms of a release.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// program returns the binary's file name.
func (p platform) program() string {
	if p.OS == "windows" {
		return "trails.exe"
	}
	return "trails"
}

// release is one run.
type release struct {
	version string
	// repository is the URL for downloads; without it no registry entry is made.
	repository string
	source     string // the module's directory
	out        string
	// date is the date of the source, and of every file in an archive.
	date time.Time
	// flags are those of go build, but for the linker's.
	flags string
	// heaviest is the largest allowed size of a binary in bytes; 0 means no limit.
	heaviest int64
	// log gets a line for each binary.
	log io.Writer
	// build builds the binary of a platform at a path.
	build func(ctx context.Context, p platform, path string) error
}

func main() {
	r := release{log: os.Stderr}
	var only string
	flag.StringVar(&r.version, "version", "", "the `version`, such as v1.2.3")
	flag.StringVar(&r.repository, "repository", "", "the `URL` of the repository whose releases have the files")
	flag.StringVar(&r.source, "source", ".", "the `directory` of the module")
	flag.StringVar(&r.out, "out", "dist", "the `directory` to make; one that is there is refused")
	flag.StringVar(&only, "platforms", "", "a comma `list` such as linux/amd64, in the place of all")
	flag.StringVar(&r.flags, "build", "-trimpath", "the `flags` of go build, but for the linker's")
	flag.Int64Var(&r.heaviest, "heaviest", 0, "how many `bytes` a binary has at most, without one any number")
	flag.Parse()
	r.build = r.goBuild
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := r.start(ctx, only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// start reads the environment and the flags.
func (r *release) start(ctx context.Context, only string) error {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		out, err := exec.CommandContext(ctx, "git", "-C", r.source, "log", "-1", "--format=%ct").Output()
		if err != nil {
			return fmt.Errorf("the date of the source: %w; SOURCE_DATE_EPOCH says it, too", err)
		}
		epoch = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("the date of the source: %w", err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	wanted := platforms
	if only != "" {
		wanted = slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return !slices.Contains(strings.Split(only, ","), p.String()) })
		if len(wanted) != len(strings.Split(only, ",")) {
			return fmt.Errorf("platforms %q: there are %v", only, platforms)
		}
	}
	return r.run(ctx, wanted)
}

// run makes the release in a temporary directory beside the requested one, and renames it when complete.
func (r *release) run(ctx context.Context, wanted []platform) (err error) {
	if _, err := os.Stat(r.out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there; remove it first", r.out)
	}
	work := r.out + ".partial"
	if err := errors.Join(os.RemoveAll(work), os.MkdirAll(filepath.Join(work, "build"), 0o755)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	binary := func(p platform) string { return filepath.Join(work, "build", p.OS+"_"+p.Arch, p.program()) }
	for _, p := range append(slices.Clone(wanted), platform{runtime.GOOS, runtime.GOARCH}) { // the binary for this machine writes the manual
		if _, err := os.Stat(binary(p)); err == nil {
			continue
		}
		if err := r.build(ctx, p, binary(p)); err != nil {
			return fmt.Errorf("build %s: %w", p, err)
		}
		info, err := os.Stat(binary(p))
		if err != nil {
			return err
		}
		fmt.Fprintf(r.log, "%s: %d bytes\n", p, info.Size())
		if r.heaviest > 0 && info.Size() > r.heaviest {
			return fmt.Errorf("the binary of %s has %d bytes, more than %d: go tool nm -size -sort size says of an unstripped one what weighs", p, info.Size(), r.heaviest)
		}
	}
	papers, err := r.papers(ctx, binary(platform{runtime.GOOS, runtime.GOARCH}), filepath.Join(work, "build"))
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, p := range wanted {
		program, err := os.ReadFile(binary(p))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("trails_%s_%s_%s", r.number(), p.OS, p.Arch)
		members := append([]member{{name + "/" + p.program(), program, true}}, within(name, papers)...)
		if p.OS == "windows" {
			files[name+".zip"], err = zipped(members, r.date)
		} else {
			files[name+".tar.gz"], err = tarred(members, r.date)
		}
		if err != nil {
			return fmt.Errorf("pack %s: %w", p, err)
		}
		if files[name+".cdx.json"], err = bill(binary(p), r.number(), program, r.date); err != nil {
			return fmt.Errorf("bill of %s: %w", p, err)
		}
	}
	if err := r.bundles(files, wanted, binary); err != nil {
		return err
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(files[name]), name)
		if err := os.WriteFile(filepath.Join(work, name), files[name], 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(work, "SHA256SUMS"), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(work, "build")); err != nil {
		return err
	}
	return os.Rename(work, r.out)
}

// number returns the version as SemVer: the tag without v, or 0.0.0-dev with git's description.
func (r *release) number() string {
	n := strings.TrimPrefix(r.version, "v")
	if major, _, _ := strings.Cut(n, "."); major == n || strings.Trim(major, "0123456789") != "" {
		return "0.0.0-dev-" + cmp.Or(n, "unknown")
	}
	return n
}

// goBuild builds a binary for release: static, without local paths and symbols, with git's commit, and
// independent of Go flags in the environment.
func (r *release) goBuild(ctx context.Context, p platform, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	args := append([]string{"build", "-buildvcs=auto"}, strings.Fields(r.flags)...)
	args = append(args, "-ldflags", "-s -w -funcalign=16 -X main.version="+r.version, "-o", path, "./cmd/trails")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = r.source, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off", "GOFLAGS=")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// papers returns the files beside the binary in every archive: license, readme, and the manual pages and
// completions that this machine's binary writes.
func (r *release) papers(ctx context.Context, program, work string) ([]member, error) {
	var list []member
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		list = append(list, member{name, text, false})
	}
	manual := filepath.Join(work, "man1")
	if out, err := exec.CommandContext(ctx, program, "man", manual).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("write the manual: %w: %s", err, out)
	}
	pages, err := os.ReadDir(manual)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(manual, page.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, member{"man/man1/" + page.Name(), text, false})
	}
	for shell, name := range map[string]string{"bash": "trails.bash", "zsh": "_trails", "fish": "trails.fish"} {
		text, err := exec.CommandContext(ctx, program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("write the completion of %s: %w", shell, err)
		}
		list = append(list, member{"completions/" + name, text, false})
	}
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return list, nil
}
