package db

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/stmt"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// VectorModel is what makes vectors. Vectors of different models cannot be compared.
type VectorModel struct{ URL, Model string }

// VectorState is what the file says of its vectors. Vectors are of texts, whatever node or commit has them.
type VectorState struct {
	VectorModel
	// Length is how many numbers each has; 0 while there are none.
	Length int
	// Seq is the commit of main whose texts were looked at last, 0 if all are to be compared, Pending how many of these had no vector then.
	Seq     history.Seq
	Pending int64
	// Problem is the last failure, "" after a success.
	Problem string
	// Owner is the process that makes vectors until Until; "" for none.
	Owner string
	Until time.Time
}

// TextVector is a text with its vector. Without numbers the endpoint has refused the text, for the reason in Refusal.
type TextVector struct {
	Text    rdf.Term
	Numbers []float32
	Refusal string
}

// EmbeddedProperty is a property whose texts have vectors, of instances of these classes.
type EmbeddedProperty struct {
	Property rdf.IRI
	Classes  []rdf.IRI
}

// VectorWork is what there is to do for the vectors of one state of main.
type VectorWork struct {
	// Texts have no vector, and were not refused: the first ones.
	Texts []rdf.Term
	// Pending is how many have none, Stale how many vectors and refusals are of texts that no property has any more.
	Pending, Stale int64
	// Read is how many statements of these texts were compared; 0 if no commit since the last comparison touched one.
	Read int64

	seq   history.Seq
	stale []inline.TermID
}

// A text that was refused has a row with the scale 0, whose numbers are the reason in UTF-8.
const (
	countVectors   = "SELECT count(*), count(*) FILTER (WHERE scale = 0) FROM vectors"
	forgetRefusals = "DELETE FROM vectors WHERE scale = 0"
)

const (
	vectorTexts  = 2_000   // texts of one VectorWork
	vectorBytes  = 4 << 20 // of these texts
	nearestTexts = 2_000   // texts whose subjects are looked up
	loggedWork   = 5_000   // changes that are looked at, whether they touch such texts

	// changedSince is not 0 if commits of main made as many changes as ?3, or changed the value ?5 of the property ?4; where
	// both are the same, any value.
	changedSince = `SELECT count(*) = ?3 OR sum(p = ?4 AND (?4 = ?5 OR o = ?5))
		FROM (SELECT p, o FROM changes WHERE line = 1 AND seq > ?1 AND seq <= ?2 AND g = 0 LIMIT ?3 + 0) x`
)

// Vectors returns the state of the vectors.
func (r *Reader) Vectors(ctx context.Context) (s VectorState, err error) {
	if err := r.ready(ctx); err != nil {
		return s, r.fail(ctx, "vectors", err)
	}
	s, err = r.conn.vectorState()
	return s, r.fail(ctx, "vectors", err)
}

func (c *conn) vectorState() (s VectorState, err error) {
	err = c.Exec("SELECT url, model, length, seq, pending, problem, owner, until FROM vector_space", func(row *stmt.Stmt) error {
		s = VectorState{
			VectorModel: VectorModel{row.ColumnText(0), row.ColumnText(1)}, Length: int(row.ColumnInt64(2)), Seq: row.Seq(3), Pending: row.ColumnInt64(4),
			Problem: row.ColumnText(5), Owner: row.ColumnText(6), Until: row.Time(7),
		}
		return nil
	})
	return s, err
}

// ReadsMain reports whether the reader reads main as it is now, of which texts have vectors.
func (r *Reader) ReadsMain() bool { return r.newest }

// Seq is the number of the commit whose texts were looked at.
func (w VectorWork) Seq() history.Seq { return w.seq }

// CountVectors returns how many vectors the file has, and how many texts the endpoint has refused, which have none and are not
// pending. It steps over all.
func (r *Reader) CountVectors(ctx context.Context) (made, refused int64, err error) {
	if err := r.ready(ctx); err != nil {
		return 0, 0, r.fail(ctx, "vectors", err)
	}
	made, refused, err = r.conn.countVectors()
	return made, refused, r.fail(ctx, "vectors", err)
}

func (c *conn) countVectors() (made, refused int64, err error) {
	err = c.Exec(countVectors, func(row *stmt.Stmt) error {
		refused = row.ColumnInt64(1)
		made = row.ColumnInt64(0) - refused
		return nil
	})
	return made, refused, err
}

// VectorWork compares the texts of properties with the vectors. It reads all of these texts' statements, unless there was
// nothing to do as of the commit since, and the change logs after it, of up to 5,000 changes, are of other statements:
// then there is nothing to do now. With 0 it always reads them.
func (r *Reader) VectorWork(ctx context.Context, properties []EmbeddedProperty, since history.Seq) (w VectorWork, err error) {
	if err := r.ready(ctx); err != nil {
		return w, r.fail(ctx, "vectors", err)
	}
	w = VectorWork{seq: r.head.Seq}
	changed, err := r.embeddedChanged(properties, since)
	if changed && err == nil {
		w, err = r.vectorWork(ctx, properties)
	}
	return w, r.fail(ctx, "vectors", err)
}

// embeddedChanged reports whether commits after since may have changed which texts properties have: they changed the
// schema, have no change log or a long one, or changed a value of a property or a type that has one.
func (r *Reader) embeddedChanged(properties []EmbeddedProperty, since history.Seq) (bool, error) {
	if since == 0 || since > r.head.Seq || since < r.head.SchemaSeq {
		return true, nil
	}
	if unlogged, err := r.conn.Int64(unloggedCommits, since, r.head.Seq); err != nil || unlogged > 0 {
		return true, err
	}
	for _, p := range properties {
		for _, class := range append([]rdf.IRI{""}, p.Classes...) {
			terms := []rdf.Term{p.Property}
			if class != "" {
				terms = []rdf.Term{rdf.Type, class}
			}
			changed := int64(0)
			ids, known, err := r.ids(terms...)
			if known {
				changed, err = r.conn.Int64(changedSince, since, r.head.Seq, loggedWork, ids[0], ids[len(ids)-1])
			}
			if err != nil || changed != 0 {
				return true, err
			}
		}
	}
	return false, nil
}

func (r *Reader) vectorWork(ctx context.Context, properties []EmbeddedProperty) (VectorWork, error) {
	w := VectorWork{seq: r.head.Seq}
	const unused, used = 1, 2
	have := map[inline.TermID]byte{}
	err := r.rows(ctx, "SELECT term FROM vectors", func(row *stmt.Stmt) (bool, error) {
		have[row.ID(0)] = unused
		return true, nil
	})
	bytes := 0
	for _, p := range properties {
		if err != nil {
			return w, err
		}
		op := r.restricted(ctx, bgp(triplePattern(nil, p.Property, nil)), Selection{Classes: p.Classes})
		failed := r.askIDs(ctx, op, []sparql.Var{varO}, func(row []inline.TermID) bool {
			w.Read++
			id := row[0]
			if id <= 0 || have[id] == used {
				return true
			}
			known := have[id] == unused
			have[id] = used
			if known {
				return true
			}
			var text rdf.Term
			if text, err = r.dict.Peek(id); err != nil || !rdf.IsLiteral(text) {
				return err == nil
			}
			if w.Pending++; len(w.Texts) < vectorTexts && bytes < vectorBytes {
				bytes += len(rdf.Lexical(text))
				w.Texts = append(w.Texts, text)
			}
			return true
		})
		err = cmp.Or(err, failed)
	}
	for id, state := range have {
		if state == unused {
			w.Stale++
			if len(w.stale) < vectorTexts {
				w.stale = append(w.stale, id)
			}
		}
	}
	return w, err
}

// ClaimVectors makes owner the one that makes vectors until a time, unless another has not ended. Vectors of another
// model are dropped. It is a transaction of its own without a commit, as are the following ones.
func (f *File) ClaimVectors(ctx context.Context, owner string, model VectorModel, now, until time.Time) (claimed bool, err error) {
	err = f.beside(ctx, "claim vectors", f.opts.LockWait, func(c *conn) error {
		s, err := c.vectorState()
		if err != nil || s.Owner != "" && s.Owner != owner && now.Before(s.Until) {
			return err
		}
		claimed = true
		if s.VectorModel != model {
			if err := c.dropVectors(); err != nil {
				return err
			}
		}
		return c.Exec("UPDATE vector_space SET url = ?, model = ?, owner = ?, until = ?", nil, model.URL, model.Model, owner, until.UnixMicro())
	})
	return claimed, err
}

func (c *conn) dropVectors() error {
	if err := c.Exec("DELETE FROM vectors", nil); err != nil {
		return err
	}
	return c.Exec("UPDATE vector_space SET url = '', model = '', length = 0, seq = 0, pending = 0, problem = ''", nil)
}

// DropVectors removes all vectors, and says how many there were. What was refused is forgotten, too.
func (f *File) DropVectors(ctx context.Context) (n int64, err error) {
	err = f.beside(ctx, "drop vectors", f.opts.LockWait, func(c *conn) error {
		n, _, err = c.countVectors()
		if err != nil {
			return err
		}
		return c.dropVectors()
	})
	return n, err
}

// KeepVectors stores vectors that owner has made and texts that were refused, and prolongs its claim. All vectors have one length; if
// those that are there have another one, they are of another model and are dropped. Who has lost the claim gets the fault Conflict.
func (f *File) KeepVectors(ctx context.Context, owner string, until time.Time, list []TextVector) error {
	return f.beside(ctx, "keep vectors", f.opts.LockWait, func(c *conn) error {
		s, err := f.claimed(c, owner)
		if err != nil {
			return err
		}
		terms := dictionary.ForReading(c.Conn, dictionary.NewCache())
		for _, v := range list {
			refused := len(v.Numbers) == 0
			if !refused && s.Length != 0 && len(v.Numbers) != s.Length {
				if err := c.Exec("DELETE FROM vectors", nil); err != nil {
					return err
				}
				s.Seq = 0
			}
			if !refused {
				s.Length = len(v.Numbers)
			}
			id, known, err := terms.Lookup(v.Text)
			if err != nil {
				return err
			}
			if !known {
				continue
			}
			scale, numbers := packed(v.Numbers)
			if refused {
				scale, numbers = 0, []byte(v.Refusal)
			}
			if err := c.Exec("INSERT OR REPLACE INTO vectors (term, scale, digest, numbers) VALUES (?, ?, ?, ?)", nil, id, scale, vectorDigest(s.VectorModel, rdf.Lexical(v.Text), scale, numbers), numbers); err != nil {
				return err
			}
		}
		return c.Exec("UPDATE vector_space SET length = ?, seq = ?, until = ?, problem = '', pending = max(0, pending - ?)", nil, s.Length, s.Seq, until.UnixMicro(), len(list))
	})
}

// ForgetRefusals lets the texts that were refused be missing again, and says how many there were. Vectors stay.
func (f *File) ForgetRefusals(ctx context.Context) (n int64, err error) {
	err = f.beside(ctx, "forget refusals", f.opts.LockWait, func(c *conn) error {
		if _, n, err = c.countVectors(); err != nil || n == 0 {
			return err
		}
		if err := c.Exec(forgetRefusals, nil); err != nil {
			return err
		}
		return c.Exec("UPDATE vector_space SET seq = 0, pending = pending + ?", nil, n)
	})
	return n, err
}

// claimed returns the state of vectors for who has the claim.
func (f *File) claimed(c *conn, owner string) (VectorState, error) {
	s, err := c.vectorState()
	if err == nil && s.Owner != owner {
		err = fault.New(fault.Conflict, "another process makes the vectors of %s", fault.Path(f.path))
	}
	return s, err
}

// NoteVectors records what a comparison found, or why vectors could not be made, and removes vectors of texts that
// no property has any more. Who has lost the claim gets the fault Conflict.
func (f *File) NoteVectors(ctx context.Context, owner string, w VectorWork, problem string) error {
	return f.beside(ctx, "note vectors", f.opts.LockWait, func(c *conn) error {
		if _, err := f.claimed(c, owner); err != nil {
			return err
		}
		for _, id := range w.stale {
			if err := c.Exec("DELETE FROM vectors WHERE term = ?", nil, id); err != nil {
				return err
			}
		}
		if int64(len(w.stale)) < w.Stale {
			w.seq = 0 // the others are to be found
		}
		return c.Exec("UPDATE vector_space SET seq = ?, pending = ?, problem = ?", nil, w.seq, w.Pending, problem)
	})
}

// ReleaseVectors ends owner's claim.
func (f *File) ReleaseVectors(ctx context.Context, owner string) error {
	return f.beside(ctx, "release vectors", f.opts.LockWait, func(c *conn) error {
		return c.Exec("UPDATE vector_space SET owner = '', until = 0 WHERE owner = ?", nil, owner)
	})
}

// scaleUnit is the unit of a scale: billionths.
const scaleUnit = 1e-9

// packed returns a vector as signed bytes, and what they are multiplied by, in the unit scaleUnit.
func packed(v []float32) (scale int64, numbers []byte) {
	most := 0.0
	for _, n := range v {
		most = max(most, math.Abs(float64(n)))
	}
	if most == 0 {
		most = 1
	}
	scale, numbers = int64(math.Ceil(most/127/scaleUnit)), make([]byte, len(v))
	for i, n := range v {
		numbers[i] = byte(int8(math.Round(float64(n) / (float64(scale) * scaleUnit))))
	}
	return scale, numbers
}

// dotProduct is that of two packed vectors of the same length.
func dotProduct(a, b []byte) (sum int32) {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	for len(a) >= 4 {
		s0 += int32(int8(a[0])) * int32(int8(b[0]))
		s1 += int32(int8(a[1])) * int32(int8(b[1]))
		s2 += int32(int8(a[2])) * int32(int8(b[2]))
		s3 += int32(int8(a[3])) * int32(int8(b[3]))
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return s0 + s1 + s2 + s3
}

// vectorDigest is the digest of a vector's row: of the model, the text, the scale and the numbers.
func vectorDigest(of VectorModel, text string, scale int64, numbers []byte) int64 {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %d ", of.URL, of.Model, text, scale)
	h.Write(numbers)
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

// TextOf is a text, with a subject in the default graph and the property by which it has the text.
type TextOf struct {
	Subject  rdf.Term
	Property rdf.IRI
	Text     rdf.Term
}

// NearHit is a text that is near to a vector.
type NearHit struct {
	TextOf
	Similarity float64 // the cosine, 0 to 1
}

// RefusedText is a text that the endpoint has refused.
type RefusedText struct {
	TextOf
	Reason string // "" if it is not known
}

// nearText is a text and its similarity.
type nearText struct {
	id         inline.TermID
	similarity float64
}

// Near passes the texts that are nearest to a vector, the nearest first, with their subjects in the default graph, to
// take in batches until it returns false. Classes, if there are any, restrict the subjects. It reads all vectors, and
// looks up the subjects of the 2,000 nearest. A vector of another length than those of the file finds nothing. refused is how
// many texts the endpoint has refused, which are near to nothing.
func (r *Reader) Near(ctx context.Context, vector []float32, classes []rdf.IRI, take func([]NearHit) (more bool, err error)) (refused int64, err error) {
	if err = r.ready(ctx); err == nil {
		refused, err = r.near(ctx, vector, classes, take)
	}
	return refused, r.fail(ctx, "search", err)
}

func (r *Reader) near(ctx context.Context, vector []float32, classes []rdf.IRI, take func([]NearHit) (more bool, err error)) (refused int64, err error) {
	list, refused, err := r.nearest(ctx, vector)
	if err != nil {
		return refused, err
	}
	s := &textSearch{Reader: r, ctx: ctx, search: TextSearch{Classes: classes}, typed: map[int64]bool{}}
	for chunk := range slices.Chunk(list, textsTogether) {
		ids := make([]inline.TermID, len(chunk))
		for i, n := range chunk {
			ids[i] = n.id
		}
		var hits []NearHit
		err := s.textsOf(ids, func(i int, of TextOf) { hits = append(hits, NearHit{of, chunk[i].similarity}) })
		if err != nil {
			return refused, err
		}
		if more, err := take(hits); err != nil || !more {
			return refused, err
		}
	}
	return refused, nil
}

// nearest returns the texts with the greatest similarities that are more than 0, and counts those that were refused.
func (r *Reader) nearest(ctx context.Context, vector []float32) (list []nearText, refused int64, err error) {
	scale, asked := packed(vector)
	least := 0.0
	list = make([]nearText, 0, 2*nearestTexts)
	best := func() {
		sort.Slice(list, func(i, j int) bool {
			a, b := list[i], list[j]
			return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id)) < 0
		})
		if len(list) >= nearestTexts {
			list = list[:nearestTexts]
			least = list[nearestTexts-1].similarity
		}
	}
	numbers := make([]byte, len(asked))
	err = r.rows(ctx, "SELECT term, scale, numbers FROM vectors", func(row *stmt.Stmt) (bool, error) {
		switch {
		case row.ColumnInt64(1) == 0:
			refused++
			return true, nil
		case row.ColumnLen(2) != len(asked):
			return true, nil
		}
		row.ColumnBytes(2, numbers)
		if similarity := float64(scale) * scaleUnit * float64(row.ColumnInt64(1)) * scaleUnit * float64(dotProduct(asked, numbers)); similarity > least {
			if list = append(list, nearText{row.ID(0), min(similarity, 1)}); len(list) == cap(list) {
				best()
			}
		}
		return true, nil
	})
	best()
	return list, refused, err
}

// RefusedTexts passes the texts that the endpoint has refused, with their subjects in the default graph, to take in batches
// until it returns false. It looks up the subjects of 2,000 texts at most, and says with left that there are more.
func (r *Reader) RefusedTexts(ctx context.Context, take func([]RefusedText) (more bool, err error)) (left bool, err error) {
	if err := r.ready(ctx); err != nil {
		return false, r.fail(ctx, "refused texts", err)
	}
	left, err = r.refusedTexts(ctx, take)
	return left, r.fail(ctx, "refused texts", err)
}

func (r *Reader) refusedTexts(ctx context.Context, take func([]RefusedText) (more bool, err error)) (left bool, err error) {
	var ids []inline.TermID
	var reasons []string
	err = r.rows(ctx, "SELECT term, numbers FROM vectors WHERE scale = 0 ORDER BY term", func(row *stmt.Stmt) (bool, error) {
		if left = len(ids) == nearestTexts; left {
			return false, nil
		}
		ids, reasons = append(ids, row.ID(0)), append(reasons, string(row.Blob(1)))
		return true, nil
	})
	if err != nil {
		return left, err
	}
	s := &textSearch{Reader: r, ctx: ctx}
	for from := 0; from < len(ids); from += textsTogether {
		var list []RefusedText
		err := s.textsOf(ids[from:min(from+textsTogether, len(ids))], func(i int, of TextOf) { list = append(list, RefusedText{of, reasons[from+i]}) })
		if err != nil {
			return left, err
		}
		if more, err := take(list); err != nil || !more {
			return left, err
		}
	}
	return left, nil
}

// textsOf passes each text with each of its subjects, in the order of ids.
func (s *textSearch) textsOf(ids []inline.TermID, take func(i int, of TextOf)) error {
	who, err := s.having(ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if len(who[i]) == 0 {
			continue
		}
		of := TextOf{}
		if of.Text, err = s.dict.Peek(id); err != nil {
			return err
		}
		for _, at := range who[i] {
			if of.Subject, err = s.dict.Term(at.subject); err != nil {
				return err
			}
			p, err := s.dict.Term(at.property)
			if err != nil {
				return err
			}
			of.Property, _ = p.(rdf.IRI)
			take(i, of)
		}
	}
	return nil
}

// vectors checks that each vector and refusal is of a text of the dictionary, and each vector as long as the others.
func (v *verifier) vectors() error {
	s, err := v.conn.vectorState()
	if err != nil {
		return err
	}
	return v.conn.Exec("SELECT v.term, t.value, v.digest, v.scale, v.numbers FROM vectors v LEFT JOIN terms t ON t.id = v.term AND t.kind IN (3, 5)", func(row *stmt.Stmt) error {
		switch numbers := row.Blob(4); {
		case len(numbers) != s.Length && row.ColumnInt64(3) != 0:
			v.problem("vectors: the vector of term %d has %d numbers, and %d are said; trails embed --anew makes all of them again", row.ID(0), len(numbers), s.Length)
		case vectorDigest(s.VectorModel, row.ColumnText(1), row.ColumnInt64(3), numbers) != row.ColumnInt64(2):
			v.problem("vectors: the vector of term %d is not the one that was made of its text; trails embed --anew makes all of them again", row.ID(0))
		}
		return v.ctx.Err()
	})
}
