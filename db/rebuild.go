package db

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"trails/db/extsort"
	"trails/db/history"
	"trails/db/leaf"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
)

// rebuild writes live and its indexes anew from all their rows. The rows are sorted for each b-tree, in bounded
// memory, and written as pages through sqlite_dbpage (https://sqlite.org/dbpage.html), within the current
// transaction. SQLite would take four times as long to insert the rows and to sort them for each index.
type rebuild struct {
	sorters []extsort.Sorter // one for each of leaf.Trees
	adding  job
}

// rebuiltChunk is how many bytes each sorter collects before it sorts.
const rebuiltChunk = 2 << 20

// rebuilds reports whether the buffered rows go to a rebuild: one has begun, or they are many and more than the
// existing rows. Pages are only written where SQLite's own are known; otherwise rows are inserted.
func (w *Writer) rebuilds() bool {
	if !pager.Private {
		return false
	}
	rows := int64(len(w.bulk.rows))
	return w.bulk.rebuild != nil || w.log.skipped && rows >= smallChunk && rows >= w.head.Quads+w.bulk.inserted
}

// beginRebuild begins a rebuild if it is worthwhile. A file with auto-vacuum, which keeps a map of its pages, is left
// to SQLite.
func (w *Writer) beginRebuild(ctx context.Context) error {
	b := w.bulk
	if b.rebuild != nil || !w.rebuilds() {
		return nil
	}
	if kept, err := w.conn.Int64("PRAGMA auto_vacuum"); kept != 0 || err != nil {
		return err
	}
	b.rebuild = &rebuild{sorters: make([]extsort.Sorter, len(leaf.Trees))}
	for i := range b.rebuild.sorters {
		b.rebuild.sorters[i].ChunkBytes = rebuiltChunk
	}
	return w.conn.Exec(liveRows, func(s *stmt.Stmt) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return b.rebuild.addOne(idsOf(s, 0), s.Seq(4))
	})
}

// add sorts rows in a goroutine, while the caller collects the next ones. Since sorting needs no connection, the
// connection can insert terms at the same time.
func (r *rebuild) add(ctx context.Context, rows []quadIDs, added history.Seq) error {
	if err := r.adding.settle(); err != nil {
		return err
	}
	r.adding.start(func() error {
		for _, ids := range rows {
			if err := r.addOne(ids, added); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return nil
}

func (r *rebuild) addOne(ids quadIDs, added history.Seq) error {
	for i, tree := range leaf.Trees {
		if tree == leaf.GPOS && ids[posG] == defaultGraph {
			continue
		}
		row := rowOf(tree, ids, added)
		err := r.sorters[i].Add(func(record []byte) []byte {
			for _, n := range row {
				record = scan.AppendOrdered(record, n)
			}
			return record
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stopRebuild discards the rows.
func (b *bulk) stopRebuild() {
	if b == nil || b.rebuild == nil {
		return
	}
	_ = b.rebuild.adding.settle()
	for i := range b.rebuild.sorters {
		_ = b.rebuild.sorters[i].Close() // its files have no names any more
	}
	b.rebuild = nil
}

// rebuildLive writes the b-trees.
func (w *Writer) rebuildLive(ctx context.Context) error {
	r := w.bulk.rebuild
	if r == nil {
		return nil
	}
	defer w.bulk.stopRebuild()
	if err := r.adding.settle(); err != nil {
		return err
	}
	if err := w.conn.Exec(leaf.RemoveAll, nil); err != nil {
		return err
	}
	pages, err := w.conn.newPages()
	if err != nil {
		return err
	}
	defer pages.release()
	for i, tree := range leaf.Trees {
		root, err := w.conn.RootOf(tree.Present())
		if err != nil {
			return err
		}
		rows, err := r.sorters[i].Sorted()
		if err != nil {
			return err
		}
		if err := pages.build(ctx, uint32(root), rows); err != nil {
			return err
		}
	}
	return pages.settle()
}

// newPages appends pages to the file.
type newPages struct {
	conn  *conn
	write *stmt.Stmt
	first []byte // the first page of the file
	next  uint32 // the number of the next page
	roots map[uint32][]byte
}

const (
	writePage = "INSERT INTO sqlite_dbpage (pgno, data) VALUES (?, ?)"
	// Offsets in the first page (https://sqlite.org/fileformat2.html#the_database_header).
	reservedAt, sizeAt = 20, 28
	// lockedByte is in a page that must not be written.
	lockedByte = 1 << 30
)

func (c *conn) newPages() (*newPages, error) {
	pages, err := c.Pages()
	if err != nil {
		return nil, err
	}
	defer pages.Release()
	page, err := pages.Pin(1)
	if err != nil {
		return nil, err
	}
	first := bytes.Clone(page.Bytes)
	write, err := c.Take(writePage)
	return &newPages{conn: c, write: write, first: first, next: binary.BigEndian.Uint32(first[sizeAt:]) + 1, roots: map[uint32][]byte{}}, err
}

func (p *newPages) release() { p.write.Release() }

// build writes a b-tree whose root page already exists.
func (p *newPages) build(ctx context.Context, root uint32, rows *extsort.Cursor) error {
	tree := scan.NewBuilder(len(p.first), int(p.first[reservedAt]), func(page []byte, isRoot bool) (uint32, error) {
		if isRoot {
			p.roots[root] = page
			return root, p.put(root, page)
		}
		if p.next == lockedByte/uint32(len(page))+1 {
			p.next++
		}
		number := p.next
		p.next++
		return number, errors.Join(ctx.Err(), p.put(number, page))
	})
	for {
		row, ok := rows.Peek()
		if !ok {
			return tree.End()
		}
		if err := tree.Add(row); err != nil {
			return err
		}
		if err := rows.Advance(); err != nil {
			return err
		}
	}
}

func (p *newPages) put(number uint32, page []byte) error {
	p.write.BindInt64(1, int64(number))
	p.write.BindBytes(2, page)
	if _, err := p.write.Step(); err != nil {
		return err
	}
	return p.write.Reset()
}

// settle makes SQLite aware of the new pages. It caches their number and the content of pages that it has read;
// rolling back to a savepoint makes it read both again.
func (p *newPages) settle() error {
	binary.BigEndian.PutUint32(p.first[sizeAt:], p.next-1)
	if err := p.put(1, p.first); err != nil {
		return err
	}
	if err := p.conn.Once("SAVEPOINT pages"); err != nil {
		return err
	}
	for root, page := range p.roots {
		if err := p.put(root, page); err != nil {
			return err
		}
	}
	return p.conn.Apply([]string{"ROLLBACK TO pages", "RELEASE pages"})
}

// rowOf returns a row of the b-tree of present statements in an order.
func rowOf(order leaf.Order, ids quadIDs, added history.Seq) (row [5]int64) {
	for i, column := range order.Columns() {
		row[i] = int64(ids[column])
	}
	row[4] = int64(added)
	return row
}
