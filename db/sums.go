package db

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"trails/db/history"
)

// The rows of meta, prov, idempotency, commits, descriptors, artifacts, tags, requests, tokens, budgets and grants have digests that [File.Verify] recomputes.
// They detect accidents and edits by hand, but not somebody who also recomputes the digests.
//
// Each is the SHA-256 of the table's name, a zero byte and the values that it covers in their order:
//
//	NULL     n
//	integer  i, eight bytes, the highest first
//	text     t, the length as a varint of encoding/binary, the bytes
//	blob     b, the length, the bytes
//
// The covered columns are in [summedTables]. The digest of a commit, its chain, also covers the chain of the previous
// commit and the digest of its activity (or NULL), so a missing commit or activity of a commit is detected, except at
// the end. The digest of a descriptor covers the previous one in the same way. The row "sum" of meta has the digest
// of the other rows in the order of their keys, in hexadecimal.
var summedTables = []summedTable{provSums, idempotencySums, commitChain, descriptorChain, artifactSums, tagSums, requestSums, tokenSums, budgetSums, grantSums}

// summedTable is a table with a digest in each row.
type summedTable struct {
	name, column string
	covers       string // name of the rows in a report
	// rows selects up to ?2 rows with a seq above ?1: seq and the other covered columns, then the digest.
	rows string
	// chained means that the digest of a row also covers the digest of the previous row.
	chained bool
}

var (
	provSums = summedTable{name: "prov", column: "sum", covers: "what the activity says", rows: `SELECT seq, id, capability, version, agent, via, started, ended, inputs,
		outcome, error, trace, cost, commit_seq, used, generated, dry_run, sum FROM prov WHERE seq > ? ORDER BY seq LIMIT ? + 0`}
	idempotencySums = summedTable{name: "idempotency", column: "sum", covers: "the key and what is remembered", rows: `SELECT seq, key, digest, result, ts, sum
		FROM idempotency WHERE seq > ? ORDER BY seq LIMIT ? + 0`}
	commitChain = summedTable{name: "commits", column: "chain", covers: "its row, its activity and the commit before", chained: true, rows: `SELECT seq, id, line, schema_seq, flags, added, removed, quads,
		(SELECT sum FROM prov WHERE commit_seq = c.seq AND commit_seq <> 0), chain FROM main.commits c WHERE seq > ? ORDER BY seq LIMIT ? + 0`}
	descriptorChain = summedTable{name: "descriptors", column: "chain", covers: "its row and the one before", chained: true, rows: `SELECT seq, capability, version, descriptor, ts, agent, program, commit_seq, chain
		FROM descriptors WHERE seq > ? ORDER BY seq LIMIT ? + 0`}
	artifactSums = summedTable{name: "artifacts", column: "sum", covers: "its owner and what is said of it", rows: `SELECT seq, owner, handle, label, media_type, tool, created, expires,
		(SELECT hash FROM artifact_contents WHERE id = content), (SELECT size FROM artifact_contents WHERE id = content), sum FROM artifacts WHERE seq > ? ORDER BY seq LIMIT ? + 0`}
)

const metaRows = "SELECT key, value FROM meta WHERE key <> 'sum' ORDER BY key"

// sum returns the digest of a row with these values; before is the digest of the previous row.
func (t summedTable) sum(before []byte, values ...any) []byte {
	if t.chained {
		return rowSum(t.name, append([]any{before}, values...)...)
	}
	return rowSum(t.name, values...)
}

// metaSum returns the digest of the keys and values of meta.
func metaSum(values ...any) string { return hex.EncodeToString(rowSum("meta", values...)) }

// rowSum returns the digest of values of the types that a [conn] binds.
func rowSum(table string, values ...any) []byte {
	text := append(make([]byte, 0, 512), table...)
	text = append(text, 0)
	for _, value := range values {
		switch v := value.(type) {
		case nil:
			text = append(text, 'n')
		case int:
			text = binary.BigEndian.AppendUint64(append(text, 'i'), uint64(v))
		case int64:
			text = binary.BigEndian.AppendUint64(append(text, 'i'), uint64(v))
		case history.Seq:
			text = binary.BigEndian.AppendUint64(append(text, 'i'), uint64(v))
		case string:
			text = append(binary.AppendUvarint(append(text, 't'), uint64(len(v))), v...)
		case []byte:
			if v == nil {
				text = append(text, 'n')
				continue
			}
			text = append(binary.AppendUvarint(append(text, 'b'), uint64(len(v))), v...)
		default:
			panic(fmt.Sprintf("db: a %T in a row", value))
		}
	}
	sum := sha256.Sum256(text)
	return sum[:]
}
