package admin

import (
	"fmt"
	"slices"
	"strings"

	h "trails/admin/html"
	"trails/admin/static"
	"trails/schema"
)

// liveMark is where a script shows whether the page is kept current.
const liveMark = `<span class="live" id="live" data-state="off" hidden><span class="dot" aria-hidden="true"></span><span class="live-text">Live</span></span>`

// Drawings.
const (
	logo       = `<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="M5 19c6 0 3-7 8-7s2-7 6-7" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/><circle cx="5" cy="19" r="2.5" fill="currentColor"/><circle cx="19" cy="5" r="2.5" fill="currentColor"/></svg>`
	iconLight  = `<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"><circle cx="12" cy="12" r="4.2"/><path d="M12 2.5v2.2M12 19.3v2.2M2.5 12h2.2M19.3 12h2.2M5.3 5.3l1.5 1.5M17.2 17.2l1.5 1.5M5.3 18.7l1.5-1.5M17.2 6.8l1.5-1.5"/></g></svg>`
	iconSystem = `<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="7.5" fill="none" stroke="currentColor" stroke-width="1.8"/><path d="M12 4.5a7.5 7.5 0 0 1 0 15Z" fill="currentColor"/></svg>`
	iconDark   = `<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/></svg>`
)

// htmxConfig lets htmx bring no styles, evaluate nothing, ask nobody else and keep no pages.
const htmxConfig = `{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyCacheSize":0,"refreshOnHistoryMiss":true}`

// layout is a whole page: what is around its main part, and that part.
func layout(p page) h.Node {
	return h.Doctype(h.HTML(h.Lang("en"), h.If(p.Frame.Theme != "", h.Data("theme", p.Frame.Theme)),
		documentHead(p),
		h.Body(
			anchor("skip", "#main", h.Text("Skip to content")),
			topBar(p),
			h.Div(h.Class("frame"), sideList(p), mainPart(p)),
			foot(p),
			h.Div(h.ID("announce"), h.Class("hide"), h.Role("status"), h.Attr("aria-live", "polite")),
		),
	))
}

func documentHead(p page) h.Node {
	title := line(p.Title)
	if p.Frame.Graph != "" {
		title += " · " + line(p.Frame.Graph)
	}
	return h.Head(
		h.Meta(h.Charset("utf-8")),
		h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
		h.Meta(h.Name("color-scheme"), h.Content("light dark")),
		h.Meta(h.Name("htmx-config"), h.Content(htmxConfig)),
		h.TitleEl(h.Text(title+" · trails")),
		h.Link(h.Rel("icon"), h.Href(static.URL("icon.svg")), h.Type("image/svg+xml")),
		styleSheet("admin.css", h.ID("__________cytoscape_stylesheet")), styleSheet("form.css"),
		h.Map(p.Styles, func(file string) h.Node { return styleSheet(file) }),
		h.Map(p.Twins, func(t twin) h.Node {
			return h.Link(h.Rel("alternate"), h.Type(t.MIME), h.Href(t.Href), h.Title(t.Label))
		}),
		script("htmx.min.js"), script("live.js"), script("find.js"), h.Map(p.Scripts, script),
	)
}

// navEntry is an entry of the main navigation: the word of a page's Nav, the address and the text.
type navEntry struct{ nav, address, text string }

// mainNav are the entries of the main navigation, moreNav those of its menu.
var (
	mainNav = []navEntry{
		{"overview", "/admin", "Overview"},
		{"commits", "/admin/commits", "Commits"},
		{"query", queryURL, "Query"},
		{"schema", "/admin/schema", "Schema"},
	}
	moreNav = []navEntry{
		{"dashboard", dashboardURL, "Dashboard"},
		{"import", importURL, "Import"},
		{"branches", branchesURL, "Branches"},
		{"requests", requestsURL, "Requests"},
		{"gateway", gatewayURL, "Gateway"},
		{"tokens", tokensURL, "Tokens"},
		{"policy", policyURL, "Policies"},
		{"capabilities", "/admin/capabilities", "Capabilities"},
	}
)

// draw is a link to the entry's page, which may be the page that shows it.
func (e navEntry) draw(nav string) h.Node {
	return anchor("", e.address, h.If(e.nav == nav, h.Aria("current", "page")), h.Text(e.text))
}

func topBar(p page) h.Node {
	more := "More"
	if i := slices.IndexFunc(moreNav, func(e navEntry) bool { return e.nav == p.Nav }); i >= 0 {
		more = moreNav[i].text
	}
	return h.Header(h.Class("top"),
		anchor("brand", "/admin", h.Raw(logo), h.Span(h.Text("trails")),
			h.If(p.Frame.Graph != "", h.Group{space, h.Bdi(h.Class("graph-name"), h.Text(line(p.Frame.Graph)))})),
		h.If(p.Frame.Known, h.Nav(h.Class("main-nav"), h.Aria("label", "Main"),
			h.Map(mainNav, func(e navEntry) h.Node { return e.draw(p.Nav) }),
			h.Details(h.Class("menu"), h.Summary(h.If(more != "More", h.Aria("current", "page")), h.Text(more)),
				h.Div(h.Class("menu-body"), h.Map(moreNav, func(e navEntry) h.Node { return e.draw(p.Nav) }))))),
		h.If(p.Frame.Known, findBox(p)),
		h.Div(h.Class("tools"),
			h.Raw(liveMark), branchForm(p.Frame),
			h.If(p.Frame.Known, h.Span(h.Class("who"), h.Title("Who you are to the graph"), bdiLine(p.Frame.Who))),
			h.If(p.Frame.SignedIn, h.Form(h.Method("post"), h.Action("/admin/logout"), h.Button(h.Class("quiet"), h.Text("Sign out")))),
			helpLink(p), themeForm(p.Frame),
		),
	)
}

// findBox is the box that looks for anything, on every page.
func findBox(p page) h.Node {
	return h.GetForm(searchURL, h.Class("find"), h.Role("search"), h.ID("find"), h.Data("base", p.Frame.Base),
		h.Label(h.Class("hide"), h.For("find-text"), h.Text("Search")),
		h.Input(h.Type("search"), h.ID("find-text"), h.Name("q"), h.Value(p.Find), h.Placeholder("Search, or go to…  /"), h.MaxLength("2000"), h.AutoComplete("off"),
			h.Ask("hx-get", findURL), h.Attr("hx-trigger", "input changed delay:120ms"), h.Attr("hx-target", "#find-hits"), h.Attr("hx-sync", "this:replace")),
		h.Div(h.Class("find-hits"), h.ID("find-hits"), h.Attr("hidden")))
}

// branchForm chooses the branch that pages show, on the same page. A file with main alone has no choice.
func branchForm(f frame) h.Node {
	return h.If(len(f.Branches) > 1, h.GetForm(branchURL, h.Class("branch"), hiddenInput("return", f.Path),
		h.Label(h.Class("hide"), h.For("choose-branch"), h.Text("Branch")),
		h.Select(h.ID("choose-branch"), h.Name("branch"), h.Title("The branch that pages show and forms change"), h.Map(f.Branches, func(name string) h.Node {
			return option(name, name, branchNamed(name) == f.Branch)
		})),
		h.Button(h.Class("quiet"), h.Text("Go"), unseen(" to this branch"))))
}

// themeForm chooses light or dark, on the same page.
func themeForm(f frame) h.Node {
	button := func(value, theme, title string, icon h.Node) h.Node {
		return h.Button(h.Class("quiet icon"), h.Name("theme"), h.Value(value), h.Title(title),
			h.Aria("pressed", fmt.Sprint(f.Theme == theme)), icon, unseen(title))
	}
	return h.Form(h.Method("post"), h.Action("/admin/theme"), h.Class("theme"), h.ID("theme"),
		hiddenInput("return", f.Path),
		h.Div(h.Role("group"), h.Aria("label", "Theme"),
			button("light", "light", "Light theme", h.Raw(iconLight)),
			button("system", "", "Theme of the system", h.Raw(iconSystem)),
			button("dark", "dark", "Dark theme", h.Raw(iconDark))))
}

// sideList lists the types of the graph beside the page, folded where there is little room.
func sideList(p page) h.Node {
	if len(p.Frame.Types) == 0 {
		return nil
	}
	types := h.Ul(h.Class("types"), h.Map(p.Frame.Types, func(t schema.TypeDocument) h.Node {
		return h.If(!t.Abstract, h.Li(anchor("", typeURL(t.Name), h.If(t.Name == p.Type, h.Aria("current", "page")),
			p.colours.swatch(t.Name), typeText(t.Name))))
	}))
	return h.Nav(h.Class("side"), h.Aria("label", "Types"),
		h.Details(h.Class("side-fold"), h.Summary(h.Text("Types "), faint(fmt.Sprint(len(p.Frame.Types)))), types),
		h.Div(h.Class("side-wide"), h.H2(h.Text("Types")), types))
}

// mainPart is the page's own part. Its attributes tell a script when it is out of date.
func mainPart(p page) h.Node {
	instances := ""
	for _, address := range p.Live.Instances {
		instances += address + "\n"
	}
	crumb := func(l link) h.Node { return h.Li(l.draw()) }
	return h.Main(h.ID("main"), h.TabIndex("-1"), h.Attr("data-live", p.Live.Mode), h.Data("types", strings.Join(p.Live.Types, " ")),
		h.Data("instances", instances), h.Data("head", p.Live.Head),
		h.If(len(p.Crumbs) > 0, h.Nav(h.Class("crumbs"), h.Aria("label", "Where you are"),
			h.Ol(h.Li(anchor("", "/admin", h.Text("Overview"))), h.Map(p.Crumbs, crumb)))),
		h.Iff(p.AsOf != nil, func() h.Node {
			return h.P(h.Class("notice notice-warn as-of"), h.Role("note"), h.Text("As of commit "), commitLink(p.AsOf.Commit),
				h.Text(": this is what was there then, and nothing of it can be changed. "),
				h.A(h.Class("button"), h.Rel("alternate"), h.Elsewhere(p.AsOf.Now), h.Text("Back to now")))
		}),
		p.Main(p))
}

func foot(p page) h.Node {
	var twins []h.Node
	for _, t := range p.Twins {
		twins = append(twins, anchor("", t.Href, h.Type(t.MIME), h.Text(t.Label)))
	}
	return h.Footer(h.Class("foot"),
		h.If(len(twins) > 0, h.P(h.Text("Also as "), separated(h.Text(" · "), twins))),
		h.P(h.Class("faint"), h.Text("trails "+p.Frame.Version),
			h.If(p.Frame.Head != "", h.Group{h.Text(" · head "), commitLink(p.Frame.Head)})))
}
