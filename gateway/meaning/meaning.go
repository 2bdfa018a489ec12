// Package meaning makes the vectors by which texts are found by what they mean, and keeps them in the file: those of
// properties that the schema marks with embed, on main, from the endpoint of embeddings that somebody at this machine has
// agreed to. It does not search; that is package kg/browse.
//
// Read [Fill] first.
package meaning

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/servers"
	"trails/kg"
	"trails/rdf"
)

// State is what a graph has of vectors.
type State struct {
	By gateway.Embeddings
	kg.VectorState
	// Vectors is how many the file has, Refused how many texts the endpoint has refused, Work what there is to do.
	Vectors, Refused int64
	Work             kg.VectorWork
	// Asks reports that the schema marks a property.
	Asks bool
}

// ModelOf is the model of an endpoint, by which the file tells whose vectors it has.
func ModelOf(by gateway.Embeddings) kg.VectorModel {
	return kg.VectorModel{URL: by.URL, Model: by.Model}
}

// owner is who has the file: the state of vectors is about all of it.
func owner() policy.Principal { return policy.Local("vectors", "") }

// Look returns the state of a graph's vectors. It reads all marked texts' statements.
func Look(ctx context.Context, g *kg.Graph) (State, error) { return look(ctx, g, true, 0) }

const mostRefused = 100

// Refused returns nodes with texts that the endpoint has refused, 100 at most, and whether there are or may be more.
func Refused(ctx context.Context, g *kg.Graph) (list []kg.RefusedText, more bool, err error) {
	err = g.Session(owner()).View(ctx, func(snap *kg.Snapshot) (err error) {
		list, more, err = snap.Refused(ctx, mostRefused)
		return err
	})
	return list, more, err
}

// look returns the state, without its work unless that is wanted, which takes the time. Texts are only compared if a
// commit after since touched some, or if there was something to do then.
func look(ctx context.Context, g *kg.Graph, work bool, since kg.Seq) (s State, err error) {
	err = g.Session(owner()).View(ctx, func(snap *kg.Snapshot) error {
		settings, err := servers.Settings(snap)
		if err != nil {
			return err
		}
		s.By, s.Asks = settings.Embeddings, snap.Embeds()
		if s.VectorState, err = snap.Vectors(ctx); err != nil {
			return err
		}
		if s.Vectors, s.Refused, err = snap.CountVectors(ctx); err != nil || !work || !s.Asks && s.Vectors+s.Refused == 0 {
			return err
		}
		if s.Pending > 0 || s.Seq < since {
			since = 0
		}
		s.Work, err = snap.VectorWork(ctx, since)
		return err
	})
	return s, err
}

// Fill makes all vectors that are missing, in batches that are stored one by one, and removes those of texts that
// are gone. After a crash it goes on where it was. It returns the state at the end; another process that makes vectors is
// the fault Busy, and an endpoint that is not set, not agreed to or failing has its own. since is the Seq of the Work of an
// earlier Fill without a fault: texts are only compared if a commit after it touched some; 0 compares all. progress may
// be nil.
func Fill(ctx context.Context, g *kg.Graph, e *embed.Embedder, since kg.Seq, progress func(done, total int64)) (s State, err error) {
	if s, err = look(ctx, g, false, 0); err != nil || !s.Asks && s.Vectors+s.Refused == 0 {
		return s, err
	}
	if s.By == (gateway.Embeddings{}) {
		return s, fault.New(fault.Precondition, "no endpoint of embeddings is set; trails gateway settings FILE '{\"embeddings\": {\"url\": URL, \"model\": NAME}}' names one")
	}
	if h := e.Health(s.By); h.State == embed.Untrusted {
		return s, fault.New(fault.Denied, "%s", h.Problem)
	}
	if s, err = look(ctx, g, true, since); err != nil {
		return s, err
	}
	model := ModelOf(s.By)
	if s.VectorModel == model && s.Work.Pending == 0 && s.Work.Stale == 0 && s.Seq >= s.Work.Seq() {
		return s, nil
	}
	name := rand.Text()
	claimed, err := g.ClaimVectors(ctx, name, model)
	if err != nil {
		return s, err
	}
	if !claimed {
		return s, fault.New(fault.Busy, "another process makes the vectors; wait for it, or try again in two minutes")
	}
	defer func() {
		lasting := context.WithoutCancel(ctx)
		if failed := g.ReleaseVectors(lasting, name); err == nil {
			err = failed
		}
	}()
	done := int64(0)
	for {
		if s, err = look(ctx, g, true, since); err != nil {
			return s, err
		}
		since = s.Work.Seq()
		total := done + s.Work.Pending
		if err := g.NoteVectors(ctx, name, s.Work, ""); err != nil {
			return s, err
		}
		if len(s.Work.Texts) == 0 {
			if s.Work.Stale == 0 {
				return s, nil
			}
			continue // as many as one transaction takes are removed
		}
		for from := 0; from < len(s.Work.Texts); from += embed.BatchTexts {
			batch := s.Work.Texts[from:min(len(s.Work.Texts), from+embed.BatchTexts)]
			kept, err := fillBatch(ctx, g, e, s.By, name, batch)
			if done += int64(kept); err != nil {
				if ctx.Err() == nil {
					s.Work.Pending = total - done
					_ = g.NoteVectors(ctx, name, s.Work, fault.Of(err).Message) // what is said is the failure
				}
				return s, err
			}
			if progress != nil {
				progress(done, max(total, done))
			}
		}
	}
}

// fillBatch makes and keeps the vectors of texts, and the refusals of those that the endpoint refuses. It returns how many
// were kept.
func fillBatch(ctx context.Context, g *kg.Graph, e *embed.Embedder, by gateway.Embeddings, name string, batch []rdf.Term) (kept int, err error) {
	texts := make([]string, len(batch))
	for i, t := range batch {
		texts[i] = rdf.Lexical(t)
	}
	err = e.Batch(ctx, by, texts, func(vectors [][]float32, why string) error {
		list := make([]kg.TextVector, len(vectors))
		for i, numbers := range vectors {
			list[i] = kg.TextVector{Text: batch[kept+i], Numbers: numbers, Refusal: why}
		}
		if err := g.KeepVectors(ctx, name, list); err != nil {
			return err
		}
		kept += len(list)
		return nil
	})
	return kept, err
}

// The pace of [Follow].
const (
	settles = time.Second // after a commit, so that many at once are one pass
	again   = time.Minute // after a failure, or for an endpoint that was agreed to meanwhile
)

// Follow fills after each commit of main until ctx ends, and tries again every minute after a failure.
func Follow(ctx context.Context, g *kg.Graph, e *embed.Embedder, log *slog.Logger) {
	moved := g.Session(owner()).Watch(ctx)
	told, since := "", kg.Seq(0)
	for ctx.Err() == nil {
		s, err := Fill(ctx, g, e, since, nil)
		since = s.Work.Seq()
		said := ""
		if err != nil && ctx.Err() == nil && !fault.Is(err, fault.Busy) && !fault.Is(err, fault.Precondition) {
			said = fault.Of(err).Message
		}
		if said != told && said != "" {
			log.Warn("vectors of texts are not complete; searches find these texts by words", "problem", said)
		}
		told = said
		var retry <-chan time.Time
		if err != nil {
			retry, since = time.After(again), 0
		}
		select {
		case <-ctx.Done():
		case <-retry:
		case _, open := <-moved:
			if !open {
				moved = nil
			}
			select {
			case <-ctx.Done():
			case <-time.After(settles):
			}
		}
	}
}
