package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"trails/kg/fault"
)

// Timeouts and limits of a connection. Writing may take as long as a large load.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 2 * time.Minute
	writeTimeout      = 15 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	shutdownGrace     = 10 * time.Second
)

// Listen binds addr, which must be a loopback address: without authentication
// whoever reaches the port may write. Port 0 takes a free one.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fault.New(fault.InvalidArguments, "--addr %q is not host:port, such as 127.0.0.1:8757", addr)
	}
	if !isLoopbackName(host) {
		return nil, fault.New(fault.InvalidArguments, "--addr %s is not a loopback address, and there is no authentication for others yet; use --addr 127.0.0.1:8757 and a proxy or tunnel in front of it", addr)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fault.New(fault.Unusable, "listen on %s: %w", addr, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fault.New(fault.InvalidArguments, "--addr %s leads to %s, which is not a loopback address; use 127.0.0.1", addr, ln.Addr()), ln.Close())
	}
	return ln, nil
}

// Serve answers on ln until ctx ends, then lets calls in flight finish for ten
// seconds and cuts those that have not. It closes ln.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return calls },
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	return shutdown(srv, cut, log)
}

func shutdown(srv *http.Server, cut context.CancelFunc, log *slog.Logger) error {
	grace, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	err := srv.Shutdown(grace)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	log.Warn("calls still in flight are cut", "after", shutdownGrace)
	cut()
	return srv.Close()
}
