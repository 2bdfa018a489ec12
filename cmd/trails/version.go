package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

// version is set by the linker: make build takes it from the tag.
var version = "devel"

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which build this is",
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
	build := struct {
		Version string `json:"version"`
		Go      string `json:"go"`
		OS      string `json:"os"`
		Arch    string `json:"arch"`
	}{version, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	return p.print(build, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "trails %s (%s, %s/%s)\n", build.Version, build.Go, build.OS, build.Arch)
		return err
	})
}
