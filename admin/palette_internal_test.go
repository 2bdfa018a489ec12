package admin

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"trails/schema"
)

func typesNamed(names ...string) (types []schema.TypeDocument) {
	for _, name := range names {
		types = append(types, schema.TypeDocument{Name: name})
	}
	return types
}

func TestUpToTwelveTypesHaveColoursOfTheirOwn(t *testing.T) {
	var names []string
	var p typeColours
	before := map[string]int{}
	for i := range 40 {
		names = append(names, fmt.Sprintf("Type%d", i))
		p.learn(typesNamed(names...))
		used := map[int]string{}
		for _, name := range names[:min(len(names), hues)] {
			h := p.hue(name)
			if h < 1 || h > hues || used[h] != "" {
				t.Fatalf("of %d types %s has the colour %d, as %q has", len(names), name, h, used[h])
			}
			if used[h] = name; before[name] != 0 && before[name] != h {
				t.Fatalf("%s lost its colour when %s came", name, names[i])
			}
			before[name] = h
		}
		if h := p.hue(names[i]); h < 1 || h > hues {
			t.Fatalf("%s has the colour %d", names[i], h)
		}
	}
	if p.hue("") != 0 || p.hue("Unknown") < 1 || p.hue("Unknown") > hues {
		t.Errorf("no type has %d, an unknown one %d", p.hue(""), p.hue("Unknown"))
	}
}

// Twelve types for each initial have a colour of which no other type has the initial, so that one letter tells them apart;
// further ones have two characters.
func TestTypesOfOneColourHaveDifferentLetters(t *testing.T) {
	var names []string
	for i := range hues {
		for _, initial := range []string{"A", "B", "C", "D", "E"} {
			names = append(names, fmt.Sprintf("%sType%d", initial, i))
		}
	}
	var p typeColours
	p.learn(typesNamed(append(names, "Another")...))
	seen := map[typeLook]string{}
	for _, name := range names {
		look := typeLook{p.hue(name), p.mark(name)}
		if len(look.mark) != 1 {
			t.Errorf("%s has the mark %q", name, look.mark)
		}
		if seen[look] != "" {
			t.Errorf("%s looks like %s", name, seen[look])
		}
		seen[look] = name
	}
	if look := (typeLook{p.hue("Another"), p.mark("Another")}); len(look.mark) != 2 || seen[look] != "" {
		t.Errorf("the thirteenth type with the initial A has the mark %q", look.mark)
	}
}

// TestTheColoursOfTypesCanBeReadAndToldApart reads them from the style sheet: as text on
// a panel, on the page and on a badge their contrast is that of WCAG 2.2 AA (1.4.3), and
// any two of them are as far apart as eyes need, in both themes, also without red or green cones.
func TestTheColoursOfTypesCanBeReadAndToldApart(t *testing.T) {
	sheet, err := os.ReadFile("static/admin.css")
	if err != nil {
		t.Fatal(err)
	}
	pair := func(pattern string) [2]rgb {
		t.Helper()
		m := regexp.MustCompile(pattern + `[^;]*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).FindSubmatch(sheet)
		if m == nil {
			t.Fatalf("the style sheet has no %s", pattern)
		}
		return [2]rgb{rgbOf(t, string(m[1])), rgbOf(t, string(m[2]))}
	}
	panel, page := pair(`--panel:`), pair(`--bg:`)
	var colours [][2]rgb
	for i := range hues {
		colours = append(colours, pair(fmt.Sprintf(`\.hue-%d \{ --hue:`, i+1)))
	}
	for theme, name := range []string{"light", "dark"} {
		for i, c := range colours {
			for where, under := range map[string]rgb{"a panel": panel[theme], "the page": page[theme], "a badge": c[theme].over(panel[theme], 0.1)} {
				if got := contrast(c[theme], under); got < 4.5 {
					t.Errorf("%s: hue-%d on %s has a contrast of %.2f", name, i+1, where, got)
				}
			}
			for j, other := range colours[:i] {
				if d := c[theme].distance(other[theme]); d < 0.1 {
					t.Errorf("%s: hue-%d and hue-%d are %.3f apart", name, j+1, i+1, d)
				}
				for eyes, m := range blindness {
					if d := c[theme].seen(m).distance(other[theme].seen(m)); d < 0.07 {
						t.Errorf("%s, %s: hue-%d and hue-%d are %.3f apart", name, eyes, j+1, i+1, d)
					}
				}
			}
		}
	}
}

// rgb is a colour of sRGB, each channel from 0 to 1.
type rgb [3]float64

func rgbOf(t *testing.T, hex string) (c rgb) {
	t.Helper()
	for i := range c {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c[i] = float64(n) / 255
	}
	return c
}

// over mixes so much of the colour into another one, as color-mix in srgb does.
func (c rgb) over(other rgb, part float64) (out rgb) {
	for i := range out {
		out[i] = c[i]*part + other[i]*(1-part)
	}
	return out
}

// linear is the colour without the gamma of sRGB.
func (c rgb) linear() (out rgb) {
	for i, x := range c {
		if out[i] = x / 12.92; x > 0.04045 {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

// blindness are what eyes without red or green cones see of linear sRGB (Machado, Oliveira and Fernandes 2009, severity 1).
var blindness = map[string][3]rgb{
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
}

// seen is the colour as such eyes see it.
func (c rgb) seen(by [3]rgb) (out rgb) {
	v := c.linear()
	for i, row := range by {
		x := min(1, max(0, row[0]*v[0]+row[1]*v[1]+row[2]*v[2]))
		if out[i] = 12.92 * x; x > 0.0031308 {
			out[i] = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
	}
	return out
}

// contrast is the ratio of WCAG 2.2.
func contrast(a, b rgb) float64 {
	luminance := func(c rgb) float64 { l := c.linear(); return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] }
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// distance is Euclid's in OKLab, where equal distances look equal.
func (c rgb) distance(other rgb) float64 {
	lab := func(c rgb) rgb {
		v := c.linear()
		l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
		m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
		s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
		return rgb{
			0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
			1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
			0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
		}
	}
	a, b := lab(c), lab(other)
	return math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
}

// TestTypesOfOneColourAreToldApartByTheirMarks holds that among sixty types no two look alike, that types that come
// later take no mark away, and that a mark fits in a box.
func TestTypesOfOneColourAreToldApartByTheirMarks(t *testing.T) {
	lists := [][]string{nil, nil, nil}
	for i := range 60 {
		lists[0] = append(lists[0], fmt.Sprintf("Type%c%c", 'A'+i%26, 'a'+i/26))
		lists[1] = append(lists[1], fmt.Sprintf("%cThing%d", 'A'+i%3, i))
		lists[2] = append(lists[2], fmt.Sprintf("%c%c", 'A'+i%6, 'a'+i/6))
	}
	for _, names := range lists {
		var p typeColours
		before := map[string]string{}
		for i := range names {
			p.learn(typesNamed(names[:i+1]...))
			seen := map[string]string{}
			for _, name := range names[:i+1] {
				look := fmt.Sprint(p.hue(name), p.mark(name))
				if other := seen[look]; other != "" {
					t.Fatalf("of %d types %s and %s are both %s", i+1, other, name, look)
				}
				if seen[look] = name; before[name] != "" && before[name] != look {
					t.Fatalf("%s was %s, and is %s since %s came", name, before[name], look, names[i])
				}
				before[name] = look
				if n := len(p.mark(name)); n < 1 || n > 2 {
					t.Errorf("%s has the mark %q", name, p.mark(name))
				}
			}
		}
	}
	var p typeColours
	p.learn(typesNamed("Person"))
	for name, want := range map[string]string{"": "", "Person": "P", "Unknown": "U", "élan": "É"} {
		if got := p.mark(name); got != want {
			t.Errorf("%q has the mark %q, want %q", name, got, want)
		}
	}
}
