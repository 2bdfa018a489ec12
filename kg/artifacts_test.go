package kg_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/db/dbtest"
	"trails/fault"
	"trails/gateway/artifact"
	"trails/kg"
)

// resultOf makes the artifact of a text of so many bytes, which begins with this.
func resultOf(begin string, size int) artifact.Artifact {
	data := []byte(begin + strings.Repeat("0123456789abcde\n", size/16+1))[:size]
	hash := hex.EncodeToString(hashOf(data))
	return artifact.Artifact{Data: data, Ref: artifact.Ref{
		ContentHash: hash, Handle: "text:files.read:" + hash[:16], Label: "text result from files.read", MediaType: "text/plain", SizeBytes: size,
	}}
}

// openWith opens a file for the test whose clock says what the function sets.
func openWith(t testing.TB, path string, o kg.Options) (g *kg.Graph, later func(time.Duration)) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o.Now = func() time.Time { return now }
	g, err := kg.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g, func(d time.Duration) { now = now.Add(d) }
}

func keep(t testing.TB, s *kg.Session, list ...artifact.Artifact) {
	t.Helper()
	if err := s.KeepArtifacts(t.Context(), "files.read", list); err != nil {
		t.Fatal(err)
	}
}

// total returns how many artifacts a file keeps, of all owners, and their bytes.
func total(t testing.TB, g *kg.Graph) (count, size int64) {
	t.Helper()
	view(t, g, func(s *kg.Snapshot) error {
		stats, err := s.Stats(t.Context())
		count, size = stats.Artifacts, stats.ArtifactBytes
		return err
	})
	return count, size
}

func handles(t testing.TB, s *kg.Session) (list []string) {
	t.Helper()
	page, err := s.Artifacts(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range page.Artifacts {
		list = append(list, a.Handle)
	}
	return list
}

func TestAnArtifactIsKeptWholeForItsOwner(t *testing.T) {
	g, later := openWith(t, newFile(t, ""), kg.Options{ArtifactTTL: time.Hour})
	mine, bobs := g.Session(ana), g.Session(policy.Local("bob", ""))
	long, empty := resultOf("long", 700_001), artifact.Artifact{Ref: artifact.Ref{Handle: "text:empty:0", MediaType: "text/plain"}}
	keep(t, mine, long, empty)
	for _, want := range []artifact.Artifact{long, empty} {
		got, err := mine.Artifact(t.Context(), want.Handle)
		want.ContentHash = hex.EncodeToString(hashOf(want.Data))
		if err != nil || !cmp.Equal(want.Ref, got.Ref) || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%d bytes as %+v, error %v; want %+v", len(got.Data), got.Ref, err, want.Ref)
		}
		var out bytes.Buffer
		if k, err := mine.CopyArtifact(t.Context(), want.Handle, &out); err != nil || k.Ref != want.Ref || !bytes.Equal(out.Bytes(), want.Data) || k.Tool != "files.read" {
			t.Errorf("copied: %+v, error %v", k, err)
		}
	}
	says := func(s *kg.Session, handle string) string {
		_, err := s.Artifact(t.Context(), handle)
		if !fault.Is(err, fault.Missing) {
			t.Errorf("got %v", err)
			return ""
		}
		return strings.ReplaceAll(err.Error(), handle, "")
	}
	never := says(mine, "text:never:1")
	if got := says(bobs, long.Handle); got != never {
		t.Errorf("of another's artifact it says %q, of one that never was %q", got, never)
	}
	if err := bobs.RemoveArtifact(t.Context(), long.Handle); !fault.Is(err, fault.Missing) {
		t.Errorf("removed by another: %v", err)
	}
	// A principal speaks through several programs, and is one owner.
	if _, err := g.Session(policy.Principal{ID: "anonymous", Owner: ana.ID, Client: "an agent"}).Artifact(t.Context(), long.Handle); err != nil {
		t.Error(err)
	}
	later(time.Hour)
	if got := says(mine, long.Handle); got != never {
		t.Errorf("of an expired artifact it says %q, of one that never was %q", got, never)
	}
	if list := handles(t, mine); len(list) != 0 {
		t.Errorf("expired ones are listed: %v", list)
	}
	verify(t, g)
}

func TestArtifactsAreListedTheLastFirst(t *testing.T) {
	g, later := openWith(t, newFile(t, ""), kg.Options{})
	mine := g.Session(ana)
	var want []string
	for i := range 5 {
		a := resultOf(fmt.Sprint(i), 100+i)
		keep(t, mine, a)
		want = append([]string{a.Handle}, want...)
	}
	keep(t, g.Session(policy.Local("bob", "")), resultOf("bob's", 1000))
	var got []string
	for before, more := int64(0), true; more; {
		page, err := mine.Artifacts(t.Context(), before, 2)
		if err != nil || page.Count != 5 || page.Bytes != 100+101+102+103+104 {
			t.Fatalf("%+v, error %v", page, err)
		}
		for _, a := range page.Artifacts {
			got, before = append(got, a.Handle), a.Seq
		}
		more = page.More
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Keeping it again makes an artifact the last one, and prolongs its life; reading does not.
	later(6 * 24 * time.Hour)
	keep(t, mine, resultOf("0", 100))
	if _, err := mine.Artifact(t.Context(), want[0]); err != nil {
		t.Fatal(err)
	}
	later(2 * 24 * time.Hour)
	page, err := mine.Artifacts(t.Context(), 0, 10)
	if err != nil || len(page.Artifacts) != 1 || page.Artifacts[0].Handle != want[4] || page.Artifacts[0].Expires.Sub(page.Artifacts[0].Created) != 13*24*time.Hour {
		t.Errorf("%+v, error %v", page, err)
	}
}

func TestEqualBytesAreInTheFileOnce(t *testing.T) {
	g, _ := openWith(t, newFile(t, ""), kg.Options{})
	a := resultOf("the same", 300_000)
	b := a
	b.Handle = "text:other:1"
	keep(t, g.Session(ana), a, b)
	keep(t, g.Session(policy.Local("bob", "")), a)
	if n, size := total(t, g); n != 3 || size != 300_000 {
		t.Errorf("%d artifacts of %d bytes", n, size)
	}
	if n, err := g.Session(ana).RemoveArtifacts(t.Context()); n != 2 || err != nil {
		t.Errorf("%d removed, error %v", n, err)
	}
	if got, err := g.Session(policy.Local("bob", "")).Artifact(t.Context(), a.Handle); err != nil || !bytes.Equal(got.Data, a.Data) {
		t.Errorf("bob's is gone with ana's: %v", err)
	}
	verify(t, g)
}

func TestTheOldestArtifactsGiveWay(t *testing.T) {
	g, _ := openWith(t, newFile(t, ""), kg.Options{ArtifactQuota: 1_000_000})
	mine := g.Session(ana)
	for i := range 4 {
		keep(t, mine, resultOf(fmt.Sprint(i), 300_000))
	}
	if got := handles(t, mine); len(got) != 3 || got[2] != resultOf("1", 300_000).Handle {
		t.Errorf("kept are %v", got)
	}
	for _, list := range [][]artifact.Artifact{{resultOf("large", 1_000_001)}, {resultOf("a", 500_001), resultOf("b", 500_001)}} {
		if err := mine.KeepArtifacts(t.Context(), "t", list); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%d artifacts: %v", len(list), err)
		}
	}
	keep(t, mine, resultOf("all", 1_000_000))
	if n, size := total(t, g); n != 1 || size != 1_000_000 {
		t.Errorf("%d artifacts of %d bytes", n, size)
	}
	// What they took is used again: the file does not grow with what was kept.
	before, _ := g.Sizes()
	for i := range 20 {
		keep(t, mine, resultOf(fmt.Sprint(i), 900_000))
	}
	verify(t, g)
	if after, log := g.Sizes(); after+log > before+log+4_000_000 {
		t.Errorf("the file grew from %d to %d bytes", before, after)
	}
}

func TestWhoeverWritesRemovesWhatHasExpired(t *testing.T) {
	g, later := openWith(t, newFile(t, ""), kg.Options{})
	for i := range 20 {
		keep(t, g.Session(ana), resultOf(fmt.Sprint(i), 300_000))
	}
	later(7 * 24 * time.Hour)
	before := head(t, g)
	if list := handles(t, g.Session(ana)); len(list) != 0 {
		t.Errorf("listed are %v", list)
	}
	if n, _ := total(t, g); n != 20 {
		t.Errorf("a reader has removed some: %d are left", n)
	}
	if head(t, g) != before {
		t.Error("keeping has made a commit")
	}
	commit(t, g, titled("a", "A"))
	if n, _ := total(t, g); n != 4 {
		t.Errorf("%d are left after one commit", n)
	}
	for i := range 20 {
		commit(t, g, titled("a", fmt.Sprint(i)))
	}
	if left := dbtest.Number(t, g.Path(), "SELECT (SELECT count(*) FROM artifacts) + (SELECT count(*) FROM artifact_contents) + (SELECT count(*) FROM artifact_chunks)"); left != 0 {
		t.Errorf("%d rows are left after some commits", left)
	}
	keep(t, g.Session(ana), resultOf("b", 300_000))
	later(7 * 24 * time.Hour)
	if n, err := g.RemoveExpiredArtifacts(t.Context()); n != 1 || err != nil {
		t.Errorf("%d removed, error %v", n, err)
	}
	verify(t, g)
}

func TestACancelledKeepKeepsNothing(t *testing.T) {
	g := newGraph(t, "")
	err := g.Session(ana).KeepArtifacts(cancelled(t), "t", []artifact.Artifact{resultOf("a", 3_000_000)})
	if n, _ := total(t, g); n != 0 || err == nil {
		t.Errorf("%d are kept, error %v", n, err)
	}
}

// keepMany keeps artifacts in the file of an argument as a process of its own, and prints the
// handle of each.
func keepMany(t *testing.T, path string, n int) {
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for i := range n {
		a := resultOf(fmt.Sprintf("%d %d ", os.Getpid(), i), 1_500_000)
		keep(t, g.Session(ana), a)
		fmt.Println(a.Handle)
	}
}

// checkWhole checks that the artifacts that a process said to have kept are there, and that
// all that are there are whole.
func checkWhole(t *testing.T, g *kg.Graph, said map[string]bool) {
	t.Helper()
	list := handles(t, g.Session(ana))
	for _, handle := range list {
		a, err := g.Session(ana).Artifact(t.Context(), handle)
		if err != nil || hex.EncodeToString(hashOf(a.Data)) != a.ContentHash {
			t.Errorf("%s has %d bytes of another hash, error %v", handle, len(a.Data), err)
		}
		delete(said, handle)
	}
	if len(said) > 0 || len(list) == 0 {
		t.Errorf("of %d these are not there: %v", len(list), said)
	}
	verify(t, g)
}

func TestAnArtifactOfAKilledProcessIsThereOrNot(t *testing.T) {
	if path, ok := dbtest.Child(); ok {
		keepMany(t, path, 10_000)
		return
	}
	path := newFile(t, "")
	said := map[string]bool{}
	for i := range 3 {
		child := dbtest.Start(t, "TestAnArtifactOfAKilledProcessIsThereOrNot", path)
		for range 3 {
			handle, ok := child.Line()
			if !ok {
				t.Fatal("the child ended")
			}
			said[handle] = true
		}
		time.Sleep(time.Duration(i) * 5 * time.Millisecond) // it is at the next
		for _, handle := range child.Kill() {
			said[handle] = true
		}
	}
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	checkWhole(t, g, said)
}

func TestProcessesKeepArtifactsInOneFile(t *testing.T) {
	if path, ok := dbtest.Child(); ok {
		keepMany(t, path, 8)
		return
	}
	path := newFile(t, "")
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	child := dbtest.Start(t, "TestProcessesKeepArtifactsInOneFile", path)
	said := map[string]bool{}
	for i := range 8 {
		a := resultOf(fmt.Sprint("mine ", i), 1_500_000)
		keep(t, g.Session(ana), a)
		said[a.Handle] = true
	}
	child.Wait()
	checkWhole(t, g, said)
	if n := len(handles(t, g.Session(ana))); n != 16 {
		t.Errorf("%d artifacts are kept, want 16", n)
	}
}

func hashOf(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}
