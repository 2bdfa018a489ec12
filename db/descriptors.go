package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// CapabilityVersion is one version of a capability's descriptor, as this file first saw it.
type CapabilityVersion struct {
	// Capability is an id, Version unique for it.
	Capability, Version string
	// Descriptor is JSON, without the version.
	Descriptor string
	At         time.Time
	// Agent is the author of the schema that the descriptor comes from, "" for a capability that the program always
	// has. Program is the program that wrote it.
	Agent, Program string
	// CommitSeq is the head at that time, 0 before the first commit.
	CommitSeq history.Seq
}

const insertDescriptor = `INSERT INTO descriptors (seq, capability, version, descriptor, ts, agent, program, commit_seq, chain)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// AddCapabilityVersions stores the versions that missing returns, in its own transaction, without a commit. missing
// is called under the write lock, with a reader of the stored ones. It does not wait behind a long write: the fault
// TimedOut says to try again later.
func (f *File) AddCapabilityVersions(ctx context.Context, missing func(*Reader) ([]CapabilityVersion, error)) error {
	return f.beside(ctx, "describe", shortWait, func(c *conn) error {
		r := &Reader{file: f, conn: c, ctx: ctx}
		var err error
		if r.head, err = r.readHead(Main); err != nil {
			return err
		}
		list, err := missing(r)
		if err != nil {
			return err
		}
		last, chain := int64(0), []byte(nil)
		err = c.Exec("SELECT seq, chain FROM descriptors ORDER BY seq DESC LIMIT 1", func(s *stmt.Stmt) error {
			last, chain = s.ColumnInt64(0), s.Blob(1)
			return nil
		})
		if err != nil {
			return err
		}
		for _, v := range list {
			last++
			row := []any{last, v.Capability, v.Version, v.Descriptor, v.At.UnixMicro(), v.Agent, v.Program, v.CommitSeq}
			chain = descriptorChain.sum(chain, row...)
			if err := c.Exec(insertDescriptor, nil, append(row, chain)...); err != nil {
				return fmt.Errorf("record descriptor: %w", err)
			}
		}
		return nil
	})
}

// CapabilityVersions returns the versions of all capabilities by id.
func (r *Reader) CapabilityVersions(ctx context.Context) (map[string][]string, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "versions", err)
	}
	all := map[string][]string{}
	err := r.conn.Exec("SELECT id FROM descriptors ORDER BY id", func(s *stmt.Stmt) error {
		id, version, _ := strings.Cut(s.ColumnText(0), "@")
		all[id] = append(all[id], version)
		return nil
	})
	return all, r.fail(ctx, "versions", err)
}

const capabilityVersions = "SELECT capability, version, descriptor, ts, agent, program, commit_seq FROM descriptors "

// EachCapabilityVersion calls each with every version of every capability, oldest first.
func (r *Reader) EachCapabilityVersion(ctx context.Context, each func(CapabilityVersion)) error {
	return r.eachCapabilityVersion(ctx, each, capabilityVersions+"ORDER BY seq")
}

// CapabilityVersion returns one version of a capability, or the fault Missing.
func (r *Reader) CapabilityVersion(ctx context.Context, capability, version string) (CapabilityVersion, error) {
	found, err := r.capabilityVersions(ctx, capabilityVersions+"WHERE id = ?", capability+"@"+version)
	if err == nil && len(found) == 0 {
		return CapabilityVersion{}, fault.New(fault.Missing, "no version %s of capability %s", version, capability)
	}
	if err != nil {
		return CapabilityVersion{}, err
	}
	return found[0], nil
}

// CapabilityHistory returns the versions of a capability, newest first.
func (r *Reader) CapabilityHistory(ctx context.Context, capability string) ([]CapabilityVersion, error) {
	// "A" follows "@", and no other id begins with this one and "@".
	return r.capabilityVersions(ctx, capabilityVersions+"WHERE id >= ? AND id < ? ORDER BY seq DESC", capability+"@", capability+"A")
}

func (r *Reader) capabilityVersions(ctx context.Context, sql string, args ...any) (list []CapabilityVersion, err error) {
	err = r.eachCapabilityVersion(ctx, func(v CapabilityVersion) { list = append(list, v) }, sql, args...)
	return list, err
}

func (r *Reader) eachCapabilityVersion(ctx context.Context, each func(CapabilityVersion), sql string, args ...any) error {
	if err := r.ready(ctx); err != nil {
		return r.fail(ctx, "versions", err)
	}
	err := r.conn.Exec(sql, func(s *stmt.Stmt) error {
		each(CapabilityVersion{
			Capability: s.ColumnText(0), Version: s.ColumnText(1), Descriptor: s.ColumnText(2), At: s.Time(3),
			Agent: s.ColumnText(4), Program: s.ColumnText(5), CommitSeq: s.Seq(6),
		})
		return nil
	}, args...)
	return r.fail(ctx, "versions", err)
}
