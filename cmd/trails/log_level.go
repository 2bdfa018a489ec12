package main

import (
	"io"
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
	handler, err := logHandler(p.stderr, setting)
	if err != nil {
		return err
	}
	p.log = slog.New(handler)
	return nil
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// logHandler reads a level and a format, in any order: "debug", "json", "warn,text".
func logHandler(w io.Writer, setting string) (slog.Handler, error) {
	level, format := slog.LevelInfo, "text"
	for word := range strings.SplitSeq(setting, ",") {
		word = strings.TrimSpace(word)
		known, isLevel := logLevels[word]
		switch {
		case isLevel:
			level = known
		case word == "text" || word == "json":
			format = word
		default:
			return nil, usageError{"TRAILS_LOG: unknown word " + word + "; it takes debug, info, warn or error, and text or json"}
		}
	}
	opts := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.NewJSONHandler(w, opts), nil
	}
	return slog.NewTextHandler(w, opts), nil
}
