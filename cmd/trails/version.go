package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"trails/kg"
	"trails/mcp"
)

// version is set by the linker: make build takes it from the tag.
var version = "devel"

// build describes this binary, and the formats and protocols that it supports.
type build struct {
	Version string `json:"version"`
	// Commit and Date are of the source; empty if it was built outside its repository. Modified means that files
	// differed from the commit.
	Commit   string   `json:"commit,omitempty"`
	Date     string   `json:"date,omitempty"`
	Modified bool     `json:"modified,omitempty"`
	Go       string   `json:"go"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	SQLite   string   `json:"sqlite"`
	Format   int      `json:"format"` // of the file
	MCP      []string `json:"mcp"`    // revisions, the newest first
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, SQLite: kg.SQLiteVersion, Format: kg.FileFormat, MCP: mcp.Revisions()}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which build this is, which files it reads, and which revisions of MCP it speaks",
		Example: `  trails version
  trails version -o json`,
		RunE: func(_ *cobra.Command, args []string) error { return p.printVersion(args) },
	}
}

// printVersion answers version and --version, which take no arguments.
func (p *program) printVersion(args []string) error {
	if len(args) > 0 {
		return usageError{"version takes no arguments"}
	}
	b := thisBuild()
	return p.print(b, func(w io.Writer) error {
		fmt.Fprintf(w, "trails %s (%s, %s/%s)\n", b.Version, b.Go, b.OS, b.Arch)
		if b.Commit != "" {
			modified := ""
			if b.Modified {
				modified = ", and changes"
			}
			fmt.Fprintf(w, "commit %s of %s%s\n", b.Commit, b.Date, modified)
		}
		_, err := fmt.Fprintf(w, "SQLite %s, file format %d, MCP %s\n", b.SQLite, b.Format, strings.Join(b.MCP, " "))
		return err
	})
}
