package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/builtin/surface"
	"trails/fault"
	"trails/gateway/tools"
	"trails/invoke"
	"trails/invoke/telemetry"
	"trails/kg"
	"trails/kg/remote"
)

// remoteHelp is the end of the help of commands that may reach other hosts.
const remoteHelp = `
SERVICE and LOAD reach the hosts of --allow-remote and no others: HOST or HOST:PORT by https,
on this machine by http, too; http://HOST[:PORT] otherwise. Without a port it is the scheme's own.
`

// remoteFlag lets a command reach other hosts.
func (p *program) remoteFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&p.allowRemote, "allow-remote", nil, "`HOST[:PORT]` that SERVICE and LOAD may reach; may be repeated")
	completeWords(cmd, "allow-remote") // with nothing, not even a file
}

// queryWaitFlag sets how long queries of a serving process wait.
func (p *program) queryWaitFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&p.queryWait, "query-wait", 15*time.Second, "`DURATION` that a query or an export waits while others run, before it is told to come again")
	completeWords(cmd, "query-wait")
}

// withGraph opens the graph for one piece of work and closes it.
func (p *program) withGraph(ctx context.Context, file string, work func(*kg.Graph) error) (err error) {
	client, err := remote.New(p.allowRemote, remote.Limits{})
	if err != nil {
		return usageError{"--allow-remote: " + fault.Whole(err)}
	}
	longLog, err := p.walLimit()
	if err != nil {
		return err
	}
	migrates := func(from, to int) {
		fmt.Fprintf(p.stderr, "trails: %s is migrated from format %d to %d, which earlier versions of trails do not read\n", line(file), from, to)
	}
	g, err := kg.Open(ctx, file, kg.Options{Migrates: migrates, Remote: client, Log: p.log, LongLog: longLog, ArtifactTTL: p.artifactTTL, ArtifactQuota: p.artifactQuota, Pool: p.memory, Inspect: p.inspect})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if foreign := g.Foreign(); foreign != nil {
		fmt.Fprintf(p.stderr, "trails: warning: %s\n", line(fault.Whole(foreign)))
	}
	return work(g)
}

// withEngine opens the graph and an engine. Closing writes waiting provenance, even after an interrupt. If that
// fails, as on a full disk, completed work stays, and a line on stderr says what was lost.
func (p *program) withEngine(ctx context.Context, file string, observe func(invoke.Observation), work func(*invoke.Engine) error) error {
	return p.withGraph(ctx, file, func(g *kg.Graph) (err error) {
		var engine atomic.Pointer[invoke.Engine] // nil until there is one
		pool := p.pool(func(string) {
			if e := engine.Load(); e != nil {
				go func() { _ = e.Refresh(ctx) }() // versions that cannot be stored now are stored with the next commit
			}
		})
		defer pool.Close()
		embedder := p.embedder()
		defer embedder.Close()
		p.vectors = embedder
		p.gateway = tools.New(pool, embedder, p.surface == surface.Proxy)
		choose := p.surface.Choose
		if p.surface == surface.Proxy {
			choose = func(all []invoke.Capability) []invoke.Capability { return p.gateway.Listed(p.surface.Choose(all), all) }
		}
		e := invoke.New(g, invoke.Config{
			Providers: append(builtin.Options{StoredTools: p.storedTools, Upstreams: pool, Embedder: embedder, Gateway: p.gateway}.Providers(), p.more...), Version: version, Path: p.path, Env: p.env["TRAILS_ENV"], Log: p.log, Secrets: p.secrets(), QueryWait: p.queryWait, Turns: p.turns, MassChange: p.massChange, Observe: observe, Surface: choose,
		})
		engine.Store(e)
		defer func() {
			closed := e.Close(context.WithoutCancel(ctx))
			if err == nil && fault.Is(closed, fault.Unusable) {
				fmt.Fprintf(p.stderr, "trails: %s\n", line(fault.Whole(closed)))
				return
			}
			err = errors.Join(err, closed)
		}()
		return work(e)
	})
}

// withTracedEngine is withEngine for a serving process: its calls are traced if the environment names a collector,
// and passed to observe, which may be nil.
func (p *program) withTracedEngine(ctx context.Context, file string, observe func(invoke.Observation), work func(*invoke.Engine) error) (err error) {
	traces, err := telemetry.StartTraces(ctx, version, p.log)
	if err != nil {
		return usageError{err.Error()}
	}
	defer func() { err = errors.Join(err, traces.Close(context.WithoutCancel(ctx))) }()
	both := func(o invoke.Observation) {
		traces.Observe(o)
		if observe != nil {
			observe(o)
		}
	}
	return p.withEngine(ctx, file, both, func(e *invoke.Engine) error {
		defer p.makeVectors(ctx, e.Graph())()
		if p.env["GOMAXPROCS"] == "" {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + e.QueriesAtOnce()))
		}
		return work(e)
	})
}

// arguments are what a call is given.
type arguments map[string]any

// call makes a call by the person who runs the program. Optional arguments that are empty or false are left out.
func (p *program) call(capability string, given arguments, optional ...arguments) invoke.Call {
	for _, more := range optional {
		for name, value := range more {
			if value != "" && value != false {
				given[name] = value
			}
		}
	}
	text, err := json.Marshal(given)
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", capability, err))
	}
	return invoke.Call{Capability: capability, Args: text, Principal: me(), Via: p.door(), Whole: true}
}

// tellLeftOut reports on stderr which statements of a document cannot be expressed in RDF, and which names are
// unknown.
func (p *program) tellLeftOut(done kg.Loaded) {
	for _, name := range done.Doubts {
		fmt.Fprintf(p.stderr, "trails: warning: %s\n", line(name))
	}
	if text := done.LeftOut.String(); text != "" {
		fmt.Fprintf(p.stderr, "trails: warning: %s\n", line(text))
	}
}

// makeCall makes one call on FILE, shows its progress on a terminal, and its warnings on stderr.
func (p *program) makeCall(ctx context.Context, file string, c invoke.Call) (res invoke.Result, err error) {
	progress := p.newMeter()
	defer progress.close()
	c.Progress, c.AskMass = progress.hook(), p.askMass(progress.close)
	err = p.withEngine(ctx, file, nil, func(e *invoke.Engine) error {
		res, err = e.Call(auth.WithVariables(ctx, p.env), c)
		return err
	})
	p.warn(res)
	return res, err
}

// warn writes the warnings of a call to stderr, and not again to stdout; JSON output is the complete structured
// result.
func (p *program) warn(res invoke.Result) {
	for _, warning := range res.Warnings {
		fmt.Fprintf(p.stderr, "trails: warning: %s\n", line(flagsFor(p.cmd).Replace(warning)))
	}
}

// me is the person at this machine, by login name.
func me() policy.Principal {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return policy.Local(name, "")
}
