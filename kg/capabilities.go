package kg

import (
	"context"
	"time"

	"trails/capability"
	"trails/db"
	"trails/fault"
)

// CapabilityVersion is one version of a capability's descriptor, as this file first saw it; see
// [db.CapabilityVersion].
type CapabilityVersion = db.CapabilityVersion

// Offered is a capability as a program offers it under a snapshot.
type Offered struct {
	capability.Descriptor
	At time.Time
	// Agent is the author of the schema that it comes from, "" for a capability that the program always has.
	Agent, Program string
	// Head is the commit of the snapshot, 0 before the first.
	Head Seq
}

// Number gives each offered capability its version, from the versions that the file knows (see
// [capability.Descriptor.Numbered]), and returns the indexes of those that the file does not know yet. A version that
// was written too low by hand is the fault InvalidData.
func (s *Snapshot) Number(ctx context.Context, all []Offered) (unknown []int, err error) {
	return number(ctx, s.source, all)
}

func number(ctx context.Context, r *db.Reader, all []Offered) (unknown []int, err error) {
	known, err := r.CapabilityVersions(ctx)
	if err != nil {
		return nil, err
	}
	for i, o := range all {
		d, fresh, err := o.Numbered(known[o.ID], func(version string) (capability.Descriptor, error) {
			v, err := r.CapabilityVersion(ctx, o.ID, version)
			if err != nil {
				return capability.Descriptor{}, err
			}
			return capability.Read([]byte(v.Descriptor))
		})
		if err != nil {
			return nil, err
		}
		all[i].Version = d.Version
		if fresh {
			unknown = append(unknown, i)
		}
	}
	return unknown, nil
}

// CapabilityHistory returns the versions of a capability that the file has seen, the newest
// first.
func (s *Snapshot) CapabilityHistory(ctx context.Context, id string) ([]CapabilityVersion, error) {
	return s.source.CapabilityHistory(ctx, id)
}

// EachCapabilityVersion calls each with every version of every capability that the file has
// seen, the oldest first.
func (s *Snapshot) EachCapabilityVersion(ctx context.Context, each func(CapabilityVersion)) error {
	return s.source.EachCapabilityVersion(ctx, each)
}

// RecordCapabilities stores those of the offered capabilities that the file does not know, in a transaction without a
// commit. Their ids must be different. It reports whether one got another version, because another process stored
// different content first. It does not wait behind a long write: the fault [fault.TimedOut] says to try again. On a
// file that cannot be written it does nothing.
func (g *Graph) RecordCapabilities(ctx context.Context, offered []Offered) (moved bool, err error) {
	if g.Foreign() != nil {
		return false, nil
	}
	contents := make([]string, len(offered))
	for i, o := range offered {
		contents[i] = string(o.Content())
	}
	err = g.file.AddCapabilityVersions(ctx, func(r *db.Reader) (list []CapabilityVersion, err error) {
		numbered := append([]Offered{}, offered...)
		unknown, err := number(ctx, r, numbered)
		if err != nil {
			return nil, err
		}
		for i, o := range numbered {
			moved = moved || o.Version != offered[i].Version
		}
		for _, i := range unknown {
			o := numbered[i]
			list = append(list, CapabilityVersion{
				Capability: o.ID, Version: o.Version, Descriptor: contents[i], At: o.At,
				Agent: o.Agent, Program: o.Program, CommitSeq: o.Head,
			})
		}
		return list, nil
	})
	if fault.Is(err, fault.InvalidData) {
		return true, err
	}
	return moved && err == nil, err
}
