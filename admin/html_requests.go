package admin

import (
	h "trails/admin/html"
	"trails/schema"
)

// main is the list of requests.
func (d requestsData) main(p page) h.Node {
	other := anchor("button", requestsURL+"?all=1", h.Text("All requests"))
	if d.All {
		other = anchor("button", requestsURL, h.Text("Only what waits"))
	}
	list := empty(h.Text(textIf(d.All, "Nobody asked for anything.", "Nothing waits for approval.")))
	if len(d.Requests) > 0 {
		list = drawRequests(d.Requests, p.Frame.Types)
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Requests")), lead(h.Text("Merges into a protected branch, and calls that a person has to allow, wait here until somebody with the scope builder approves or declines them."))}, actions(other)),
		list, d.Pager.draw(),
	}
}

// drawRequests are requests as sentences, in a graph with these types.
func drawRequests(list []request, types []schema.TypeDocument) h.Node {
	return h.Ol(h.Class("log panel"), h.Map(list, func(q request) h.Node { return q.draw(types) }))
}

// draw is a request as a sentence, with what became of it.
func (q request) draw(types []schema.TypeDocument) h.Node {
	return h.Li(h.Data("key", count(q.Number)),
		h.Div(h.Class("what"), h.Span(h.Class("msg"), anchor("", q.URL(), q.drawSentence(q.wants(types, "")))), q.drawState()),
		h.If(q.Message != "", h.Div(h.Class("last"), bdiLine(q.Message))),
		h.Div(h.Class("by"), faint("Request "+count(q.Number)), timeAt(stampOf(q.Asked)),
			h.If(q.Decider != "", h.Span(h.Text("decided by "), bdiLine(q.Decider)))))
}
