package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"trails/auth"
	"trails/docs/guide"
)

const (
	helpURL = "/admin/help"
	tourURL = "/admin/help/tour"
)

// helpSections are the sections of the guide that are about a page and those below it, or with parts those with that many.
var helpSections = []struct {
	path, section string
	parts         int
}{
	{"/admin/search", "Finding", 0}, {"/admin/types", "Lists", 3}, {"/admin/types", "Texts", 4}, {"/admin/import", "Importing", 0},
	{"/admin/capabilities", "Forms", 0}, {"/admin/merge", "Merging", 0}, {"/admin/query", "Asking", 0}, {"/admin/gateway", "Upstream servers", 0},
}

// helpData is what the guide says of a page.
type helpData struct {
	Page     string
	Shows    []string // of the page, as Markdown
	Sections []helpSection
	Tools    []string // of the same without a browser, as Markdown
	Commands []string
}

type helpSection struct{ Title, Text string }

// help answers what the guide says of a page.
func (s *site) help(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "page")
	if err := q.err(); err != nil {
		return err
	}
	d := helpOf(firstOf(q.Get("page"), "/admin"))
	return s.respond(w, r, http.StatusOK, page{Title: "Help", Main: d.main})
}

// helpOf reads the guide for a page.
func helpOf(address string) helpData {
	path, _, _ := strings.Cut(address, "?")
	d := helpData{Page: path}
	for _, cells := range guideRows(guideSection("Pages")) {
		for _, at := range strings.Split(cells[0], ", ") {
			if len(cells) == 2 && isPageOf(path, strings.Trim(at, "`")) {
				d.Shows = append(d.Shows, cells[1])
			}
		}
	}
	for _, cells := range guideRows(guideSection("The same without a browser")) {
		if len(cells) == 3 && isPageOf(path, strings.Trim(cells[0], "`")) {
			d.Tools, d.Commands = append(d.Tools, cells[1]), append(d.Commands, cells[2])
		}
	}
	for _, of := range helpSections {
		if (path == of.path || strings.HasPrefix(path, of.path+"/")) && (of.parts == 0 || of.parts == strings.Count(path, "/")) {
			d.Sections = append(d.Sections, helpSection{of.section, guideSection(of.section)})
		}
	}
	return d
}

// guideSection is the text of a section of the guide, without its title.
func guideSection(title string) string {
	_, rest, _ := strings.Cut("\n"+guide.Pages, "# "+title+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(text)
}

// guideRows are the cells of the rows of the tables of a text, without their heads.
func guideRows(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
	}
	return rows
}

// isPageOf reports whether an address of the guide, which may have parameters, stands for a page. What has a capital letter
// or a digit in it, or stands where ids do, is an example.
func isPageOf(path, shown string) bool {
	shown, _, _ = strings.Cut(shown, "?")
	got, want := strings.Split(path, "/"), strings.Split(shown, "/")
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		isExample := strings.ContainsFunc(want[i], func(c rune) bool { return unicode.IsUpper(c) || unicode.IsDigit(c) }) || i == 4 && want[2] == "types"
		if got[i] != want[i] && !isExample {
			return false
		}
		if isExample && (got[i] == "graph" || got[i] == "edit") && want[2] != "types" {
			return false // a page of its own beside those of commits and the schema
		}
	}
	return true
}

// tourCookie names the cookie that remembers that the tour of a graph with this base was taken or refused. Another graph of
// the host offers its own: cookies know no ports, and its types and people are others.
func tourCookie(base string) string {
	sum := sha256.Sum256([]byte(base))
	return "trails-tour-" + hex.EncodeToString(sum[:6])
}

// tourStep is a step of the tour: a page, and what it is for.
type tourStep struct{ title, address, text string }

// tourSteps are the steps, in order.
func tourSteps() (steps []tourStep) {
	for line := range strings.Lines(guideSection("Tour")) {
		if _, step, is := strings.Cut(strings.TrimSpace(line), ". **"); is {
			title, rest, _ := strings.Cut(step, "** (`")
			address, text, _ := strings.Cut(rest, "`)")
			steps = append(steps, tourStep{title, address, title + text})
		}
	}
	return steps
}

// isNew reports whether the reader was never offered the tour of the graph, or did not answer.
func isNew(r *http.Request, base string) bool {
	_, err := r.Cookie(tourCookie(base))
	return err != nil
}

// rememberTour keeps that the tour of the graph was taken or refused.
func (s *site) rememberTour(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.asker(w, r).schema()
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: tourCookie(doc.Base), Path: auth.Prefix(r) + "/admin", Value: "seen", MaxAge: 10 * 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: auth.Secure(r)})
	return nil
}

// tour answers a step of the tour.
func (s *site) tour(w http.ResponseWriter, r *http.Request) error {
	q, steps := queryOf(r, "step"), tourSteps()
	d := tourData{Step: q.number("step", 1, 1, len(steps)), Steps: steps}
	if err := q.err(); err != nil {
		return err
	}
	if err := s.rememberTour(w, r); err != nil {
		return err
	}
	return s.respond(w, r, http.StatusOK, page{Title: "Tour, step " + strconv.Itoa(d.Step), Main: d.main})
}

// endTour refuses the tour, and goes back to the overview.
func (s *site) endTour(w http.ResponseWriter, r *http.Request) error {
	if _, err := readForm(w, r, formLimit); err != nil {
		return err
	}
	if err := s.rememberTour(w, r); err != nil {
		return err
	}
	http.Redirect(w, r, "/admin", http.StatusSeeOther)
	return nil
}

// tourData is a step of the tour.
type tourData struct {
	Step  int // from 1
	Steps []tourStep
}
