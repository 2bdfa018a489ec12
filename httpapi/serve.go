package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"trails/fault"
	"trails/invoke"
	"trails/loopback"
)

// Timeouts of a connection. Writing may take as long as the longest call and a slow connection need.
const (
	readHeaderTimeout = 10 * time.Second
	writeAfterCall    = 5 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// Listen listens on addr. Port 0 takes a free one. An address that is not a loopback one is refused unless beyond is set:
// everybody who reaches the port may write, or their tokens travel in the clear.
func Listen(ctx context.Context, addr string, beyond bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fault.New(fault.InvalidArguments, "--addr %q is not host:port, such as 127.0.0.1:8757 or [::1]:8757", addr)
	}
	if _, err := strconv.ParseUint(cmp.Or(port, "0"), 10, 16); err != nil {
		return nil, fault.New(fault.InvalidArguments, "--addr %q has no port from 1 to 65535, nor 0 for a free one: take 127.0.0.1:8757", addr)
	}
	if !beyond && !loopback.Is(host) {
		return nil, fault.New(fault.InvalidArguments, "--addr %s is not a loopback address, and over a network tokens would travel in the clear: serve TLS by --tls-cert and --tls-key or --autocert NAME, or take --addr 127.0.0.1:8757, and hand requests on by a proxy with TLS (--public-url says at which name) or a tunnel (ssh -L 8757:127.0.0.1:8757)", addr)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		why := ""
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			why = "another program has the port, perhaps another trails: stop it, or take a free port with --addr " + net.JoinHostPort(host, "0")
		case errors.Is(err, syscall.EACCES):
			why = "ports below 1024 need rights: take another with --addr " + net.JoinHostPort(host, "8757")
		case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EAFNOSUPPORT):
			why = "this machine has no such address: take --addr 127.0.0.1:" + port
		default:
			return nil, fault.New(fault.Unusable, "%s cannot be listened on", addr).Because(err)
		}
		return nil, fault.New(fault.Unusable, "%s cannot be listened on: %s", addr, why)
	}
	if !beyond && !IsLocal(ln) {
		return nil, errors.Join(fault.New(fault.InvalidArguments, "--addr %s leads to %s, which is not a loopback address; use 127.0.0.1", addr, ln.Addr()), ln.Close())
	}
	return ln, nil
}

// IsLocal reports whether a listener is reached from this machine alone.
func IsLocal(ln net.Listener) bool {
	tcp, ok := ln.Addr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// Serve answers on ln until ctx ends. Then /ready says no, event streams are ended, no connections are accepted, and
// calls in flight may continue for [Limits.Grace] before they are cut, which their callers are told. It closes ln. A Server
// serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	calls, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	limits, log := s.server.limits, s.server.log
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       limits.Arrival,
		WriteTimeout:      limits.Call + writeAfterCall,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return calls },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	stop, ended := s.server.opts.Stop, make(chan struct{})
	defer func() { <-ended }()
	// Event streams would exceed the grace; those of sessions are ended by their owners.
	s.server.traffic.close(func(r *http.Request) bool { return stop != nil && (r.URL.Path == "/mcp" || r.URL.Path == "/sse") })
	go func() {
		defer close(ended)
		if stop != nil {
			stop()
		}
	}()
	patience, cancel := context.WithTimeout(context.Background(), limits.Grace)
	defer cancel()
	err := srv.Shutdown(patience)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	log.Warn("calls still in flight are cut", "after", limits.Grace)
	cut(invoke.Stopped())
	telling, told := context.WithTimeout(context.Background(), lastAnswers)
	defer told()
	if srv.Shutdown(telling) == nil {
		return nil
	}
	return srv.Close()
}

// lastAnswers is how long calls that were cut have to say so.
const lastAnswers = 2 * time.Second
