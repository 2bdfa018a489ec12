package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// started is a server of ours in a process of its own.
type started struct {
	cmd  *exec.Cmd
	base string // http://127.0.0.1:port
	said chan string
}

// start runs a command that serves and waits until it has said where.
func start(t *testing.T, env []string, args ...string) *started {
	t.Helper()
	s := &started{cmd: exec.Command("trails", args...), said: make(chan string, 1)}
	s.cmd.Env = append(s.cmd.Environ(), env...)
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	found, all := make(chan string, 1), strings.Builder{}
	go func() {
		lines := bufio.NewScanner(errs)
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if base := regexp.MustCompile(`^serving .* at (http://127\.0\.0\.1:\d+)`).FindStringSubmatch(lines.Text()); base != nil {
				found <- base[1]
			}
		}
		close(found)
		s.said <- all.String()
	}()
	if s.base = <-found; s.base == "" {
		t.Fatalf("%q never served: %s", args, <-s.said)
	}
	return s
}

// stop ends it as Ctrl-C would and returns what it had to say.
func (s *started) stop(t *testing.T) string {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	said := <-s.said
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	return said
}

func body(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("GET %s: %d, %v: %s", url, res.StatusCode, err, text)
	}
	return string(text)
}

func TestTheDemoIsSomethingToLookAtAndLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	s := start(t, []string{"TMPDIR=" + dir}, "demo", "--addr", "127.0.0.1:0")
	for path, want := range map[string]string{
		"/admin":                  "Requirement",
		"/kg/Requirement/R-013":   `"status":"met"`,
		"/commits?limit=1":        "You are looking at it",
		"/metrics":                "trails_build_info",
		"/ready":                  "ready",
		"/kg/Component?limit=100": "Pages for people",
	} {
		if got := body(t, s.base+path); !strings.Contains(got, want) {
			t.Errorf("%s does not show %q: %.500s", path, want, got)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("while it runs there is %v", left)
	}
	said := s.stop(t)
	for _, want := range []string{s.base + "/admin", "claude mcp add --transport http trails " + s.base + "/mcp"} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTheDemoKeepsTheFileThatIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept.trails")
	start(t, nil, "demo", "--addr", "127.0.0.1:0", "--keep", file).stop(t)
	if out, err := exec.Command("trails", "verify", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	out, err := exec.Command("trails", "demo", "--addr", "127.0.0.1:0", "--keep", file).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "kept.trails") {
		t.Errorf("a file that is there was taken: %v, %s", err, out)
	}
}

func TestTheDemoTakesAFreePortWhenItsOwnIsTaken(t *testing.T) {
	if ln, err := net.Listen("tcp", defaultAddr); err == nil { // otherwise somebody else has it
		defer func() { _ = ln.Close() }()
	}
	s := start(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	if strings.HasSuffix(s.base, ":8757") {
		t.Errorf("serving at %s", s.base)
	}
	s.stop(t)
}

func TestOpenShowsThePagesInTheBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in for a browser is xdg-open")
	}
	dir := t.TempDir()
	opened := filepath.Join(dir, "opened")
	script := "#!/bin/sh\nprintf %s \"$1\" > " + opened + ".new && /bin/mv " + opened + ".new " + opened + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, dir, "serve", newNotes(t), "--addr", "127.0.0.1:0", "--open")
	for t.Context().Err() == nil {
		if url, err := os.ReadFile(opened); err == nil {
			if !strings.HasPrefix(string(url), s.base+"/admin/operator?key=") {
				t.Errorf("opened %q", url)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.stop(t)
}

func TestWithoutABrowserTheAddressIsEnough(t *testing.T) {
	s := startIn(t, t.TempDir(), "serve", newNotes(t), "--addr", "127.0.0.1:0", "--open")
	body(t, s.base+"/admin")
	if said := s.stop(t); !strings.Contains(said, "; open "+s.base+"/admin/operator?key=") {
		t.Errorf("said %s", said)
	}
}

// A browser that cannot be opened by the system's opener is told as one that has none.
func TestAnOpenerThatFailsSaysSo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in for a browser is xdg-open")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "trails", "serve", newNotes(t), "--addr", "127.0.0.1:0", "--open")
	cmd.Env = append(cmd.Environ(), "PATH="+dir)
	errs, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for lines.Scan() && !strings.Contains(lines.Text(), "no browser was opened (exit status 3); open http://127.0.0.1:") {
	}
	if lines.Text() == "" {
		t.Error("it ended without a word")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
}

// startIn starts with programs from one directory only.
func startIn(t *testing.T, dir string, args ...string) *started {
	t.Helper()
	return start(t, []string{"PATH=" + dir}, args...)
}

func TestWhoSignedInFollowsThePagesLinksToTheData(t *testing.T) {
	s := start(t, []string{"TRAILS_MCP_TOKEN=s3cret", "TMPDIR=" + t.TempDir()}, "demo", "--addr", "127.0.0.1:0")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	twin := s.base + "/kg/Requirement/R-013?format=turtle"
	if got := answer(t, browser, http.MethodGet, twin, nil); got != http.StatusUnauthorized {
		t.Errorf("before: got %d", got)
	}
	if got := answer(t, browser, http.MethodPost, s.base+"/admin/login", url.Values{"token": {"s3cret"}}); got != http.StatusOK {
		t.Errorf("sign in: got %d", got)
	}
	if got := answer(t, browser, http.MethodGet, twin, nil); got != http.StatusOK {
		t.Errorf("afterwards: got %d", got)
	}
	if got := answer(t, browser, http.MethodPost, s.base+"/invoke/health", nil); got != http.StatusUnauthorized {
		t.Errorf("a call with nothing but a cookie: got %d", got)
	}
	s.stop(t)
}

// answer is the status of what a client gets in the end.
func answer(t *testing.T, c *http.Client, method, address string, form url.Values) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}
