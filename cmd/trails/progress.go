package main

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"trails/invoke"
)

// meter shows progress on stderr if that is a terminal. Its methods must be called from one goroutine at a time.
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

// hook returns the progress function for a call, nil without a terminal.
func (m *meter) hook() func(invoke.Progress) {
	if m.w == nil {
		return nil
	}
	return func(p invoke.Progress) { m.show(p.Phase, p.Unit, p.Done, p.Total) }
}

// counter returns a progress function for work with one phase and unit.
func (m *meter) counter(phase, unit string) func(done, total int64) {
	if m.w == nil {
		return nil
	}
	return func(done, total int64) { m.show(phase, unit, done, total) }
}

// phases returns a progress function for work with several phases and no unit.
func (m *meter) phases() func(phase string, done, total int64) {
	if m.w == nil {
		return nil
	}
	return func(phase string, done, total int64) { m.show(phase, "", done, total) }
}

// show draws the bar without a rate and remaining time: progress comes in steps, and an estimate from the first one
// would be worthless.
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
		what := phase
		if unit != "" {
			what += ", " + unit
		}
		m.phase, m.bar = phase, progressbar.NewOptions64(most,
			progressbar.OptionSetWriter(m.w),
			progressbar.OptionSetDescription(what),
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
	_ = m.bar.Set64(done) // losing the terminal is no reason to stop the work
}

// mebibytes rounds up, so that something is something.
func mebibytes(bytes int64) int64 { return (bytes + 1<<20 - 1) >> 20 }

// close removes the bar from the terminal.
func (m *meter) close() {
	if m.bar != nil {
		_ = m.bar.Finish()
		m.bar = nil
	}
}
