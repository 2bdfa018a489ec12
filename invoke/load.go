package invoke

import (
	"context"
	"fmt"
	"strings"

	"trails/fault"
	"trails/jsontext"
	"trails/kg"
)

// loaded is what a load answers.
type loaded struct {
	Records int64 `json:"records"`
	Existed *bool `json:"existed,omitempty"`
	written
}

func load(ctx context.Context, r *running) (any, error) {
	set, err := r.changeSet(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.readLoad(ctx, set); err != nil {
		return nil, err
	}
	r.release() // a long write must not hold the log
	result, err := r.reading.Commit(ctx, set.IfCommit)
	if err != nil {
		return nil, err
	}
	answer := loaded{Records: result.Records, written: r.committed(result.Result, set.DryRun)}
	if r.args.text("graph") != "" {
		answer.Existed = &result.Existed
	}
	return answer, nil
}

// readLoad reads the inputs, unless that was done.
func (r *running) readLoad(ctx context.Context, set kg.ChangeSet) error {
	if r.reading != nil {
		return nil
	}
	l, err := r.loadArguments()
	if err != nil {
		return err
	}
	l.Set, l.Progress = set, r.Progress
	r.release() // reading takes its time
	r.reading, err = r.session().ReadLoad(ctx, l)
	return err
}

// closeLoad forgets what was read.
func (r *running) closeLoad() {
	if r.reading != nil {
		r.reading.Close()
	}
}

// loadArguments reads what a load alone takes.
func (r *running) loadArguments() (l kg.Load, err error) {
	l = kg.Load{
		Inputs: r.Inputs, Format: kg.Format(r.args.text("format")), Mode: kg.Mode(r.args.text("mode")),
		OneGraph: r.args.flag("one_graph"), IfGraph: kg.GraphState(r.args.text("if_graph")), KeepGoing: r.args.flag("keep_going"),
	}
	if l.Inputs == nil {
		data := r.args.text("data")
		l.Inputs = []kg.Input{{Name: "data", Reader: strings.NewReader(data), Size: int64(len(data))}}
	}
	if l.Graph, err = r.absoluteIRI("graph"); err != nil {
		return l, err
	}
	if l.Base, err = r.absoluteIRI("base"); err != nil {
		return l, err
	}
	l.Contexts, err = r.contexts()
	return l, err
}

// maxContexts bounds the JSON-LD contexts that come with a load.
const maxContexts = 100

// contexts are the JSON-LD contexts that come with a load, by their IRIs.
func (r *running) contexts() (map[string][]byte, error) {
	given, _ := r.args.values["contexts"].(map[string]any)
	if len(given) > maxContexts {
		return nil, wrongArguments("contexts", fault.MaxCount, nil, fmt.Sprintf("contexts has at most %d members", maxContexts))
	}
	contexts := make(map[string][]byte, len(given))
	for iri, document := range given {
		text, err := jsontext.Marshal(document)
		if err != nil {
			return nil, fmt.Errorf("encode JSON-LD context: %w", err)
		}
		contexts[iri] = text
	}
	return contexts, nil
}
