package admin

import (
	"cmp"
	"slices"

	"trails/builtin/view"
)

// figureMost bounds the nodes of a picture that is drawn as SVG.
const figureMost = 200

// figure is nodes and links to draw as SVG. The zero value has none.
type figure struct {
	Nodes []figureNode
	Links []figureLink
	// Left is the number of nodes that have no place.
	Left int
	at   map[string]int // index of nodes by their keys
}

// figureNode is a node of a picture, or several nodes as one.
type figureNode struct {
	view.Node
	Key   string
	Click string // where a click on it leads
	Page  string // its own page, or the list of those that it stands for
	Time  string // for a timeline, "" for none
	Group bool
	Here  bool // the node that the picture is about
}

// figureLink refers from one node to another one by a property. A link to a member of a group that has a box of its own
// is Inner: the box has the name of the property.
type figureLink struct {
	From, To int
	Property string
	Inner    bool
	Of       int // of an inner link: the node that the group is about, which the box stands for
}

// add returns the index of the node with this key, and adds it if there is none; -1 if there is no room.
func (f *figure) add(n figureNode) int {
	if at, known := f.at[n.Key]; known {
		return at
	}
	if f.at == nil {
		f.at = map[string]int{}
	}
	at := len(f.Nodes)
	if at >= figureMost {
		f.Left++
		at = -1
	} else {
		f.Nodes = append(f.Nodes, n)
	}
	f.at[n.Key] = at
	return at
}

// link adds a link unless there is the same or one of its ends has no place.
func (f *figure) link(l figureLink) {
	if l.From >= 0 && l.To >= 0 && !slices.Contains(f.Links, l) {
		f.Links = append(f.Links, l)
	}
}

// types are the types of the nodes with their numbers.
func (f *figure) types() (out []typeCount) {
	for _, n := range f.Nodes {
		if !n.Group {
			out = countMore(out, n.Type, 1)
		}
	}
	return out
}

// The layouts of a picture.
const (
	layoutAround = "around"
	layoutLayers = "layers"
	layoutTime   = "time"
)

// layouts are the layouts with their names.
var layouts = []struct{ word, says string }{{layoutAround, "Around"}, {layoutLayers, "By direction"}, {layoutTime, "Timeline"}}

// Sizes of pictures, in units of the picture.
const (
	figureBox   = 172 // width of a node
	figureRow   = 38
	figureGap   = 96  // between two columns, with the names of links in it
	figureWider = 190 // the same where links of both directions have their names there
)

// arrangement is where the nodes of a figure are: the middles of their boxes.
type arrangement struct {
	X, Y          []float64
	Width, Height float64
	// Lead is the link by which each node was reached, -1 for those in the middle. These links are named.
	Lead []int
}

// leads walks the figure breadth first, and returns for each node the node and the link that it was reached by, and the
// order. Each part that does not hang together with the others begins at its node with the most links; the first node of
// all begins the first part if it is what the picture is about.
func (f *figure) leads() (from, by, order []int) {
	n := len(f.Nodes)
	near := make([][]int, n) // links of each node
	for i, l := range f.Links {
		near[l.From] = append(near[l.From], i)
		if l.To != l.From {
			near[l.To] = append(near[l.To], i)
		}
	}
	starts := make([]int, n)
	for i := range starts {
		starts[i] = i
	}
	slices.SortStableFunc(starts, func(a, b int) int {
		here := func(i int) int { return map[bool]int{false: 1}[f.Nodes[i].Here] }
		return cmp.Or(cmp.Compare(here(a), here(b)), cmp.Compare(len(near[b]), len(near[a])))
	})
	from, by = make([]int, n), make([]int, n)
	reached := make([]bool, n)
	for _, start := range starts {
		if reached[start] {
			continue
		}
		reached[start], from[start], by[start] = true, -1, -1
		for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			order = append(order, at)
			for _, i := range near[at] {
				to := f.Links[i].From + f.Links[i].To - at
				if !reached[to] {
					reached[to], from[to], by[to] = true, at, i
					queue = append(queue, to)
				}
			}
		}
	}
	return from, by, order
}

// arrange places the nodes in columns of rows, so that no label is over another one.
func (f *figure) arrange(layout string) arrangement {
	from, by, order := f.leads()
	n := len(f.Nodes)
	a := arrangement{X: make([]float64, n), Y: make([]float64, n), Lead: by}
	column := make([]int, n)
	side := make([]int, n)
	below := make([][]int, n)
	for _, at := range order {
		parent := from[at]
		if parent < 0 {
			continue
		}
		below[parent] = append(below[parent], at)
		towards := 1
		if f.Links[by[at]].To == parent {
			towards = -1
		}
		if side[at] = side[parent]; side[at] == 0 || layout == layoutLayers {
			side[at] = towards
		}
		column[at] = column[parent] + side[at]
	}
	gap := float64(figureGap)
	if layout == layoutLayers {
		gap = figureWider
	}
	top := 0.0
	for start := 0; start < len(order); { // each part beneath the one before
		end := start + 1
		for end < len(order) && from[order[end]] >= 0 {
			end++
		}
		part := order[start:end]
		if layout == layoutLayers {
			top += f.stack(part, column, a.Y, top)
		} else {
			top += spread(part[0], below, side, a.Y, top)
		}
		start = end
	}
	if n > 0 {
		least := slices.Min(column)
		for i := range n {
			a.X[i] = float64(column[i]-least)*(figureBox+gap) + figureBox/2
		}
		a.Width = float64(slices.Max(column)-least)*(figureBox+gap) + figureBox
	}
	a.Height = top
	return a
}

// spread gives each node without others behind it a row, and places the others in the middle of theirs: what is left of
// the middle and what is right of it each from the top, in the middle of the higher side. Of says on which side each is. It
// returns the height.
func spread(middle int, below [][]int, of []int, y []float64, top float64) float64 {
	var side rows
	var place func(at int) float64
	place = func(at int) float64 {
		var beneath []float64
		for _, c := range below[at] {
			beneath = append(beneath, place(c))
		}
		y[at] = side.place(beneath)
		return y[at]
	}
	var highs [2]float64
	for i, s := range []int{-1, 1} {
		side = rows{high: figureRow}
		for _, c := range below[middle] {
			if of[c] == s {
				place(c)
			}
		}
		highs[i] = side.next
	}
	high := max(highs[0], highs[1], figureRow)
	var shift func(at int, by float64)
	shift = func(at int, by float64) {
		y[at] += by
		for _, c := range below[at] {
			shift(c, by)
		}
	}
	for _, c := range below[middle] {
		shift(c, top+figureRow/2+(high-highs[(of[c]+1)/2])/2)
	}
	y[middle] = top + high/2
	return high
}

// stack places the nodes of each column one beneath the other, in the middle of the highest column, whose height it
// returns.
func (f *figure) stack(part, column []int, y []float64, top float64) float64 {
	rows := map[int]int{}
	most := 0
	for _, at := range part {
		y[at] = float64(rows[column[at]]) * figureRow
		rows[column[at]]++
		most = max(most, rows[column[at]])
	}
	for _, at := range part {
		y[at] += top + figureRow/2 + float64(most-rows[column[at]])*figureRow/2
	}
	return float64(most) * figureRow
}
