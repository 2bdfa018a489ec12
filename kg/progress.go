package kg

// Progress is the progress of a long operation.
type Progress struct {
	Phase       string // "read", "plan", "write", "validate", "verify", "export"
	Done, Total int64  // in Unit; Total 0 when unknown
	Unit        string // "bytes", "edits", "quads", "nodes"
}

// progressStep is the amount of work between two reports.
const progressStep = 4096

// reporter returns a function that counts work and reports it now and then.
func (j job) reporter(phase, unit string, total int64) func(int64) {
	return reporter(j.progress, phase, unit, total)
}

func reporter(to func(Progress), phase, unit string, total int64) func(int64) {
	if to == nil {
		return func(int64) {}
	}
	var done, told int64
	return func(n int64) {
		if done += n; done-told >= progressStep {
			told = done
			to(Progress{Phase: phase, Unit: unit, Done: done, Total: total})
		}
	}
}
