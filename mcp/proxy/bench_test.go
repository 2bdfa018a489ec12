package proxy_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/mcp/proxy"
)

// BenchmarkCall compares one call after another through the proxy with the same calls over HTTP, to a server that does
// nothing, with small answers and large ones, in JSON and as streams.
func BenchmarkCall(b *testing.B) {
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"health","arguments":{}}}`
	for _, size := range []int{100, 20_000, 1 << 20} {
		answer := `{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", size) + `"}}`
		for _, form := range []string{"json", "stream"} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if form == "json" {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, answer)
					return
				}
				events(w, "data: "+answer)
			}))
			defer s.Close()
			b.Run(fmt.Sprintf("size=%d/%s/direct", size, form), func(b *testing.B) {
				for b.Loop() {
					res, err := http.Post(s.URL, "application/json", strings.NewReader(message))
					if err != nil {
						b.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			})
			b.Run(fmt.Sprintf("size=%d/%s/proxy", size, form), func(b *testing.B) {
				u, err := proxy.ParseURL(s.URL)
				if err != nil {
					b.Fatal(err)
				}
				stdin, in := io.Pipe()
				out, stdout := io.Pipe()
				ended := make(chan error, 1)
				go func() {
					ended <- proxy.Run(b.Context(), stdin, stdout, proxy.Options{URL: u, Log: slog.New(slog.DiscardHandler)})
				}()
				lines := bufio.NewReaderSize(out, 1<<20)
				for b.Loop() {
					_, _ = in.Write([]byte(message + "\n"))
					for {
						part, err := lines.ReadSlice('\n')
						if bytes.HasSuffix(part, []byte{'\n'}) {
							break
						}
						if err != nil && err != bufio.ErrBufferFull {
							b.Fatal(err)
						}
					}
				}
				_ = in.Close()
				if err := <-ended; err != nil {
					b.Error(err)
				}
			})
		}
	}
}
