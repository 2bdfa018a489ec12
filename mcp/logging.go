package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"trails/fault"
	"trails/invoke"
	"trails/mcp/session"
)

// levels are those of RFC 5424, as MCP names them.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel sets the log level of a session. The SDK stores it, too, and drops messages below it.
func (e *endpoint) setLevel(ctx context.Context, r request) (sdk.Result, error) {
	p, ok := r.GetParams().(*sdk.SetLoggingLevelParams)
	if e.stateless || !ok || p == nil {
		return nil, session.MethodNotFound("logging/setLevel")
	}
	res, err := r.bySDK(ctx)
	if err == nil {
		journalOf(ctx).set(string(p.Level))
	}
	return res, err
}

// checkLevel refuses an unknown level, which the SDK would accept.
func checkLevel(params map[string]json.RawMessage) []fault.FieldError {
	var level string
	_ = json.Unmarshal(params["level"], &level) // a level that is not a string has been refused already
	if level == "" || slices.Contains(levels, level) {
		return nil
	}
	return []fault.FieldError{{Field: "level", Code: fault.OneOf, Message: "level must be one of " + strings.Join(levels, ", "), Value: level, Constraint: levels}}
}

// Bounds on the log messages of one session.
const (
	logBurst    = 50
	logInterval = 100 * time.Millisecond // between two messages, in the long run
)

type journalKey struct{}

// withJournal returns the context of a session's handlers, with a journal.
func withJournal(ctx context.Context) context.Context {
	return context.WithValue(ctx, journalKey{}, &journal{})
}

// journalOf returns the session's journal or, without a session, a new one for the request.
func journalOf(ctx context.Context) *journal {
	if j, ok := ctx.Value(journalKey{}).(*journal); ok {
		return j
	}
	return &journal{}
}

// journal limits the log messages of one session. The zero journal is ready.
type journal struct {
	mu         sync.Mutex
	level      string // "" means no messages
	limit      *rate.Limiter
	suppressed int
}

func (j *journal) set(level string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.level = level
}

// journal.wants reports whether a message of this level is sent, by the level of the session or, without sessions, of
// the request.
func (j *journal) wants(level string, r request) bool {
	j.mu.Lock()
	chosen := j.level
	j.mu.Unlock()
	if isSessionless(r) {
		chosen, _ = r.GetParams().GetMeta()[sdk.MetaKeyLogLevel].(string)
	}
	return chosen != "" && slices.Index(levels, level) >= slices.Index(levels, chosen)
}

// admit reports whether a message may be sent now, and how many were dropped before it.
func (j *journal) admit(now time.Time) (suppressed int, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.limit == nil {
		j.limit = rate.NewLimiter(rate.Every(logInterval), logBurst)
	}
	if !j.limit.AllowN(now, 1) {
		j.suppressed++
		return 0, false
	}
	suppressed, j.suppressed = j.suppressed, 0
	return suppressed, true
}

// written is the part of a write's result for a log message.
type written struct {
	Capability string `json:"capability"`
	Commit     string `json:"commit"`
	Added      int64  `json:"added"`
	Removed    int64  `json:"removed"`
	Suppressed int    `json:"suppressed,omitempty"`
}

// refusal is the content of a log message about a refusal, without data of the call or the graph.
type refusal struct {
	Capability string   `json:"capability"`
	Kind       string   `json:"kind"`
	Fields     []string `json:"fields,omitempty"`
	TraceID    any      `json:"trace_id,omitempty"`
	Suppressed int      `json:"suppressed,omitempty"`
}

// logCall sends the session a message about its call: a commit, or a refusal.
func (e *endpoint) logCall(ctx context.Context, r request, name string, done invoke.Result, err error) {
	session, ok := r.GetSession().(*sdk.ServerSession)
	if !ok || ctx.Err() != nil {
		return
	}
	j := journalOf(ctx)
	say := func(level string, data func(suppressed int) any) {
		if j.wants(level, r) {
			j.say(ctx, session, level, data)
		}
	}
	if err != nil {
		logRefusal(say, name, fault.Of(err))
		return
	}
	if done.Written == nil || done.Written.Commit == nil {
		return // a read, or a write without changes
	}
	w := written{Capability: name, Commit: *done.Written.Commit, Added: done.Written.Added, Removed: done.Written.Removed}
	say("info", func(suppressed int) any { w.Suppressed = suppressed; return w })
}

// loudness is the log level for each kind of refusal; others are notices.
var loudness = map[fault.Kind]string{
	fault.Internal:        "error",
	fault.Unusable:        "error",
	fault.Unauthenticated: "warning",
	fault.ScopeDenied:     "warning",
	fault.Denied:          "warning",
	fault.Exhausted:       "warning",
	fault.Busy:            "warning",
	fault.UnknownTool:     "warning",
}

// maxLogFields bounds the fields in a message about a refusal.
const maxLogFields = 20

func logRefusal(say func(level string, data func(suppressed int) any), name string, f *fault.Error) {
	level := loudness[f.Kind]
	if level == "" {
		level = "notice"
	}
	told := refusal{Capability: clientName(name), Kind: f.Kind.String(), TraceID: f.Details["trace_id"]}
	for _, field := range f.Fields[:min(len(f.Fields), maxLogFields)] {
		told.Fields = append(told.Fields, clientName(field.Field)+": "+string(field.Code))
	}
	say(level, func(suppressed int) any { told.Suppressed = suppressed; return told })
}

// say sends a message, unless there were too many.
func (j *journal) say(ctx context.Context, session *sdk.ServerSession, level string, data func(suppressed int) any) {
	suppressed, ok := j.admit(time.Now())
	if !ok {
		return
	}
	m := &sdk.LoggingMessageParams{Level: sdk.LoggingLevel(level), Logger: "trails", Data: data(suppressed)}
	_ = session.Log(ctx, m) // failing to send a message must not fail the call
}
