package main

import (
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
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
	p.log = slog.New(slog.NewTextHandler(p.stderr, opts))
	if format == "json" {
		p.log = slog.New(slog.NewJSONHandler(p.stderr, opts))
	}
	return nil
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}
