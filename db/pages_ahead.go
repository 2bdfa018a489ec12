package db

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"trails/db/scan"
)

// pagesOfTree reads the pages of one tree. Whoever reads much of one mostly goes through the
// file from one page to the next, up or down. The first pages of such a reading are pinned one
// by one and stay in SQLite's cache. Then come blocks of the file, beside the cache, in which
// no page would stay until it is read again: a page takes a third of the time, and the cache
// is left to others. See docs/decisions/0074-pages-ahead.md.
type pagesOfTree struct {
	*pages
	last     uint32 // page that was not in the cache
	straight int    // pages that have followed each other up to it
	all      int    // pages that have followed one, since the beginning
	block    []byte
	first, n uint32 // pages in it
	pinned   int    // of these
	pins     int    // so far
}

const (
	// aheadFrom is how many pages are read one by one before blocks are: half a MiB.
	aheadFrom = 128
	// aheadStraight is how many of these are the last.
	aheadStraight = 4
	// aheadGap is how far from the last page is the next one.
	aheadGap = 4
	// aheadPages is how many are read together: 64 KiB.
	aheadPages = 16
)

// osRead reads a part of a file; walFindFrame finds the frame of the log that has a page as the
// transaction sees it, 0 where the file has that; pagerLookup is the page in the cache, if it is
// there.
//
//go:linkname osRead modernc.org/sqlite/lib._sqlite3OsRead
func osRead(tls *libc.TLS, file, to uintptr, bytes int32, from int64) int32

//go:linkname walFindFrame modernc.org/sqlite/lib._sqlite3WalFindFrame
func walFindFrame(tls *libc.TLS, wal uintptr, number sqlite3.TPgno, frame uintptr) int32

//go:linkname pagerLookup modernc.org/sqlite/lib._sqlite3PagerLookup
func pagerLookup(tls *libc.TLS, pager uintptr, number sqlite3.TPgno) uintptr

// Pin is a page.
func (t *pagesOfTree) Pin(number uint32) (scan.Page, error) {
	t.pins++
	if page, ok := t.held(number); ok {
		return page, nil
	}
	if t.reads {
		if page := pagerLookup(t.conn.tls, t.pager, number); page != 0 {
			return t.pin(page), nil
		}
		t.follow(number)
		if page, ok := t.held(number); ok {
			return page, nil
		}
	}
	return t.pages.Pin(number)
}

// Unpin gives a page back.
func (t *pagesOfTree) Unpin(page scan.Page) {
	if page.Handle == ofBlock {
		t.pinned--
		return
	}
	t.pages.Unpin(page)
}

// ofBlock is the handle of pages of the block.
const ofBlock = -1

// held is a leaf in the block. Other pages are pinned for long, and belong into the cache.
func (t *pagesOfTree) held(number uint32) (scan.Page, bool) {
	if number-t.first >= t.n {
		return scan.Page{}, false
	}
	from := int(number-t.first) * t.size
	page := t.block[from : from+t.size : from+t.size]
	if !scan.IsLeaf(page) {
		return scan.Page{}, false
	}
	t.pinned++
	t.last = number
	return scan.Page{Bytes: page, Handle: ofBlock}, true
}

// follow notes that a page is read that is not in the cache. Where so many have followed each
// other that others will, it reads the block that begins with the page, or ends with it on the
// way down.
func (t *pagesOfTree) follow(number uint32) {
	gap := int64(number) - int64(t.last)
	t.last = number
	if gap > aheadGap || gap < -aheadGap {
		t.straight = 0
		return
	}
	t.straight++
	t.all++
	if t.straight < aheadStraight || t.all < aheadFrom || t.pinned > 0 {
		return
	}
	first, behind := number, number
	if gap > 0 {
		for behind-first < aheadPages && t.inFile(behind) {
			behind++
		}
	} else {
		for first, behind = number+1, number+1; behind-first < aheadPages && t.inFile(first-1); {
			first--
		}
	}
	if first == behind {
		return
	}
	if t.block == nil {
		t.block = make([]byte, aheadPages*t.size)
	}
	t.first, t.n = first, 0
	if osRead(t.conn.tls, at[sqlite3.TPager](t.pager).Ffd, uintptr(unsafe.Pointer(&t.block[0])), int32(behind-first)*int32(t.size), int64(first-1)*int64(t.size)) == sqlite3.SQLITE_OK {
		t.n = behind - first
	}
}

// inFile tells whether the transaction has a page, and as it is in the file.
func (t *pagesOfTree) inFile(number uint32) bool {
	pager := at[sqlite3.TPager](t.pager)
	if number == 0 || number > pager.FdbSize {
		return false
	}
	if pager.FpWal == 0 {
		return true
	}
	const word = 8
	frame := t.conn.tls.Alloc(word)
	defer t.conn.tls.Free(word)
	*at[uint32](frame) = 0
	return walFindFrame(t.conn.tls, pager.FpWal, number, frame) == sqlite3.SQLITE_OK && *at[uint32](frame) == 0
}
