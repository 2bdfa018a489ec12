package admin

import (
	"net/http"

	h "trails/admin/html"
	"trails/auth"
	"trails/httpapi"
)

// Graphs answers with the page of a process that serves several graphs: which there are for its reader, and the sign-in to
// all of them.
func Graphs(w http.ResponseWriter, r *http.Request, status int, p httpapi.GraphsPage) (err error) {
	show := func(w http.ResponseWriter, r *http.Request) { err = send(w, r, status, graphsLayout(r, p), state{}) }
	httpapi.Secured(contentPolicy, isolated(http.HandlerFunc(show))).ServeHTTP(w, r)
	return err
}

// Static answers /admin/static/{name}, which the page of [Graphs] loads.
func Static() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /admin/static/{name}", func(w http.ResponseWriter, r *http.Request) {
		if err := asset(nil, w, r); err != nil {
			http.NotFound(w, r)
		}
	})
	return mux
}

const graphsURL = "/graphs"

// graphsLayout is the whole page.
func graphsLayout(r *http.Request, p httpapi.GraphsPage) h.Node {
	theme := themeOf(r)
	return h.Doctype(h.HTML(h.Lang("en"), h.If(theme != "", h.Data("theme", theme)),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(h.Text("Graphs · trails")),
			styleSheet("admin.css"), styleSheet("form.css")),
		h.Body(
			anchor("skip", "#main", h.Text("Skip to content")),
			h.Header(h.Class("top"), anchor("brand", graphsURL, h.Raw(logo), h.Span(h.Text("trails"))),
				h.Div(h.Class("tools"), h.If(p.Who != "", h.Span(h.Class("who"), h.Title("Who you are to this process"), bdiLine(p.Who))),
					h.If(p.SignedIn, h.Form(h.Method("post"), h.Action(graphsURL), submit("quiet", "sign-out", "1", "Sign out"))))),
			h.Div(h.Class("frame"), h.Main(h.ID("main"), h.TabIndex("-1"),
				pageHead(h.Group{h.H1(h.Text("Graphs")), lead(h.Text("What this process serves. Each graph has its own tokens, pages and addresses."))}),
				h.If(p.Message != "", h.Section(h.Class("notice"), h.Role("status"), h.P(h.ID("why"), h.Bdi(h.Text(p.Message))))),
				graphsList(p), leftOutList(p.LeftOut),
				h.If(p.AsksForToken && !p.SignedIn && !auth.Known(r.Context()), processSignIn())))),
	))
}

func graphsList(p httpapi.GraphsPage) h.Node {
	return h.Group{
		either(len(p.Graphs) > 0, h.Ol(h.Class("log panel"), h.Map(p.Graphs, func(g httpapi.ServedGraph) h.Node {
			return h.Li(
				h.Div(h.Class("what"), h.Span(h.Class("msg"), anchor("", httpapi.GraphPrefix(g.ID)+"/admin", bdiLine(g.ID))), idCode(g.MCP)),
				h.Div(h.Class("by"), h.Span(h.Text(line(g.File))), h.If(g.Open, h.Span(h.Text("open")))))
		})), empty(h.Text("No graph is listed for you."))),
		h.If(p.Others != "", h.P(h.Class("faint"), h.Text("Not all are listed: "+p.Others+". Who has a token of one graph signs in on its own pages."))),
	}
}

// leftOutList lists the files that are not served.
func leftOutList(files []httpapi.LeftOut) h.Node {
	return h.If(len(files) > 0, section("left-out", h.Text("Not served"), nil,
		h.Ul(h.Class("panel log"), h.Map(files, func(f httpapi.LeftOut) h.Node {
			return h.Li(h.Div(h.Class("what"), h.Span(h.Class("msg"), bdiLine(f.File)), badge("warn", "left out")), h.Div(h.Class("last"), bdiLine(f.Reason)))
		}))))
}

// processSignIn is the sign-in with the token of the process.
func processSignIn() h.Node {
	return section("sign-in", h.Text("Sign in to all graphs"), nil,
		h.Form(h.Class("form panel"), h.Method("post"), h.Action(graphsURL),
			labelled("", "token", "Token of TRAILS_MCP_TOKEN", h.Input(h.Type("password"), h.ID("token"), h.Name("token"), h.AutoComplete("current-password"), h.Required())),
			h.Div(h.Class("buttons"), h.Button(h.Class("primary"), h.Text("Sign in")))))
}
