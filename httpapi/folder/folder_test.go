package folder_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trails/fault"
	"trails/httpapi"
	"trails/httpapi/folder"
)

// house are the graphs of a folder in a test. A file can be opened when its content begins with "good".
type house struct {
	t   *testing.T
	dir string

	mu   sync.Mutex
	open map[string]int // by path
	most int            // that were open at once
	gone []string
	// there are the graphs that have not gone, by id.
	there map[string]int
	busy  map[string]bool // by id
	out   map[string]bool // those that cannot be opened for a cause outside of their files, by id
}

func newHouse(t *testing.T, files map[string]string) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), open: map[string]int{}, there: map[string]int{}, busy: map[string]bool{}, out: map[string]bool{}}
	for name, content := range files {
		h.write(name, content)
	}
	return h
}

func (h *house) write(name, content string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(content), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// begin serves the folder until the end of the test.
func (h *house) begin(o folder.Options) *folder.Folder {
	h.t.Helper()
	o.New = func(id, path string) folder.Graph {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.there[id]++; h.there[id] > 1 {
			h.t.Errorf("there are two graphs %s", id)
		}
		return &file{h, id, path}
	}
	f, err := folder.New(h.dir, o)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, end := context.WithCancel(h.t.Context())
	f.Begin(ctx)
	h.t.Cleanup(func() {
		end()
		f.Stop()
		if err := f.Close(); err != nil {
			h.t.Error(err)
		}
		if n := h.opened(); n != 0 {
			h.t.Errorf("%d files are open at the end", n)
		}
	})
	return f
}

func (h *house) opened() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, times := range h.open {
		n += times
	}
	return n
}

// file is a file of a house, and what serves it while it is open.
type file struct {
	house    *house
	id, path string
}

func (g *file) Check(context.Context) error {
	text, err := os.ReadFile(g.path)
	if err == nil && !strings.HasPrefix(string(text), "good") {
		err = fault.New(fault.Unusable, "it has %q", text)
	}
	g.house.mu.Lock()
	defer g.house.mu.Unlock()
	if g.house.out[g.id] {
		err = fault.New(fault.Unusable, "another process has it")
	}
	return err
}

func (g *file) Open(ctx context.Context) (folder.Opened, error) {
	if err := g.Check(ctx); err != nil {
		return nil, err
	}
	g.house.mu.Lock()
	defer g.house.mu.Unlock()
	g.house.open[g.path]++
	all := 0
	for _, times := range g.house.open {
		all += times
	}
	g.house.most = max(g.house.most, all)
	if g.house.open[g.path] > 1 {
		g.house.t.Errorf("%s is open twice", g.path)
	}
	return g, nil
}

func (g *file) Admits(r *http.Request) bool {
	return !strings.HasPrefix(g.id, "secret") || r.Header.Get("Authorization") == "Bearer "+g.id
}

func (g *file) Gone() {
	g.house.mu.Lock()
	defer g.house.mu.Unlock()
	g.house.there[g.id]--
	g.house.gone = append(g.house.gone, g.id)
}

func (g *file) ServeHTTP(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, g.id) }

func (g *file) Busy() bool {
	g.house.mu.Lock()
	defer g.house.mu.Unlock()
	return g.house.busy[g.id]
}

func (g *file) Stop() {}

func (g *file) Close() error {
	g.house.mu.Lock()
	defer g.house.mu.Unlock()
	g.house.open[g.path]--
	return nil
}

// ids are those that a request without a token sees.
func ids(f *folder.Folder) (all []string) {
	graphs, _ := f.List(httptest.NewRequest(http.MethodGet, "/graphs", nil))
	for _, g := range graphs {
		all = append(all, g.ID)
	}
	return all
}

func reasonOf(f *folder.Folder, file string) string {
	left := f.LeftOut()
	if i := slices.IndexFunc(left, func(l httpapi.LeftOut) bool { return l.File == file }); i >= 0 {
		return left[i].Reason
	}
	return ""
}

// use makes one request.
func use(t *testing.T, f *folder.Folder, id string) (string, error) {
	t.Helper()
	handler, done, err := f.Use(t.Context(), id)
	if err != nil {
		return "", err
	}
	defer done()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Body.String(), nil
}

func TestWhatIsNoGraphIsLeftOutAndSaysWhy(t *testing.T) {
	h := newHouse(t, map[string]string{
		"notes.trails": "good", "a b.trails": "good", "..trails": "good", ".trails": "good", "%2e.trails": "good", "-x.trails": "good",
		"Twin.trails": "good", "twin.TRAILS": "good", "bad.trails": "bad", "notes.txt": "good", "notes.trails-wal": "good",
		strings.Repeat("n", 65) + ".trails": "good",
	})
	elsewhere := filepath.Join(t.TempDir(), "other.trails")
	if err := os.WriteFile(elsewhere, []byte("good"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out.trails": elsewhere, "in.trails": filepath.Join(h.dir, "notes.trails")} {
		if err := os.Symlink(to, filepath.Join(h.dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Mkdir(filepath.Join(h.dir, "dir.trails"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := h.begin(folder.Options{})
	if got := ids(f); !slices.Equal(got, []string{"notes"}) {
		t.Errorf("served are %q", got)
	}
	for name, part := range map[string]string{
		"a b.trails": "cannot stand in an address", "..trails": "cannot stand in an address", ".trails": "cannot stand in an address",
		"%2e.trails": "cannot stand in an address", "-x.trails": "cannot stand in an address", strings.Repeat("n", 65) + ".trails": "cannot stand in an address",
		"Twin.trails": "rename all but one", "twin.TRAILS": "rename all but one", "bad.trails": `it has "bad"`,
		"out.trails": "symbolic link", "in.trails": "symbolic link", "dir.trails": "not a regular file",
		"notes.txt": "", "notes.trails-wal": "",
	} {
		if got := reasonOf(f, name); !strings.Contains(got, part) || part == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, part)
		}
	}
	for _, id := range []string{"a b", "..", ".", "", "twin", "Twin", "out", "in", "dir", "notes.trails", "../notes", "notes/../notes"} {
		if _, err := use(t, f, id); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := use(t, f, "bad"); !fault.Is(err, fault.Unusable) {
		t.Errorf("a file that cannot be opened: %v", err)
	}
}

func TestFilesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good", "b.trails": "bad"})
		f := h.begin(folder.Options{Look: time.Second})
		handler, done, err := f.Use(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		h.write("c.trails", "good")
		h.write("b.trails", "good now")
		if err := os.Remove(filepath.Join(h.dir, "a.trails")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		if got := ids(f); !slices.Equal(got, []string{"b", "c"}) {
			t.Errorf("after a while %q are served", got)
		}
		if _, err := use(t, f, "a"); !fault.Is(err, fault.NotFound) {
			t.Errorf("what has gone: %v", err)
		}
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil)); w.Body.String() != "a" || h.opened() != 1 {
			t.Errorf("a call under way got %q, and %d files are open", w.Body, h.opened())
		}
		done()
		synctest.Wait()
		if n := h.opened(); n != 0 {
			t.Errorf("after the call %d are open", n)
		}
		if !slices.Equal(h.gone, []string{"a"}) {
			t.Errorf("gone are %q", h.gone)
		}
		h.write("b.trails", "broken again")
		time.Sleep(1500 * time.Millisecond)
		if got := reasonOf(f, "b.trails"); !strings.Contains(got, "broken again") {
			t.Errorf("a file that was broken: %q", got)
		}
	})
}

func TestAnotherFileByTheSameNameIsAnotherGraph(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good"})
		f := h.begin(folder.Options{Look: time.Second})
		if _, err := use(t, f, "a"); err != nil {
			t.Fatal(err)
		}
		h.write("next", "good, too")
		if err := os.Rename(filepath.Join(h.dir, "next"), filepath.Join(h.dir, "a.trails")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		if !slices.Equal(h.gone, []string{"a"}) || !slices.Equal(ids(f), []string{"a"}) || h.opened() != 0 {
			t.Errorf("gone are %q, served %q, open %d", h.gone, ids(f), h.opened())
		}
	})
}

func TestAFileThatTakesThePlaceOfOneInUseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good"})
		f := h.begin(folder.Options{Look: time.Second})
		_, done, err := f.Use(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		h.write("next", "good, too")
		if err := os.Rename(filepath.Join(h.dir, "next"), filepath.Join(h.dir, "a.trails")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond)
		if got := reasonOf(f, "a.trails"); !strings.Contains(got, "in use") || len(ids(f)) > 0 {
			t.Errorf("while the one before is in use: %q, served %q", got, ids(f))
		}
		done()
		time.Sleep(1500 * time.Millisecond)
		if text, err := use(t, f, "a"); err != nil || text != "a" {
			t.Errorf("after that: %q, %v", text, err)
		}
	})
}

func TestAFileThatIsRenamedWhileItIsInUseIsServedByItsNewName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good"})
		f := h.begin(folder.Options{Look: time.Second})
		_, done, err := f.Use(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(h.dir, "a.trails"), filepath.Join(h.dir, "b.trails")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond)
		if got := reasonOf(f, "b.trails"); !strings.Contains(got, "in use as a.trails") || len(ids(f)) > 0 {
			t.Errorf("while it is in use: %q, served %q", got, ids(f))
		}
		done()
		time.Sleep(1500 * time.Millisecond)
		if text, err := use(t, f, "b"); err != nil || text != "b" || reasonOf(f, "b.trails") != "" {
			t.Errorf("after that: %q, %v, %q", text, err, reasonOf(f, "b.trails"))
		}
	})
}

func TestAFileIsServedByOneName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good", "c.trails": "good"})
		if err := os.Link(filepath.Join(h.dir, "a.trails"), filepath.Join(h.dir, "b.trails")); err != nil {
			t.Fatal(err)
		}
		f := h.begin(folder.Options{Look: time.Second})
		if got := reasonOf(f, "b.trails"); !strings.Contains(got, "same file as a.trails") || !slices.Equal(ids(f), []string{"a", "c"}) {
			t.Errorf("%q, served %q", got, ids(f))
		}
		if err := os.Remove(filepath.Join(h.dir, "a.trails")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		if !slices.Equal(ids(f), []string{"b", "c"}) {
			t.Errorf("without the first name %q are served", ids(f))
		}
	})
}

// What stands against a file may be elsewhere: its permissions, another process, a disk that is full.
func TestAFileThatCannotBeServedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good", "b.trails": "bad"})
		h.out["a"] = true
		f := h.begin(folder.Options{Look: time.Second, Retry: 10 * time.Second})
		h.mu.Lock()
		h.out["a"] = false
		h.mu.Unlock()
		time.Sleep(8500 * time.Millisecond)
		if got := reasonOf(f, "a.trails"); !strings.Contains(got, "another process") {
			t.Errorf("before its time: %q", got)
		}
		time.Sleep(3 * time.Second)
		if _, err := use(t, f, "a"); err != nil || !slices.Equal(ids(f), []string{"a"}) {
			t.Errorf("after that: %v, served %q", err, ids(f))
		}
	})
}

func TestIdleGraphsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"idle.trails": "good", "stream.trails": "good", "session.trails": "good"})
		f := h.begin(folder.Options{Look: time.Second, Idle: time.Minute})
		h.busy["session"] = true
		for _, id := range []string{"idle", "session"} {
			if _, err := use(t, f, id); err != nil {
				t.Fatal(err)
			}
		}
		_, done, err := f.Use(t.Context(), "stream")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if n := h.opened(); n != 3 {
			t.Errorf("too early %d are open", n)
		}
		time.Sleep(time.Minute)
		if n := h.opened(); n != 2 {
			t.Errorf("with a stream and a session %d are open", n)
		}
		done()
		h.mu.Lock()
		delete(h.busy, "session")
		h.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if n := h.opened(); n != 0 {
			t.Errorf("after all %d are open", n)
		}
		if text, err := use(t, f, "idle"); err != nil || text != "idle" {
			t.Errorf("opened again: %q, %v", text, err)
		}
	})
}

func TestNoMoreGraphsAreOpenThanMayBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"a.trails": "good", "b.trails": "good", "c.trails": "good"})
		f := h.begin(folder.Options{Open: 2})
		for _, id := range []string{"a", "b", "c", "a"} {
			if _, err := use(t, f, id); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		}
		_, doneA, errA := f.Use(t.Context(), "a")
		_, doneB, errB := f.Use(t.Context(), "b")
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if _, err := use(t, f, "c"); !fault.Is(err, fault.Busy) {
			t.Errorf("while both are in use: %v", err)
		}
		doneA()
		if _, err := use(t, f, "c"); err != nil {
			t.Errorf("after one was left: %v", err)
		}
		doneB()
		if h.most > 2 {
			t.Errorf("%d were open at once", h.most)
		}
	})
}

func TestManyRequestsAtOnceWhileFilesComeAndGo(t *testing.T) {
	h := newHouse(t, map[string]string{"a.trails": "good", "b.trails": "good", "c.trails": "good", "d.trails": "good"})
	f := h.begin(folder.Options{Open: 3, Look: time.Millisecond, Idle: time.Millisecond})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 200 {
				id := string(rune('a' + (i+n)%4))
				text, err := use(t, f, id)
				if err == nil && text != id || err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Unusable) {
					t.Errorf("%s answered %q, %v", id, text, err)
				}
				ids(f)
				f.LeftOut()
			}
		})
	}
	all.Go(func() {
		for n := range 50 {
			h.write("d.trails", []string{"good", "bad"}[n%2])
			_ = os.Remove(filepath.Join(h.dir, "d.trails"))
		}
	})
	all.Wait()
	if h.most > 4 { // one that is gone is open until it is left
		t.Errorf("%d were open at once", h.most)
	}
}

func TestGraphsAreListedForThoseWhomTheyKnow(t *testing.T) {
	h := newHouse(t, map[string]string{"open.trails": "good", "secret1.trails": "good", "secret2.trails": "good"})
	f := h.begin(folder.Options{})
	r := httptest.NewRequest(http.MethodGet, "/graphs", nil)
	r.Header.Set("Authorization", "Bearer secret2")
	graphs, others := f.List(r)
	if len(graphs) != 2 || graphs[1].ID != "secret2" || !others {
		t.Errorf("got %+v, others %v", graphs, others)
	}
}

func TestAFolderIsThere(t *testing.T) {
	h := newHouse(t, map[string]string{"a.trails": "good"})
	for dir, want := range map[string]fault.Kind{filepath.Join(h.dir, "none"): fault.Missing, filepath.Join(h.dir, "a.trails"): fault.InvalidArguments} {
		if _, err := folder.New(dir, folder.Options{}); !fault.Is(err, want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
