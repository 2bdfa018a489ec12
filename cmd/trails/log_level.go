package main

import (
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
)

// serves marks the commands that stay and log from info on without being asked.
const serves = "serves"

// prepareLog sets up the log on stderr as TRAILS_LOG says. Without it a command
// that ends says what it has to say by itself, and a server logs from info on.
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
	p.log = slog.New(slog.NewTextHandler(p.stderr, opts))
	if format == "json" {
		p.log = slog.New(slog.NewJSONHandler(p.stderr, opts))
	}
	return nil
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}
