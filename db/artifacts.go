package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"trails/db/stmt"
	"trails/fault"
)

// Artifact is the stored result of a tool. It belongs to one owner and is kept until it expires.
type Artifact struct {
	// Seq is the number of the artifact. KeepArtifacts sets it, each time higher.
	Seq int64
	// Handle is unique for each owner.
	Owner, Handle          string
	Label, MediaType, Tool string
	// Hash is the SHA-256 of the bytes and Size their number. KeepArtifacts sets both.
	Hash [sha256.Size]byte
	Size int64
	// Created is the time at which it was first stored. KeepArtifacts sets it.
	Created, Expires time.Time

	content int64
}

// NewArtifact is an artifact to store, with its bytes.
type NewArtifact struct {
	Artifact
	Data []byte
}

const (
	// chunkBytes is the length of one row of an artifact's bytes.
	chunkBytes = 256 << 10
	// mostArtifacts bounds the number of artifacts in a file, whatever their size.
	mostArtifacts = 10_000
	// sweptArtifacts and sweptChunks bound how many expired artifacts and rows one commit removes.
	sweptArtifacts = 16
	sweptChunks    = 4
	// sweptKeeping is sweptArtifacts for a write that stores artifacts.
	sweptKeeping = 1_000
)

// KeepArtifacts stores all of the artifacts or none, in its own transaction, without a commit. An artifact replaces
// the one with the same owner and handle. If the file then holds more than [Options.ArtifactQuota] bytes or 10,000
// artifacts, the oldest ones are removed. Artifacts that exceed the quota by themselves are the fault TooLarge.
func (f *File) KeepArtifacts(ctx context.Context, list []NewArtifact, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	list = append([]NewArtifact{}, list...)
	size, seen := int64(0), map[[sha256.Size]byte]bool{}
	for i := range list {
		a := &list[i]
		a.Hash, a.Size, a.Created = sha256.Sum256(a.Data), int64(len(a.Data)), now
		if !seen[a.Hash] {
			seen[a.Hash] = true
			size += a.Size
		}
	}
	if size > f.opts.ArtifactQuota || len(list) > mostArtifacts {
		return fault.New(fault.TooLarge, "%d bytes in %d artifacts are more than %s keeps, %d bytes in %d; ask for less, or raise --artifact-quota",
			size, len(list), fault.Path(f.path), f.opts.ArtifactQuota, mostArtifacts)
	}
	return f.beside(ctx, "keep artifacts", f.opts.LockWait, func(c *conn) error {
		defer c.InterruptBy(ctx)()
		return c.keepArtifacts(ctx, list, now, f.opts.ArtifactQuota)
	})
}

func (c *conn) keepArtifacts(ctx context.Context, list []NewArtifact, now time.Time, quota int64) error {
	if err := c.sweepArtifacts(now, sweptKeeping); err != nil {
		return err
	}
	before, err := c.Int64("SELECT max(seq) FROM artifacts")
	if err != nil {
		return err
	}
	chunks := sweptChunks // how many are removed for it
	for i, a := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		written, err := c.putContent(&a)
		if err != nil {
			return fmt.Errorf("keep bytes: %w", err)
		}
		chunks += written
		replaced := int64(0)
		err = c.Exec("DELETE FROM artifacts WHERE owner = ? AND handle = ? RETURNING content, created", func(s *stmt.Stmt) error {
			if replaced = s.ColumnInt64(0); replaced == a.content {
				a.Created = s.Time(1)
			}
			return nil
		}, a.Owner, a.Handle)
		if err != nil {
			return err
		}
		a.Seq = before + 1 + int64(i)
		err = c.Exec("INSERT INTO artifacts (seq, owner, handle, content, label, media_type, tool, created, expires, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nil,
			a.Seq, a.Owner, a.Handle, a.content, a.Label, a.MediaType, a.Tool, a.Created.UnixMicro(), a.Expires.UnixMicro(), a.sum())
		if err != nil {
			return fmt.Errorf("keep artifact: %w", err)
		}
		if _, err := c.leave(replaced); err != nil {
			return err
		}
	}
	if err := c.evictArtifacts(before, quota); err != nil {
		return err
	}
	return c.freeChunks(chunks)
}

// Statements that run with every write, and those for one artifact.
const (
	expiredArtifacts = "SELECT seq FROM artifacts WHERE expires <= ? ORDER BY expires LIMIT ? + 0"
	heldContent      = "SELECT id FROM artifact_contents WHERE hash = ?"
	leftContent      = "SELECT id FROM artifact_contents WHERE hash IS NULL LIMIT 1"
	leaveContent     = `UPDATE artifact_contents SET hash = NULL
		WHERE id = ?1 AND hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM artifacts WHERE content = ?1) RETURNING size`
	freeChunk   = "DELETE FROM artifact_chunks WHERE content = ?1 AND at = (SELECT max(at) FROM artifact_chunks WHERE content = ?1)"
	artifactOf  = artifactColumns + "WHERE a.owner = ? AND a.handle = ? AND a.expires > ?"
	artifactsOf = artifactColumns + "WHERE a.owner = ? AND a.expires > ? AND a.seq < ? ORDER BY a.seq DESC LIMIT ? + 0"
	chunksOf    = "SELECT data FROM artifact_chunks WHERE content = ? ORDER BY at"
)

// putContent records where the bytes of an artifact are. If the file does not have these bytes yet, it writes them
// and returns the number of chunks.
func (c *conn) putContent(a *NewArtifact) (chunks int, err error) {
	if a.content, err = c.Int64(heldContent, a.Hash[:]); err != nil || a.content != 0 {
		return 0, err
	}
	err = c.Exec("INSERT INTO artifact_contents (hash, size) VALUES (?, ?) RETURNING id", func(s *stmt.Stmt) error {
		a.content = s.ColumnInt64(0)
		return nil
	}, a.Hash[:], a.Size)
	for rest := a.Data; err == nil && len(rest) > 0; chunks++ {
		n := min(len(rest), chunkBytes)
		err = c.Exec("INSERT INTO artifact_chunks (content, at, data) VALUES (?, ?, ?)", nil, a.content, chunks, rest[:n])
		rest = rest[n:]
	}
	return chunks, err
}

// evictArtifacts removes the oldest artifacts, up to the one with the number last, until the rest is within the
// bounds.
func (c *conn) evictArtifacts(last, quota int64) error {
	var count, size int64
	err := c.Exec("SELECT (SELECT count(*) FROM artifacts), (SELECT sum(size) FROM artifact_contents WHERE hash IS NOT NULL)", func(s *stmt.Stmt) error {
		count, size = s.ColumnInt64(0), s.ColumnInt64(1)
		return nil
	})
	for err == nil && (count > mostArtifacts || size > quota) {
		var seq, freed int64
		if seq, err = c.Int64("SELECT min(seq) FROM artifacts WHERE seq <= ?", last); err != nil || seq == 0 {
			return err
		}
		freed, err = c.dropArtifact(seq)
		count, size = count-1, size-freed
	}
	return err
}

// dropArtifact removes an artifact, and returns the number of bytes that no other artifact uses.
func (c *conn) dropArtifact(seq int64) (freed int64, err error) {
	var content int64
	err = c.Exec("DELETE FROM artifacts WHERE seq = ? RETURNING content", func(s *stmt.Stmt) error {
		content = s.ColumnInt64(0)
		return nil
	}, seq)
	if err != nil {
		return 0, err
	}
	return c.leave(content)
}

// leave marks bytes that no artifact uses any more, and returns their number.
func (c *conn) leave(content int64) (size int64, err error) {
	err = c.Exec(leaveContent, func(s *stmt.Stmt) error {
		size = s.ColumnInt64(0)
		return nil
	}, content)
	return size, err
}

// sweepArtifacts removes up to n expired artifacts.
func (c *conn) sweepArtifacts(now time.Time, most int) error {
	var expired []int64
	err := c.Exec(expiredArtifacts, func(s *stmt.Stmt) error {
		expired = append(expired, s.ColumnInt64(0))
		return nil
	}, now.UnixMicro(), most)
	for _, seq := range expired {
		if err == nil {
			_, err = c.dropArtifact(seq)
		}
	}
	return err
}

// freeChunks removes up to n rows of bytes that no artifact uses.
func (c *conn) freeChunks(most int) error {
	for range most {
		content, err := c.Int64(leftContent)
		if err != nil || content == 0 {
			return err
		}
		err = c.Exec(freeChunk, nil, content)
		if err == nil && c.Changes() == 0 {
			err = c.Exec("DELETE FROM artifact_contents WHERE id = ?", nil, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep removes some expired artifacts, within any write. If there are none it costs two index lookups.
func (c *conn) sweep(now time.Time) error {
	if err := c.sweepArtifacts(now, sweptArtifacts); err != nil {
		return err
	}
	return c.freeChunks(sweptChunks)
}

// RemoveArtifact removes an artifact of an owner. It is the fault Missing if there is none.
func (f *File) RemoveArtifact(ctx context.Context, owner, handle string, now time.Time) error {
	n, err := f.removeArtifacts(ctx, "owner = ? AND handle = ? AND expires > ?", owner, handle, now.UnixMicro())
	if err == nil && n == 0 {
		return noArtifact(handle)
	}
	return err
}

// RemoveArtifacts removes all artifacts of an owner, and returns how many there were.
func (f *File) RemoveArtifacts(ctx context.Context, owner string) (int, error) {
	return f.removeArtifacts(ctx, "owner = ?", owner)
}

// RemoveExpiredArtifacts removes the expired artifacts of all owners, and returns their number.
func (f *File) RemoveExpiredArtifacts(ctx context.Context, now time.Time) (int, error) {
	return f.removeArtifacts(ctx, "expires <= ?", now.UnixMicro())
}

func (f *File) removeArtifacts(ctx context.Context, where string, args ...any) (n int, err error) {
	err = f.beside(ctx, "remove artifacts", f.opts.LockWait, func(c *conn) error {
		defer c.InterruptBy(ctx)()
		var found []int64
		err := c.Exec("SELECT seq FROM artifacts WHERE "+where, func(s *stmt.Stmt) error {
			found = append(found, s.ColumnInt64(0))
			return nil
		}, args...)
		for _, seq := range found {
			if err == nil {
				_, err = c.dropArtifact(seq)
			}
		}
		if err != nil {
			return err
		}
		n = len(found)
		rows, err := c.Int64("SELECT (SELECT count(*) FROM artifact_contents) + (SELECT count(*) FROM artifact_chunks)")
		if err != nil {
			return err
		}
		return c.freeChunks(int(rows))
	})
	return n, err
}

// noArtifact is the same fault for an artifact that never existed, has expired or belongs to another owner.
func noArtifact(handle string) error {
	return fault.New(fault.Missing, "there is no artifact %q; it may have expired", handle)
}

// sum is the digest of the row, which detects edits.
func (a Artifact) sum() []byte {
	return artifactSums.sum(nil, a.Seq, a.Owner, a.Handle, a.Label, a.MediaType, a.Tool, a.Created.UnixMicro(), a.Expires.UnixMicro(), a.Hash[:], a.Size)
}

const artifactColumns = `SELECT a.seq, a.owner, a.handle, a.label, a.media_type, a.tool, a.created, a.expires, a.content, c.hash, c.size, a.sum
	FROM artifacts a JOIN artifact_contents c ON c.id = a.content `

// scanArtifact reads a row. It refuses a row that was edited, because its owner may have been changed.
func scanArtifact(s *stmt.Stmt) (Artifact, error) {
	a := Artifact{
		Seq: s.ColumnInt64(0), Owner: s.ColumnText(1), Handle: s.ColumnText(2), Label: s.ColumnText(3), MediaType: s.ColumnText(4), Tool: s.ColumnText(5),
		Created: s.Time(6), Expires: s.Time(7), content: s.ColumnInt64(8), Size: s.ColumnInt64(10),
	}
	s.ColumnBytes(9, a.Hash[:])
	if !bytes.Equal(a.sum(), s.Blob(11)) {
		return a, stmt.Damaged("artifacts %d: %s do not give its digest", a.Seq, artifactSums.covers)
	}
	return a, nil
}

// Artifact returns an artifact of an owner. The fault Missing does not tell whether it never existed, has expired or
// belongs to another owner.
func (r *Reader) Artifact(ctx context.Context, owner, handle string, now time.Time) (a Artifact, err error) {
	if err := r.ready(ctx); err != nil {
		return a, r.fail(ctx, "artifact", err)
	}
	err = r.conn.Exec(artifactOf, func(s *stmt.Stmt) (err error) {
		a, err = scanArtifact(s)
		return err
	}, owner, handle, now.UnixMicro())
	if err == nil && a.Seq == 0 {
		return a, noArtifact(handle)
	}
	return a, r.fail(ctx, "artifact", err)
}

// ArtifactData calls each with successive parts of the bytes of an artifact of this reader. each may keep the slice.
func (r *Reader) ArtifactData(ctx context.Context, a Artifact, each func([]byte) error) error {
	if err := r.ready(ctx); err != nil {
		return r.fail(ctx, "artifact", err)
	}
	size := int64(0)
	err := r.conn.Exec(chunksOf, func(s *stmt.Stmt) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk := s.Blob(0)
		size += int64(len(chunk))
		return each(chunk)
	}, a.content)
	if err == nil && size != a.Size {
		err = stmt.Damaged("artifact %s has %d of %d bytes", a.Handle, size, a.Size)
	}
	return r.fail(ctx, "artifact", err)
}

// Artifacts returns up to limit unexpired artifacts of an owner, newest first, with numbers less than before; 0
// starts at the newest.
func (r *Reader) Artifacts(ctx context.Context, owner string, now time.Time, before int64, limit int) (list []Artifact, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "artifacts", err)
	}
	if before <= 0 {
		before = 1 << 62
	}
	err = r.conn.Exec(artifactsOf, func(s *stmt.Stmt) error {
		a, err := scanArtifact(s)
		list = append(list, a)
		return err
	}, owner, now.UnixMicro(), before, limit)
	return list, r.fail(ctx, "artifacts", err)
}

// ArtifactTotals returns the number and the total size of an owner's unexpired artifacts.
func (r *Reader) ArtifactTotals(ctx context.Context, owner string, now time.Time) (count, size int64, err error) {
	if err := r.ready(ctx); err != nil {
		return 0, 0, r.fail(ctx, "artifacts", err)
	}
	err = r.conn.Exec("SELECT count(*), sum(c.size) FROM artifacts a JOIN artifact_contents c ON c.id = a.content WHERE a.owner = ? AND a.expires > ?", func(s *stmt.Stmt) error {
		count, size = s.ColumnInt64(0), s.ColumnInt64(1)
		return nil
	}, owner, now.UnixMicro())
	return count, size, r.fail(ctx, "artifacts", err)
}

// sampledContent is the size of the largest content whose hash a sampled check computes.
const sampledContent = 4 << 20

// checkContents checks the hashes of up to limit contents of at most the given size, from the one with the number
// first.
func (v *verifier) checkContents(first, longest, limit int64) error {
	var done int64
	return v.conn.Exec("SELECT id, hash, size FROM artifact_contents WHERE id >= ? AND hash IS NOT NULL AND size <= ? LIMIT ? + 0", func(s *stmt.Stmt) error {
		id, want, size := s.ColumnInt64(0), s.Blob(1), s.ColumnInt64(2)
		hash, place := sha256.New(), int64(0)
		err := v.conn.Exec("SELECT at, data FROM artifact_chunks WHERE content = ? ORDER BY at", func(s *stmt.Stmt) error {
			data := s.Blob(1)
			if at := s.ColumnInt64(0); at != place {
				v.problem("artifact_chunks: part %d of the bytes %d is numbered %d", place, id, at)
			}
			place++
			size -= int64(len(data))
			hash.Write(data)
			return v.ctx.Err()
		}, id)
		if err != nil {
			return err
		}
		if size != 0 || !bytes.Equal(hash.Sum(nil), want) {
			v.problem("artifact_contents %d: the bytes do not have the hash %s", id, hex.EncodeToString(want))
		}
		return v.tick("artifacts", 0, &done)
	}, first, longest, limit)
}
