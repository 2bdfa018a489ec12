package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"trails/example"
	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
	"trails/kg"
	"trails/policy"
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
		Args:        cobra.ArbitraryArgs,
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
	ln, err := listenSomewhere(ctx, s.addr)
	if err != nil {
		return err
	}
	defer func() { _ = ln.Close() }() // the server has closed it, unless it never came so far
	file, remove, err := demoFile(keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := p.tellStory(ctx, file); err != nil {
		return err
	}
	return p.serveOn(ctx, ln, file, s)
}

// listenSomewhere takes the usual address, or a free one when another server has it.
func listenSomewhere(ctx context.Context, addr string) (net.Listener, error) {
	if addr != "" {
		return httpapi.Listen(ctx, addr)
	}
	ln, err := httpapi.Listen(ctx, defaultAddr)
	if fault.Is(err, fault.Unusable) {
		return httpapi.Listen(ctx, "127.0.0.1:0")
	}
	return ln, err
}

// demoFile is where the example goes, and what is to be done with it in the end.
func demoFile(keep string) (file string, remove func() error, err error) {
	if keep != "" {
		return keep, func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp("", "trails-demo-")
	if err != nil {
		return "", nil, fault.New(fault.Unusable, "%w", err)
	}
	return filepath.Join(dir, "demo.trails"), func() error { return os.RemoveAll(dir) }, nil
}

// tellStory makes the file, as the calls of the example made the graph: through the
// same path as everything else, so that there is a history to look at.
func (p *program) tellStory(ctx context.Context, file string) error {
	if err := kg.Create(ctx, file, kg.CreateOptions{Name: "demo", Schema: example.Schema, By: me()}); err != nil {
		return err
	}
	return p.withEngine(ctx, file, func(e *invoke.Engine) error {
		if err := p.loadExample(ctx, e); err != nil {
			return err
		}
		for step, err := range example.Story() {
			if err != nil {
				return err
			}
			if err := makeStep(ctx, e, step); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *program) loadExample(ctx context.Context, e *invoke.Engine) error {
	c, err := p.call("load", arguments{"format": "ndjson", "message": "The example, as it is built in"})
	if err != nil {
		return err
	}
	c.Inputs = []invoke.Input{{Name: "data.ndjson", Reader: bytes.NewReader(example.Data), Size: int64(len(example.Data))}}
	_, err = e.Call(ctx, c)
	return err
}

func makeStep(ctx context.Context, e *invoke.Engine, s example.Step) error {
	args := map[string]any{"message": s.Message}
	for name, value := range s.Arguments {
		args[name] = value
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	_, err = e.Call(ctx, invoke.Call{Capability: s.Capability, Args: text, Principal: policy.Local(s.Who, s.With), Via: "cli"})
	if err != nil {
		return fmt.Errorf("%s of the example: %w", s.Capability, err)
	}
	return nil
}
