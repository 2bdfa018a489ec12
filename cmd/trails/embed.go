package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/gateway/meaning"
	"trails/kg"
)

func (p *program) embedCommand() *cobra.Command {
	var anew, drop, status bool
	cmd := &cobra.Command{
		Use:   "embed FILE",
		Short: "Make the vectors by which texts are found by what they mean",
		Long: `Make the vectors of the texts of properties that the schema marks with embed: true, those that
are missing, and remove those of texts that are gone. They come from the endpoint of embeddings
in the settings of the gateway, to which somebody at this machine has agreed, and are kept in FILE.
A served graph makes them by itself after each commit. Each batch is stored at once: what was
interrupted goes on where it was. A text that it refuses is left out until --anew.
They are of main, in no commit and in no export.
` + fileHelp,
		Example: `  trails gateway settings notes.trails '{"embeddings": {"url": "http://localhost:11434/v1/embeddings", "model": "all-minilm"}}'
  trails embed notes.trails
  trails embed notes.trails --status
  trails embed notes.trails --anew
  trails embed notes.trails --drop`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			if anew && drop || status && (anew || drop) {
				return usageError{"--anew, --drop and --status are three different things: say one"}
			}
			return p.withGraph(cmd.Context(), file, func(g *kg.Graph) error { return p.embed(cmd.Context(), g, anew, drop, status) })
		}),
	}
	cmd.Flags().BoolVar(&anew, "anew", false, "make all of them again")
	cmd.Flags().BoolVar(&drop, "drop", false, "remove all of them")
	cmd.Flags().BoolVar(&status, "status", false, "say what there is and what is missing, and ask nobody")
	return cmd
}

// embedded is what embed answers.
type embedded struct {
	Model   string `json:"model"`
	Length  int    `json:"length"`
	Vectors int64  `json:"vectors"`
	Missing int64  `json:"missing"`
	Refused int64  `json:"refused"`
	Stale   int64  `json:"stale"`
	Dropped int64  `json:"dropped"`
	Problem string `json:"problem"`
}

func (p *program) embed(ctx context.Context, g *kg.Graph, anew, drop, status bool) (err error) {
	var dropped int64
	if anew || drop {
		if dropped, err = g.DropVectors(ctx); err != nil {
			return err
		}
	}
	var s meaning.State
	if drop || status {
		s, err = meaning.Look(ctx, g)
	} else {
		e := p.embedder()
		defer e.Close()
		progress := p.newMeter()
		defer progress.close()
		s, err = meaning.Fill(ctx, g, e, 0, progress.counter("embed", "texts"))
		progress.close()
	}
	if err != nil {
		return err
	}
	out := embedded{s.Model, s.Length, s.Vectors, s.Work.Pending, s.Refused, s.Work.Stale, dropped, s.Problem}
	return p.print(out, func(w io.Writer) error {
		switch {
		case drop:
			_, err = fmt.Fprintf(w, "dropped %s\n", count(dropped, "vector"))
		case !s.Asks && s.Vectors+s.Refused == 0:
			_, err = fmt.Fprintln(w, "no property of the schema says embed: true, so there is nothing to do")
		default:
			_, err = fmt.Fprintf(w, "%s of %d numbers, of %s; %s without one, %d refused by the endpoint, %d of texts that are gone\n", count(s.Vectors, "vector"), s.Length, line(s.Model), count(s.Work.Pending, "text"), s.Refused, s.Work.Stale)
		}
		if err == nil && s.Problem != "" {
			_, err = fmt.Fprintf(w, "the last attempt failed: %s\n", line(s.Problem))
		}
		return err
	})
}

// makeVectors makes the vectors of a graph that is served, in the background. The returned function ends that.
func (p *program) makeVectors(ctx context.Context, g *kg.Graph) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		meaning.Follow(ctx, g, p.vectors, p.log)
	}()
	return func() {
		cancel()
		<-done
	}
}
