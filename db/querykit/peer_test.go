package querykit_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"trails/db/dbtest"
	"trails/db/querykit"
)

// peer is another process that answers shapes. Questions and answers are lines of JSON, and the peer measures
// its own time. SQL by hand is a peer too: two SQLite connections in one process would share their page cache,
// and each would profit from the other.
type peer struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *bufio.Reader
	// loaded is what loading took.
	loaded reply
}

// question is one line to a peer.
type question struct {
	Load    string   `json:"load,omitempty"` // a file of N-Triples
	Shape   string   `json:"shape,omitempty"`
	Query   string   `json:"query,omitempty"`
	Cypher  string   `json:"cypher,omitempty"` // for property graphs, with the kinds of its columns
	Columns []int    `json:"columns,omitempty"`
	Vars    []string `json:"vars,omitempty"` // the columns; those of CONSTRUCT have no names
	Ordered bool     `json:"ordered,omitempty"`
	Digest  bool     `json:"digest,omitempty"` // is wanted, and the time matters less
}

// reply is one line from a peer. It has processor time as well as clock time, because on a busy machine the
// clock also counts the work of others.
type reply struct {
	Rows   int     `json:"rows"`
	NS     float64 `json:"ns"`
	CPU    float64 `json:"cpu"`
	Digest string  `json:"digest"`
	Bytes  int64   `json:"bytes"` // the size of the file, after loading
	Error  string  `json:"error"`
}

// Environment variables that make this test binary a peer: handVar is the path of the file that it queries with SQL
// by hand, setVar the name of the set of shapes.
const (
	handVar = "TRAILS_QUERYKIT_HAND"
	setVar  = "TRAILS_QUERYKIT_SET"
)

func startHand(tb testing.TB, path string, set querykit.Set) *peer {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), handVar+"="+path, setVar+"="+set.Name)
	return startPeer(tb, cmd)
}

func startPeer(tb testing.TB, cmd *exec.Cmd) *peer {
	tb.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // what it said counts, not how it ended
	})
	return &peer{cmd: cmd, in: json.NewEncoder(in), out: bufio.NewReader(out)}
}

// patience is the longest time that an answer of a peer may take.
const patience = time.Minute

var (
	errLate  = errors.New("no answer in time")
	errEnded = errors.New("it has ended")
)

// inTime asks a shape, and kills a peer that has not answered after [patience].
func (p *peer) inTime(tb testing.TB, s querykit.Shape) (reply, error) {
	tb.Helper()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }) // which ends its own processes, too
	r, err := p.try(p.question(tb, s, true))
	if !late.Stop() {
		return reply{}, errLate
	}
	return r, err
}

func (p *peer) ask(tb testing.TB, q question) reply {
	tb.Helper()
	r, err := p.try(q)
	if err != nil {
		tb.Fatalf("%s: %v", q.Shape, err)
	}
	return r
}

func (p *peer) try(q question) (r reply, err error) {
	if err := p.in.Encode(q); err != nil {
		return r, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("%w: %w", errEnded, err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

func (p *peer) shape(tb testing.TB, s querykit.Shape, digest bool) reply {
	tb.Helper()
	return p.ask(tb, p.question(tb, s, digest))
}

func (p *peer) question(tb testing.TB, s querykit.Shape, digest bool) question {
	tb.Helper()
	q := question{Shape: s.Name, Query: s.Text(), Cypher: s.Cypher, Vars: varsOf(tb, s), Ordered: s.Ordered, Digest: digest}
	for _, c := range s.Columns {
		q.Columns = append(q.Columns, int(c))
	}
	return q
}

// serveHand is the main function of the peer that answers with SQL by hand. It ends with its input.
func serveHand(path string) error {
	h, err := querykit.OpenHand(path)
	if err != nil {
		return err
	}
	defer h.Close()
	shapes := map[string]querykit.Shape{}
	for _, set := range querykit.Sets {
		for _, s := range set.Shapes {
			if set.Name == os.Getenv(setVar) {
				shapes[s.Name] = s
			}
		}
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var q question
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := out.Encode(answered(answers(h.Rows(shapes[q.Shape])), q)); err != nil {
			return err
		}
	}
}

// answered reads all rows of an answer and measures the time, which is longer with a digest.
func answered(a answers, q question) reply {
	begin, cpu := time.Now(), float64(dbtest.ProcessorTime())
	var r reply
	var err error
	if q.Digest {
		var lines []string
		lines, err = a.lines(q.Ordered)
		r.Rows, r.Digest = len(lines), querykit.Digest(lines)
	} else {
		r.Rows, err = a.count()
	}
	r.NS, r.CPU, r.Error = float64(time.Since(begin)), float64(dbtest.ProcessorTime())-cpu, text(err)
	return r
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprint(err)
}
