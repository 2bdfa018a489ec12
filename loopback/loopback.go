// Package loopback says which names of hosts are this machine. It asks no resolver, and knows nothing of ports and schemes.
package loopback

import "net/netip"

// Is reports whether the name of a host, without a port or brackets, is this machine for everybody: it is a loopback
// address, or exactly localhost. Every other name, "LOCALHOST", "localhost." and "127.1" too, may be read in another way by
// somebody else, and is not. It is safe for concurrent use.
func Is(name string) bool {
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && addr.Zone() == "" && addr.IsLoopback()
}
