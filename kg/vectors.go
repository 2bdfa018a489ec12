package kg

import (
	"context"
	"time"

	"trails/db"
	"trails/kg/browse"
)

type (
	// VectorModel is what makes vectors.
	VectorModel = db.VectorModel
	// VectorState is what the file says of its vectors.
	VectorState = db.VectorState
	// VectorWork is what there is to do for them.
	VectorWork = db.VectorWork
	// TextVector is a text with its vector.
	TextVector = db.TextVector
	// RefusedText is a node with a text that the endpoint has refused.
	RefusedText = browse.RefusedText
)

// VectorWork returns what there is to do for the vectors of the texts that the snapshot's schema marks with embed. The snapshot
// must be one of main. Since is a commit as of which there was nothing to do, 0 if none is known: if no later commit
// touched such a text, nothing is compared.
func (s *Snapshot) VectorWork(ctx context.Context, since Seq) (VectorWork, error) {
	return s.source.VectorWork(ctx, browse.EmbeddedProperties(s.compiled.schema), since)
}

// CountVectors returns how many vectors the file has, and how many texts the endpoint has refused.
func (s *Snapshot) CountVectors(ctx context.Context) (made, refused int64, err error) {
	return s.source.CountVectors(ctx)
}

// vectorClaim is how long a process may take for one batch of vectors before another takes over.
const vectorClaim = 90 * time.Second

// ClaimVectors makes owner the one process that makes vectors of a model, for 90 seconds or until it keeps some; false if
// another process is at it. Vectors of another model are dropped.
func (g *Graph) ClaimVectors(ctx context.Context, owner string, model VectorModel) (bool, error) {
	now := g.now()
	return g.file.ClaimVectors(ctx, owner, model, now, now.Add(vectorClaim))
}

// KeepVectors stores vectors made by owner, and prolongs its claim. Without the claim it is the fault Conflict.
func (g *Graph) KeepVectors(ctx context.Context, owner string, list []TextVector) error {
	return g.file.KeepVectors(ctx, owner, g.now().Add(vectorClaim), list)
}

// NoteVectors records what there was to do, and a failure, "" for none. Without the claim it is the fault Conflict.
func (g *Graph) NoteVectors(ctx context.Context, owner string, w VectorWork, problem string) error {
	return g.file.NoteVectors(ctx, owner, w, problem)
}

// ReleaseVectors ends owner's claim.
func (g *Graph) ReleaseVectors(ctx context.Context, owner string) error {
	return g.file.ReleaseVectors(ctx, owner)
}

// ForgetRefusals lets the texts that were refused be missing again, and says how many there were.
func (g *Graph) ForgetRefusals(ctx context.Context) (int64, error) {
	return g.file.ForgetRefusals(ctx)
}

// DropVectors removes all vectors, and says how many there were.
func (g *Graph) DropVectors(ctx context.Context) (int64, error) { return g.file.DropVectors(ctx) }
