//go:build !sqlite_public

package pager

import (
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"

	"trails/db/scan"
)

// TreePages reads the pages of one tree. A long scan mostly reads adjacent pages of the file, upward or downward.
// The first pages of a scan are pinned one by one and stay in SQLite's cache. Then whole blocks are read from the
// file, bypassing the cache, in which no page would stay until it is used again anyway. That takes a third of the
// time, and leaves the cache to others. See docs/decisions/0074-pages-ahead.md.
type TreePages struct {
	*Pages
	last     uint32 // last page that was not in the cache
	straight int    // number of adjacent pages up to last
	all      int    // number of adjacent pages since the beginning
	block    []byte
	first, n uint32 // pages in the block
	pinned   int    // of the block
	pins     int    // number of pins so far
}

const (
	// aheadFrom is the number of pages that are read one by one before blocks are read: half a MiB.
	aheadFrom = 128
	// aheadStraight is how many of the last pages must have been adjacent.
	aheadStraight = 4
	// aheadGap is the greatest distance of pages that count as adjacent.
	aheadGap = 4
	// aheadPages is the number of pages in a block: 64 KiB.
	aheadPages = 16
)

// Pin pins a page and returns it.
func (t *TreePages) Pin(number uint32) (scan.Page, error) {
	t.pins++
	if page, ok := t.held(number); ok {
		return page, nil
	}
	if t.reads {
		if page := pagerLookup(t.of.tls, t.pager, number); page != 0 {
			return t.pin(page), nil
		}
		t.follow(number)
		if page, ok := t.held(number); ok {
			return page, nil
		}
	}
	return t.Pages.Pin(number)
}

// Unpin unpins a page.
func (t *TreePages) Unpin(page scan.Page) {
	if page.Handle == ofBlock {
		t.pinned--
		return
	}
	t.Pages.Unpin(page)
}

// ofBlock is the handle of pages in the block.
const ofBlock = -1

// Pins returns how often a page was pinned so far.
func (t *TreePages) Pins() int { return t.pins }

// held returns a leaf page of the block. Other pages are used for long, and belong in the cache.
func (t *TreePages) held(number uint32) (scan.Page, bool) {
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

// follow records that a page outside the cache is being read. After enough adjacent pages it reads the block that
// begins with the page, or ends with it when scanning downward.
func (t *TreePages) follow(number uint32) {
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
	if osRead(t.of.tls, at[sqlite3.TPager](t.pager).Ffd, uintptr(unsafe.Pointer(&t.block[0])), int32(behind-first)*int32(t.size), int64(first-1)*int64(t.size)) == sqlite3.SQLITE_OK {
		t.n = behind - first
	}
}

// inFile reports whether the transaction's version of a page is the one in the file.
func (t *TreePages) inFile(number uint32) bool {
	pager := at[sqlite3.TPager](t.pager)
	if number == 0 || number > pager.FdbSize {
		return false
	}
	if pager.FpWal == 0 {
		return true
	}
	const word = 8
	frame := t.of.tls.Alloc(word)
	defer t.of.tls.Free(word)
	*at[uint32](frame) = 0
	return walFindFrame(t.of.tls, pager.FpWal, number, frame) == sqlite3.SQLITE_OK && *at[uint32](frame) == 0
}
