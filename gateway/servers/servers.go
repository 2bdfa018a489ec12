// Package servers is what a file holds of the gateway: the upstream servers that it names, what was accepted of them,
// and the settings. A snapshot tells them, and commits change them.
package servers

import (
	"context"
	"slices"

	"trails/fault"
	"trails/gateway"
	"trails/kg"
	"trails/rdf"
)

// mostServers bounds the upstream servers of a file.
const mostServers = 256

var (
	named    = kg.NewPart(gateway.FromQuads)
	settings = kg.NewPart(gateway.SettingsFromQuads)
)

// Of returns the upstream servers that a file names, by name. All snapshots share them.
func Of(s *kg.Snapshot) []gateway.Kept { return named.Of(s) }

// Settings returns how tools of upstream servers are offered and called: the zero Settings if the file has none. An
// error means that this program cannot read them.
func Settings(s *kg.Snapshot) (gateway.Settings, error) {
	k := settings.Of(s)
	return k.Settings, k.Err
}

// Put adds an upstream server to the file, or replaces the one with the same name, as one commit. An identical one
// changes nothing.
func Put(ctx context.Context, s *kg.Session, server gateway.Server, set kg.ChangeSet) (kg.Result, error) {
	if err := server.Check(); err != nil {
		return kg.Result{}, err
	}
	return s.EditRecords(ctx, func(records []rdf.Quad) (add, remove []rdf.Quad, err error) {
		all, becomes := gateway.FromQuads(records), []rdf.Quad{server.Quad()}
		was, _ := gateway.Named(all, server.Name)
		known := was.Quads != nil // also one that cannot be read
		switch {
		case !known && len(all) >= mostServers:
			return nil, nil, fault.New(fault.TooLarge, "the file names %d upstream servers, and no more fit; remove one first", mostServers)
		case slices.ContainsFunc(all, func(k gateway.Kept) bool { return k.Name != server.Name && k.Err == nil && k.Space() == server.Space() }):
			return nil, nil, fault.New(fault.Conflict, "another upstream has the namespace %s, under which its tools are found; say another namespace", server.Space())
		case slices.Equal(was.Definitions(), becomes):
			return nil, nil, nil
		}
		return becomes, was.Definitions(), nil
	}, set)
}

// Remove removes an upstream server, also one that cannot be read; an unknown name is the fault Missing.
func Remove(ctx context.Context, s *kg.Session, name string, set kg.ChangeSet) (kg.Result, error) {
	return s.EditRecords(ctx, func(records []rdf.Quad) (add, remove []rdf.Quad, err error) {
		was, err := gateway.Named(gateway.FromQuads(records), name)
		if was.Quads == nil {
			return nil, nil, err
		}
		return nil, was.Quads, nil
	}, set)
}

// Accept marks changes of an upstream server's tools as accepted, as one commit. The fault Conflict says that the file
// has another server by this name now.
func Accept(ctx context.Context, s *kg.Session, server gateway.Server, changes []gateway.Change, set kg.ChangeSet) (kg.Result, error) {
	return s.EditRecords(ctx, func(records []rdf.Quad) (add, remove []rdf.Quad, err error) {
		k, err := gateway.Named(gateway.FromQuads(records), server.Name)
		if err != nil {
			return nil, nil, err
		}
		if k.Digest() != server.Digest() {
			return nil, nil, fault.New(fault.Conflict, "the upstream %s was defined anew meanwhile; look at what it offers now", server.Name)
		}
		return k.Accepted.Accept(server, changes)
	}, set)
}

// Configure replaces the settings, as one commit. The zero Settings remove them.
func Configure(ctx context.Context, s *kg.Session, becomes gateway.Settings, set kg.ChangeSet) (kg.Result, error) {
	if err := becomes.Check(); err != nil {
		return kg.Result{}, err
	}
	return s.EditRecords(ctx, func(records []rdf.Quad) (add, remove []rdf.Quad, err error) {
		was := gateway.SettingsFromQuads(records).Quad
		if was == becomes.Quad() {
			return nil, nil, nil
		}
		if was.Subject != nil {
			remove = []rdf.Quad{was}
		}
		if becomes.Text() != (gateway.Settings{}).Text() {
			add = []rdf.Quad{becomes.Quad()}
		}
		return add, remove, nil
	}, set)
}
