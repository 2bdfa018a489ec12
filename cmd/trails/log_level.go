package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth"
	"trails/invoke"
	"trails/kg"
	"trails/text/redact"
)

// serves marks the commands that keep running, and log from level info by default.
const serves = "serves"

// prepareLog sets up logging to stderr by TRAILS_LOG. By default short commands do not log, and servers log from
// info.
func (p *program) prepareLog(cmd *cobra.Command) error {
	setting, given := p.env["TRAILS_LOG"]
	if !given || setting == "" {
		if cmd.Annotations[serves] == "" {
			return nil
		}
		setting = "info"
	}
	// The setting is a level and a format, in any order: "debug", "json", "warn,text".
	opts, format := &slog.HandlerOptions{Level: slog.LevelInfo}, "text"
	for word := range strings.SplitSeq(setting, ",") {
		word = strings.TrimSpace(word)
		known, isLevel := logLevels[word]
		switch {
		case isLevel:
			opts.Level = known
		case word == "text" || word == "json":
			format = word
		default:
			return usageError{"TRAILS_LOG: unknown word " + word + "; it takes debug, info, warn or error, and text or json"}
		}
	}
	clean := p.secrets().Writer(p.stderr)
	p.log = slog.New(slog.NewTextHandler(clean, opts))
	if format == "json" {
		p.log = slog.New(slog.NewJSONHandler(clean, opts))
	}
	return nil
}

// secrets takes the tokens of the process out of the log and of records, besides what has the form of a token.
func (p *program) secrets() redact.Redactor {
	return redact.New(p.env["TRAILS_MCP_TOKEN"], p.env["TRAILS_TOKEN"])
}

// refused returns what records and logs requests that are refused because of their tokens. The address of the caller is
// in the log alone: the file may be given away.
func (p *program) refused(e *invoke.Engine) func(context.Context, auth.Refusal) {
	return func(ctx context.Context, r auth.Refusal) {
		by := kg.Refused{What: "token", Of: string(r.State), Name: r.Name}
		trace := e.Refused(ctx, r.Caller, r.Via, by)
		attrs := []slog.Attr{slog.String("trace_id", trace), slog.String("via", r.Via), slog.String("address", r.Address), slog.String("why", by.String())}
		if r.Says != "" {
			attrs = append(attrs, slog.String("token", r.Says))
		}
		if r.Left > 0 {
			attrs = append(attrs, slog.Int("not_recorded_before", r.Left))
		}
		p.log.LogAttrs(ctx, slog.LevelInfo, "request refused", attrs...)
	}
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}
