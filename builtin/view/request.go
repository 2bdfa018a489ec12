package view

import "encoding/json"

// Request is a row of requests_list: a call that waits for a decision, or waited.
type Request struct {
	Number                                    int64
	State, Source, Target, Agent, Asked       string
	Message, Decider, Decided, Reason, Commit string
	Head, Merges                              string // the commits of target and source when it was asked for
	Take                                      string
	Resolutions                               []string
	Call, Args                                string // the capability, and for other calls than merges its arguments as JSON
}

// UnmarshalJSON reads the cells of a row.
func (q *Request) UnmarshalJSON(text []byte) error {
	row := [...]any{
		&q.Number, &q.State, &q.Source, &q.Target, &q.Agent, &q.Asked, &q.Message, &q.Decider, &q.Decided, &q.Reason, &q.Commit,
		&q.Head, &q.Merges, &q.Take, &q.Resolutions, &q.Call, &q.Args,
	}
	return json.Unmarshal(text, &row)
}
