package main

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"trails/invoke"
)

// meter shows how far long work is, on stderr when that is a terminal and
// otherwise not at all. Its methods are called from one goroutine at a time.
type meter struct {
	w     io.Writer // nil: silent
	bar   *progressbar.ProgressBar
	phase string
}

func (p *program) newMeter() *meter {
	if f, ok := p.stderr.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return &meter{w: f}
	}
	return &meter{}
}

// hook returns what a call reports to, or nil when nobody looks.
func (m *meter) hook() func(invoke.Progress) {
	if m.w == nil {
		return nil
	}
	return func(p invoke.Progress) { m.show(p.Phase, p.Unit, p.Done, p.Total) }
}

// counter returns a hook for work that has one phase and one unit.
func (m *meter) counter(phase, unit string) func(done, total int64) {
	if m.w == nil {
		return nil
	}
	return func(done, total int64) { m.show(phase, unit, done, total) }
}

// show draws the bar without a rate and without the time that is left: work comes in steps, and
// what these would be made of the first one is no figure.
func (m *meter) show(phase, unit string, done, total int64) {
	if unit == "bytes" {
		unit, done, total = "MiB", mebibytes(done), mebibytes(total)
	}
	if phase != m.phase {
		m.close()
		most := total
		if most <= 0 {
			most = -1 // a spinner
		}
		m.phase, m.bar = phase, progressbar.NewOptions64(most,
			progressbar.OptionSetWriter(m.w),
			progressbar.OptionSetDescription(phase+", "+unit),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetWidth(24),
			progressbar.OptionClearOnFinish(),
		)
	}
	if total > 0 && m.bar.GetMax64() != total {
		m.bar.ChangeMax64(total)
	}
	_ = m.bar.Set64(done) // a terminal that went away is no reason to stop the work
}

// mebibytes rounds up, so that something is something.
func mebibytes(bytes int64) int64 { return (bytes + 1<<20 - 1) >> 20 }

// close takes the bar off the terminal.
func (m *meter) close() {
	if m.bar != nil {
		_ = m.bar.Finish()
		m.bar = nil
	}
}
