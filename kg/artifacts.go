package kg

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"time"

	"trails/db"
	"trails/fault"
	"trails/gateway/artifact"
)

// KeptArtifact is the data of a stored artifact, without its bytes.
type KeptArtifact struct {
	artifact.Ref
	// Seq is the number of the artifact, higher for each one stored later.
	Seq int64
	// Tool is the tool that returned it, by the name that agents use.
	Tool string
	// Created is the time at which it was first stored. After Expires it cannot be found.
	Created, Expires time.Time
}

// ArtifactPage is a page of the artifacts of one owner.
type ArtifactPage struct {
	Artifacts []KeptArtifact
	// Count and Bytes are those of all artifacts of the owner.
	Count, Bytes int64
	// More reports that there are others after the last one.
	More bool
}

// defaultArtifactTTL is how long artifacts are kept unless [Options] say otherwise.
const defaultArtifactTTL = 7 * 24 * time.Hour

// owner is the owner of the session's artifacts and idempotency keys. All programs that act for one owner share them.
func (s *Session) owner() string { return cmp.Or(s.principal.Owner, s.principal.ID) }

// KeepArtifacts stores all artifacts of a tool's result or none, for the principal's owner, until
// [Options.ArtifactTTL] from now; one that is stored already is prolonged. It makes no commit. More than
// [Options.ArtifactQuota] is the fault TooLarge, a file that cannot be written Unusable, and a long write by others
// TimedOut.
func (s *Session) KeepArtifacts(ctx context.Context, tool string, list []artifact.Artifact) error {
	now := s.graph.now()
	keep := make([]db.NewArtifact, len(list))
	for i, a := range list {
		keep[i].Artifact = db.Artifact{
			Owner: s.owner(), Handle: a.Handle, Label: a.Label, MediaType: a.MediaType, Tool: tool, Expires: now.Add(s.graph.artifactTTL),
		}
		keep[i].Data = a.Data
	}
	return s.graph.file.KeepArtifacts(ctx, keep, now)
}

// Artifact returns an artifact of the principal's owner, with its bytes. The fault Missing is the same for one that
// never existed, has expired or belongs to another owner.
func (s *Session) Artifact(ctx context.Context, handle string) (artifact.Artifact, error) {
	var a artifact.Artifact
	kept, err := s.eachChunk(ctx, handle, func(k KeptArtifact, chunk []byte) error {
		if a.Data == nil {
			a.Data = make([]byte, 0, k.SizeBytes)
		}
		a.Data = append(a.Data, chunk...)
		return nil
	})
	a.Ref = kept.Ref
	return a, err
}

// CopyArtifact is Artifact for writing the bytes somewhere, part by part.
func (s *Session) CopyArtifact(ctx context.Context, handle string, to io.Writer) (KeptArtifact, error) {
	return s.eachChunk(ctx, handle, func(_ KeptArtifact, chunk []byte) error {
		if _, err := to.Write(chunk); err != nil {
			return fault.New(fault.Unusable, "the artifact cannot be written").Because(err)
		}
		return nil
	})
}

func (s *Session) eachChunk(ctx context.Context, handle string, each func(KeptArtifact, []byte) error) (KeptArtifact, error) {
	r, err := s.graph.file.Read(ctx, db.View{})
	if err != nil {
		return KeptArtifact{}, err
	}
	defer r.Close()
	a, err := r.Artifact(ctx, s.owner(), handle, s.graph.now())
	if err != nil {
		return KeptArtifact{}, err
	}
	k := keptArtifact(a)
	return k, r.ArtifactData(ctx, a, func(chunk []byte) error { return each(k, chunk) })
}

func keptArtifact(a db.Artifact) KeptArtifact {
	return KeptArtifact{
		Ref: artifact.Ref{
			ContentHash: hex.EncodeToString(a.Hash[:]), Handle: a.Handle, Label: a.Label, MediaType: a.MediaType, SizeBytes: int(a.Size),
		},
		Seq: a.Seq, Tool: a.Tool, Created: a.Created, Expires: a.Expires,
	}
}

// Artifacts returns up to limit artifacts of the principal's owner, newest first, with numbers less than before; 0
// starts at the newest.
func (s *Session) Artifacts(ctx context.Context, before int64, limit int) (page ArtifactPage, err error) {
	r, err := s.graph.file.Read(ctx, db.View{})
	if err != nil {
		return page, err
	}
	defer r.Close()
	now := s.graph.now()
	if page.Count, page.Bytes, err = r.ArtifactTotals(ctx, s.owner(), now); err != nil {
		return page, err
	}
	list, err := r.Artifacts(ctx, s.owner(), now, before, limit+1)
	if err != nil {
		return page, err
	}
	if page.More = len(list) > limit; page.More {
		list = list[:limit]
	}
	for _, a := range list {
		page.Artifacts = append(page.Artifacts, keptArtifact(a))
	}
	return page, nil
}

// RemoveArtifact removes an artifact of the principal's owner, the fault Missing when there
// is none with this handle.
func (s *Session) RemoveArtifact(ctx context.Context, handle string) error {
	return s.graph.file.RemoveArtifact(ctx, s.owner(), handle, s.graph.now())
}

// RemoveArtifacts removes all artifacts of the principal's owner, and returns how many.
func (s *Session) RemoveArtifacts(ctx context.Context) (int, error) {
	return s.graph.file.RemoveArtifacts(ctx, s.owner())
}

// RemoveExpiredArtifacts removes the artifacts of all owners that have expired, as writes do
// a few at a time, and returns how many.
func (g *Graph) RemoveExpiredArtifacts(ctx context.Context) (int, error) {
	return g.file.RemoveExpiredArtifacts(ctx, g.now())
}
