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

// peer is another process that answers shapes, a line of JSON for each question and
// each answer. It tells itself how long it took. Two SQLite connections of one process
// would share their page cache: each would measure what the other left of it.
type peer struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *bufio.Reader
}

// question is what a peer is asked.
type question struct {
	Load    string   `json:"load,omitempty"` // a file of N-Triples
	Shape   string   `json:"shape,omitempty"`
	Query   string   `json:"query,omitempty"`
	Vars    []string `json:"vars,omitempty"` // the columns; those of CONSTRUCT have no names
	Ordered bool     `json:"ordered,omitempty"`
	Digest  bool     `json:"digest,omitempty"` // is wanted, and the time matters less
}

// reply is what it says. Time is the processor's as well as the clock's: on a machine
// that others use, too, the clock measures them.
type reply struct {
	Rows   int     `json:"rows"`
	NS     float64 `json:"ns"`
	CPU    float64 `json:"cpu"`
	Digest string  `json:"digest"`
	Error  string  `json:"error"`
}

// handVar tells this test binary that it is a peer, which asks the file it names with
// SQL by hand; setVar names the set of shapes.
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
	return &peer{cmd, json.NewEncoder(in), bufio.NewReader(out)}
}

// patience is how long a peer is waited for.
const patience = time.Minute

var (
	errLate  = errors.New("no answer in time")
	errEnded = errors.New("it has ended")
)

// inTime asks a shape, and ends a peer that does not answer before patience ends.
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
	return question{Shape: s.Name, Query: s.Text(), Vars: varsOf(tb, s), Ordered: s.Ordered, Digest: digest}
}

// serveHand is the peer that asks with SQL, until its input ends.
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

// answered takes an answer's rows, and tells their time, which is longer with a digest.
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
