package admin

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	h "trails/admin/html"
	"trails/admin/static"
	"trails/fault"
)

// A page with this parameter answers with its picture of that name alone, as an SVG file.
const pictureParameter = "picture"

// taken is what a page is written to for one of its pictures: all else is dropped. A picture of the kind chart has the
// styles of charts.
type taken struct {
	name string
	file bytes.Buffer
}

func (t *taken) Write(text []byte) (int, error) { return len(text), nil }

// Take writes the picture with its styles if it is the one that is wanted.
func (t *taken) Take(name string, picture h.Node) error {
	if name != t.name || t.file.Len() > 0 {
		return nil
	}
	var out alone
	if err := picture.Render(&out); err != nil {
		return err
	}
	inside, _ := strings.CutPrefix(strings.Map(inXML, out.String()), "<svg")
	head, body, _ := strings.Cut(inside, ">")
	class := textIf(strings.HasPrefix(name, chartPicture), "chart", "around")
	fmt.Fprintf(&t.file, `<svg xmlns="http://www.w3.org/2000/svg" class="%s"%s><style>%s</style><rect class="sheet" width="100%%" height="100%%"></rect>%s`, class, strings.ReplaceAll(head, ` xmlns="http://www.w3.org/2000/svg"`, ""), fileStyle(), body)
	return nil
}

// inXML is a character as a file of XML has it, U+FFFD for one that it cannot have.
func inXML(c rune) rune {
	if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF {
		return 0xFFFD
	}
	return c
}

// alone is a picture in the making that stands in no page.
type alone struct{ bytes.Buffer }

// Alone leaves out links, see [html.Alone].
func (*alone) Alone() {}

// fileStyle is the style of a picture that stands alone, with the colours of the light theme. It has no variables, because
// programs that draw SVG seldom know them.
var fileStyle = sync.OnceValue(func() string {
	colours := static.LightColours()
	var out strings.Builder
	fmt.Fprintf(&out, "svg{font:13px system-ui,sans-serif}text{fill:%s}.sheet{fill:%s}.property,.value{fill:%s;font-size:11px}.here{font-weight:600}.mark{font-size:11px;font-weight:700}.names text{paint-order:stroke;stroke:%[2]s;stroke-width:4px;stroke-linejoin:round}", colours["text"], colours["panel"], colours["faint"])
	fmt.Fprintf(&out, ".link,.axis{fill:none;stroke:%s;stroke-width:1.2}.grid{fill:none;stroke:%s}.line{fill:none;stroke-width:2}.end{fill:%[1]s}.group rect{stroke-dasharray:4 3}.around rect{fill-opacity:.12}.around .sheet{fill-opacity:1}", colours["line-strong"], colours["line"])
	for _, class := range slices.Sorted(maps.Keys(colours)) {
		if strings.HasPrefix(class, "hue-") || strings.HasPrefix(class, "series-") {
			fmt.Fprintf(&out, ".%s rect,.%[1]s circle,.%[1]s .slice{fill:%s}.%[1]s .mark{fill:%[2]s}.around .%[1]s rect,.%[1]s .line{stroke:%[2]s}", class, colours[class])
		}
	}
	return out.String()
})

// sendPicture answers with one picture of a page.
func sendPicture(w http.ResponseWriter, p page, name string) error {
	t := taken{name: name}
	if err := p.Main(p).Render(&t); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	if t.file.Len() == 0 {
		return fault.New(fault.NotFound, "this page has no picture %q; open it without the parameter %s", line(name), pictureParameter)
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Disposition", `attachment; filename="picture.svg"`)
	_, _ = w.Write(t.file.Bytes()) // the connection may be closed
	return nil
}

// Names of pictures.
const (
	chartPicture  = "chart"
	figurePicture = "figure"
)

// framed is a picture in a region, with links to its files: of the page at this address, or where it is "", of the page
// that it is on.
func framed(name, label, class, address string, picture h.Node) h.Node {
	return h.Group{
		h.Div(h.Class("panel "+class), h.TabIndex("0"), h.Role("region"), h.Aria("label", label), h.Drawing(name, picture)),
		h.Here(func(here string) h.Node {
			to, err := url.Parse(firstOf(address, here))
			if err != nil || to.Path == "" {
				return nil
			}
			q := to.Query()
			q.Set(pictureParameter, name)
			to.RawQuery = q.Encode()
			return h.P(h.Class("faint files"), h.Attr("hx-boost", "false"), h.Text("Take the picture: "), anchor("", to.String(), h.Download("picture.svg"), h.Text("SVG")), space,
				h.Button(h.Type("button"), h.Class("quiet"), h.Attr("hidden"), h.Ask("data-png", to.String()), h.Text("PNG")))
		}),
	}
}
