package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/example"
	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
	"trails/kg"
)

func (p *program) demoCommand() *cobra.Command {
	var s serving
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Serve a small example in a temporary file, to look at",
		Long: `Make a file with the built-in example, a graph of this program's own parts, and serve it
until it is interrupted. The file is temporary and deleted at the end, unless --keep
says where it should stay.`,
		Example: `  trails demo --open
  trails demo --keep demo.trails`,
		Annotations: map[string]string{serves: "http"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Sprintf("demo takes no arguments, and got %q; to serve a file of yours: trails serve %s", args[0], args[0])}
			}
			return p.demo(cmd.Context(), keep, s)
		},
	}
	servingFlags(cmd, &s, "", "loopback `address` to listen on (default: "+defaultAddr+", or a free port when that is taken)")
	cmd.Flags().StringVar(&keep, "keep", "", "new `FILE` that stays when the demo ends")
	return cmd
}

func (p *program) demo(ctx context.Context, keep string, s serving) (err error) {
	if err := p.overrideEnv(s.env); err != nil {
		return err
	}
	ln, err := httpapi.Listen(ctx, cmp.Or(s.addr, defaultAddr), false)
	if s.addr == "" && fault.Is(err, fault.Unusable) { // another server uses the default address
		ln, err = httpapi.Listen(ctx, "127.0.0.1:0", false)
	}
	if err != nil {
		return err
	}
	defer func() { _ = ln.Close() }() // the server has closed it, unless it never came so far
	file := keep
	if keep == "" {
		var dir string
		if dir, err = os.MkdirTemp("", "trails-demo-"); err != nil {
			return fault.New(fault.Unusable, "%v", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		file = filepath.Join(dir, "demo.trails")
	}
	if err := p.tellStory(ctx, file); err != nil {
		return err
	}
	return p.serveOn(ctx, ln, nil, file, s)
}

// tellStory creates the example file by calls, so that it has a history.
func (p *program) tellStory(ctx context.Context, file string) error {
	if err := kg.Create(ctx, file, kg.CreateOptions{Name: "demo", Schema: example.Schema, By: me()}); err != nil {
		return err
	}
	return p.withEngine(ctx, file, nil, func(e *invoke.Engine) error {
		c := p.call("load", arguments{"format": "ndjson", "message": "The example, as it is built in"})
		c.Inputs = []invoke.Input{{Name: "data.ndjson", Reader: bytes.NewReader(example.Data), Size: int64(len(example.Data))}}
		if _, err := e.Call(ctx, c); err != nil {
			return err
		}
		for step, err := range example.Story() {
			if err != nil {
				return err
			}
			args := arguments{"message": step.Message}
			maps.Copy(args, step.Arguments)
			c := p.call(step.Capability, args)
			c.Principal = policy.Local(step.Who, step.With)
			if _, err := e.Call(ctx, c); err != nil {
				return fmt.Errorf("%s of the example: %w", step.Capability, err)
			}
		}
		return nil
	})
}
