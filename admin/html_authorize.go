package admin

import (
	"strings"

	h "trails/admin/html"
	"trails/auth/oauth"
	"trails/auth/policy"
)

// may says what a client may do with a scope.
var may = map[policy.Scope]string{
	policy.Runtime: "use the graph: read it, and write data",
	policy.Builder: "change the schema, stored queries, policies and migrations",
	policy.Dev:     "generate files for development",
}

func (address nextStep) main(page) h.Node {
	return h.Div(h.Class("sign-in"), h.H1(h.Text("Connect a program")), lead(anchor("", string(address), h.Text("Go on"))))
}

// main asks the person.
func (d consentData) main(p page) h.Node {
	name := d.Client.Name
	if name == "" {
		name = d.Host
	}
	days := int(oauth.GrantLife.Hours() / 24)
	if !strings.HasPrefix(d.Who, policy.TokenActor) {
		days = int(oauth.ProviderGrantLife.Hours() / 24)
	}
	return h.Div(h.Class("sign-in"), h.H1(h.Text("Connect a program?")),
		lead(h.Text("A program that calls itself "), h.B(bdiLine(name)), h.Text(" asks to use this graph in your name.")),
		h.If(d.Message != "", h.Section(h.Class("notice notice-bad"), h.Role("alert"), h.P(bdiMessage(d.Message)))),
		h.Dl(h.Class("props panel"),
			prop("You are", bdiLine(d.Who)),
			prop("The graph", h.If(p.Frame.Graph != "", h.Group{h.B(bdiLine(p.Frame.Graph)), space}), plainCode(line(d.At))),
			prop("Access goes to", h.B(plainCode(line(d.Host))), h.P(h.Class("faint"), h.Text(whereIs(d.Host)))),
			prop("It is known by", h.Text(knownBy(d.Client)))),
		h.Form(h.Class("form panel"), h.Method("post"), h.Action("/admin/authorize"), h.EncType("multipart/form-data"),
			h.Map(d.Sent, keptInput),
			d.drawScopes(),
			h.Div(h.Class("field"), h.Div(h.Class("about"), h.P(h.Textf("It may do so for %d days at most, or until it is revoked on the page of tokens. What it writes has you as its author, by way of %s.", days, d.Host)))),
			h.Div(h.Class("buttons"), h.If(d.Offered != (policy.Scopes{}), submit("primary", decision, allowIt, "Allow")), submit("", decision, "refuse", "Refuse"))))
}

// drawScopes are the scopes that the person may give.
func (d consentData) drawScopes() h.Node {
	asked := "It names nothing in particular."
	if d.Asked != (policy.Scopes{}) {
		asked = "It asks for " + d.Asked.String() + "."
	}
	if d.Offered == (policy.Scopes{}) {
		return h.Section(h.Class("notice notice-warn"), h.P(h.Text(asked+" You have nothing of this that you could give it.")))
	}
	return h.Div(h.Class("field"), h.FieldSet(h.Aria("describedby", "scopes-about"),
		h.Legend(h.Text("What it may do")),
		h.Div(h.Class("about"), h.ID("scopes-about"), h.P(h.Text(asked+" You give no more than you tick, and it never has more than you have."))),
		h.Div(h.Class("choices consent"), h.Map(d.Offered.List(), func(scope string) h.Node {
			return h.Label(h.Class("choice"),
				h.Input(h.Type("checkbox"), h.ID("scope-"+scope), h.Name(given), h.Value(scope), h.If(d.Ticked.Has(policy.Scope(scope)), h.Checked())),
				h.Span(h.B(h.Text(scope)), h.Text(": "+may[policy.Scope(scope)])))
		}))))
}

// whereIs says what the host of a client is.
func whereIs(host string) string {
	switch {
	case host == "localhost":
		return "A program on the computer at which you sit. Allow it only if you have just started it."
	case strings.HasSuffix(host, ":"):
		return "A program on the computer at which you sit that opens such addresses. Allow it only if you have just started it."
	}
	return "Allow it only if you have just come from there."
}

// knownBy says what is known of a client.
func knownBy(c oauth.Client) string {
	if c.Source == "" {
		return "what it says of itself: nobody vouches for its name"
	}
	return "its description at " + c.Source
}
