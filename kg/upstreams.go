package kg

import (
	"context"
	"slices"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/gateway"
	"trails/kg/change"
	"trails/rdf"
)

// mostUpstreams bounds the upstream servers of a file.
const mostUpstreams = 256

// Upstreams returns the upstream servers that the file names, by name.
func (s *Snapshot) Upstreams() []gateway.Kept { return s.compiled.upstreams }

// PutUpstream adds an upstream server to the file, or replaces the one with the same name, as one commit. An
// identical one changes nothing.
func (s *Session) PutUpstream(ctx context.Context, server gateway.Server, set ChangeSet) (Result, error) {
	if err := server.Check(); err != nil {
		return Result{}, err
	}
	return s.editUpstream(ctx, server.Name, &server, set)
}

// RemoveUpstream removes an upstream server; an unknown name is the fault Missing.
func (s *Session) RemoveUpstream(ctx context.Context, name string, set ChangeSet) (Result, error) {
	return s.editUpstream(ctx, name, nil, set)
}

// AcceptUpstream marks changes of an upstream server's tools as accepted, as one commit. The fault Conflict says that
// the file has another server by this name now.
func (s *Session) AcceptUpstream(ctx context.Context, server gateway.Server, changes []gateway.Change, set ChangeSet) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	prepare := func(_ context.Context, _ *db.Writer, before *compiled) error {
		k, err := gateway.Named(before.upstreams, server.Name)
		if err != nil {
			return err
		}
		if k.Digest() != server.Digest() {
			return fault.New(fault.Conflict, "the upstream %s was defined anew meanwhile; look at what it offers now", server.Name)
		}
		add, remove, err := k.Accepted.Accept(server, changes)
		if err != nil {
			return err
		}
		if err := editQuads(&spool, change.Retract, remove...); err != nil {
			return err
		}
		return editQuads(&spool, change.Assert, add...)
	}
	return s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: set, prepare: prepare})
}

// GatewaySettings returns how tools of upstream servers are offered and called: the zero Settings if the file has
// none. An error means that this program cannot read them.
func (s *Snapshot) GatewaySettings() (gateway.Settings, error) {
	return s.compiled.gateway.Settings, s.compiled.gateway.Err
}

// PutGatewaySettings replaces the settings, as one commit. The zero Settings remove them.
func (s *Session) PutGatewaySettings(ctx context.Context, settings gateway.Settings, set ChangeSet) (Result, error) {
	if err := settings.Check(); err != nil {
		return Result{}, err
	}
	var spool change.Spool
	defer spool.Close()
	prepare := func(_ context.Context, _ *db.Writer, before *compiled) error {
		was, becomes := before.gateway.Quad, settings.Quad()
		if was == becomes {
			return nil
		}
		if was.Subject != nil {
			if err := editQuads(&spool, change.Retract, was); err != nil {
				return err
			}
		}
		if settings.Text() == (gateway.Settings{}).Text() {
			return nil
		}
		return editQuads(&spool, change.Assert, becomes)
	}
	return s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: set, prepare: prepare})
}

func (s *Session) editUpstream(ctx context.Context, name string, becomes *gateway.Server, set ChangeSet) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	prepare := func(_ context.Context, _ *db.Writer, before *compiled) error {
		was, err := gateway.Named(before.upstreams, name)
		known := was.Quads != nil // also one that cannot be read
		switch {
		case becomes == nil && !known:
			return err
		case becomes == nil:
			return editQuads(&spool, change.Retract, was.Quads...)
		case !known && len(before.upstreams) >= mostUpstreams:
			return fault.New(fault.TooLarge, "the file names %d upstream servers, and no more fit; remove one first", mostUpstreams)
		case slices.ContainsFunc(before.upstreams, func(k gateway.Kept) bool { return k.Name != name && k.Err == nil && k.Space() == becomes.Space() }):
			return fault.New(fault.Conflict, "another upstream has the namespace %s, under which its tools are found; say another namespace", becomes.Space())
		case known && slices.Equal(was.Definitions(), []rdf.Quad{becomes.Quad()}):
			return nil
		case known:
			if err := editQuads(&spool, change.Retract, was.Definitions()...); err != nil {
				return err
			}
		}
		return editQuads(&spool, change.Assert, becomes.Quad())
	}
	return s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: set, prepare: prepare})
}
