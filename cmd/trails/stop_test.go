//go:build unix

package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// Every signal by which a terminal or a service ends a program lets it finish in order.
func TestServersStopInOrderByEverySignal(t *testing.T) {
	sigs := []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM}
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, sigs...) // a signal that this process ignores, as behind nohup, its children would ignore
	defer signal.Stop(caught)
	for _, sig := range sigs {
		t.Run(sig.String(), func(t *testing.T) {
			cmd := exec.Command("trails", "mcp", newNotes(t))
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, oneRequest); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil { // it is up
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended by %v", err)
			}
		})
	}
}

// A port that another program has is told apart from what cannot be listened on.
func TestABusyPortSaysTheWayOut(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	var out, errs strings.Builder
	code := run([]string{"serve", newNotes(t), "--addr", ln.Addr().String()}, strings.NewReader(""), &out, &errs, nil)
	if code != exitFailed || !strings.Contains(errs.String(), "--addr 127.0.0.1:0") {
		t.Errorf("%d: %s", code, errs.String())
	}
}
