package main

import (
	"context"
	"errors"
	"runtime"

	"trails/invoke"
	"trails/telemetry"
)

// withTracedEngine is withEngine for a process that stays: its calls are traced
// where the environment names a collector. observe, which may be nil, is called
// for each too.
func (p *program) withTracedEngine(ctx context.Context, file string, observe func(invoke.Observation), work func(*invoke.Engine) error) (err error) {
	traces, err := telemetry.StartTraces(ctx, version, p.log)
	if err != nil {
		return usageError{err.Error()}
	}
	defer func() { err = errors.Join(err, traces.Close(context.WithoutCancel(ctx))) }()
	config := p.engineConfig()
	config.Observe = func(o invoke.Observation) {
		traces.Observe(o)
		if observe != nil {
			observe(o)
		}
	}
	return p.withConfigured(ctx, file, config, func(e *invoke.Engine) error {
		if p.env["GOMAXPROCS"] == "" {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + e.QueriesAtOnce()))
		}
		return work(e)
	})
}
