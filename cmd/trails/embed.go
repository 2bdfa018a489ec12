package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"trails/gateway/meaning"
	"trails/kg"
)

func (p *program) embedCommand() *cobra.Command {
	var do embedding
	cmd := &cobra.Command{
		Use:   "embed FILE",
		Short: "Make the vectors by which texts are found by what they mean",
		Long: `Make the vectors of the texts that the schema marks with embed: true, at a type or a property,
those that are missing, and remove those of texts that are gone. They come from the endpoint of
embeddings in the settings of the gateway, to which somebody at this machine has agreed, and are
kept in FILE. A served graph makes them by itself after each commit. Each batch is stored at once:
what was interrupted goes on where it was. A text that the endpoint refuses is found by words
alone: --status lists 100 nodes with such texts and the reasons, and --refused asks again for these
texts. Vectors are of main, in no commit and in no export.
` + fileHelp,
		Example: `  trails gateway settings notes.trails '{"embeddings": {"url": "http://localhost:11434/v1/embeddings", "model": "all-minilm"}}'
  trails embed notes.trails
  trails embed notes.trails --status
  trails embed notes.trails --refused
  trails embed notes.trails --anew
  trails embed notes.trails --drop`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			if len(slices.DeleteFunc([]bool{do.anew, do.refused, do.drop, do.status}, func(one bool) bool { return !one })) > 1 {
				return usageError{"--anew, --refused, --drop and --status are four different things: say one"}
			}
			return p.withGraph(cmd.Context(), file, func(g *kg.Graph) error { return p.embed(cmd.Context(), g, do) })
		}),
	}
	cmd.Flags().BoolVar(&do.anew, "anew", false, "make all of them again")
	cmd.Flags().BoolVar(&do.refused, "refused", false, "ask again for the texts that were refused, besides those that are missing")
	cmd.Flags().BoolVar(&do.drop, "drop", false, "remove all of them")
	cmd.Flags().BoolVar(&do.status, "status", false, "say what there is, what is missing and what was refused, and ask nobody")
	return cmd
}

// embedding is what embed does, besides making what is missing: one of them at most.
type embedding struct{ anew, refused, drop, status bool }

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
	// Refusals are at most 100; MoreRefusals says that there may be others.
	Refusals     []kg.RefusedText `json:"refusals"`
	MoreRefusals bool             `json:"more_refusals"`
}

func (p *program) embed(ctx context.Context, g *kg.Graph, do embedding) (err error) {
	var dropped, again int64
	switch {
	case do.anew || do.drop:
		dropped, err = g.DropVectors(ctx)
	case do.refused:
		again, err = g.ForgetRefusals(ctx)
	}
	if err != nil {
		return err
	}
	var s meaning.State
	if do.drop || do.status {
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
	out := embedded{s.Model, s.Length, s.Vectors, s.Work.Pending, s.Refused, s.Work.Stale, dropped, s.Problem, []kg.RefusedText{}, false}
	if s.Refused > 0 {
		if out.Refusals, out.MoreRefusals, err = meaning.Refused(ctx, g); err != nil {
			return err
		}
	}
	return p.print(out, func(w io.Writer) error {
		switch {
		case do.drop:
			_, err = fmt.Fprintf(w, "dropped %s\n", count(dropped, "vector"))
		case !s.Asks && s.Vectors+s.Refused == 0:
			_, err = fmt.Fprintln(w, "the schema marks no texts with embed: true, so there is nothing to do")
		default:
			_, err = fmt.Fprintf(w, "%s of %d numbers, of %s; %s without one, %d refused by the endpoint, %d of texts that are gone\n", count(s.Vectors, "vector"), s.Length, line(s.Model), count(s.Work.Pending, "text"), s.Refused, s.Work.Stale)
		}
		if err == nil && do.refused {
			_, err = fmt.Fprintf(w, "%s had been refused, and asked for again\n", count(again, "text"))
		}
		if err == nil && s.Problem != "" {
			_, err = fmt.Fprintf(w, "the last attempt failed: %s\n", line(s.Problem))
		}
		for _, one := range out.Refusals {
			if err == nil {
				_, err = fmt.Fprintf(w, "refused: %s  %s  %s\n", line(one.Node), line(one.Property), line(cmp.Or(one.Reason, "no reason is known")))
			}
		}
		if err == nil && out.MoreRefusals {
			_, err = fmt.Fprintf(w, "more texts were refused; these are of the first %s\n", count(int64(len(out.Refusals)), "node"))
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
