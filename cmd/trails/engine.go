package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"trails/builtin"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/policy"
)

// withGraph opens the graph for one piece of work and closes it.
func (p *program) withGraph(ctx context.Context, file string, work func(*kg.Graph) error) (err error) {
	options, err := p.graphOptions()
	if err != nil {
		return err
	}
	g, err := kg.Open(ctx, file, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return work(g)
}

// withEngine opens the graph and the call path over it. Closing writes down the
// provenance that is still waiting, even when the work was interrupted. Work that is
// done stays done when that cannot be, as on a full disk: a line on stderr says what
// was lost.
func (p *program) withEngine(ctx context.Context, file string, work func(*invoke.Engine) error) error {
	return p.withConfigured(ctx, file, p.engineConfig(), work)
}

func (p *program) withConfigured(ctx context.Context, file string, c invoke.Config, work func(*invoke.Engine) error) error {
	return p.withGraph(ctx, file, func(g *kg.Graph) (err error) {
		e := invoke.New(g, c)
		defer func() {
			closed := e.Close(context.WithoutCancel(ctx))
			if err == nil && fault.Is(closed, fault.Unusable) {
				fmt.Fprintf(p.stderr, "trails: %s\n", line(closed.Error()))
				return
			}
			err = errors.Join(err, closed)
		}()
		return work(e)
	})
}

func (p *program) engineConfig() invoke.Config {
	return invoke.Config{Providers: builtin.Providers(), Version: version, Env: p.env["TRAILS_ENV"], Log: p.log, QueryWait: p.queryWait}
}

// queryWaitFlag sets how long the queries of a process that serves wait.
func (p *program) queryWaitFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&p.queryWait, "query-wait", 15*time.Second, "how long a query or an export waits while others run, before it is told to come again")
	noFiles(cmd, "query-wait")
}

// call is the start of every call that this program makes: by the person who runs it.
func (p *program) call(capability string, args any) (invoke.Call, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return invoke.Call{}, err
	}
	return invoke.Call{Capability: capability, Args: text, Principal: me(), Via: "cli"}, nil
}

// me is the person at this machine, by the name that the system knows.
func me() policy.Principal {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return policy.Local(name, "")
}

// arguments are what a call is given; members that are nil or empty are left out.
type arguments map[string]any

func (a arguments) text(name, value string) {
	if value != "" {
		a[name] = value
	}
}

func (a arguments) flag(name string, value bool) {
	if value {
		a[name] = true
	}
}
