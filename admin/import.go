package admin

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"trails/admin/form"
	"trails/auth"
	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
)

const importURL = "/admin/import"

// Bounds of the page of an import.
const (
	importRows    = 50  // rows that are shown
	importPlaces  = 200 // places of each mistake that are looked at
	importShown   = 5   // of them that are listed
	importAdvised = 20  // of them that are listed if others have messages of their own
	pasted        = "pasted.txt"
	skipped       = "-" // the choice that leaves a column out
)

// importData is the page of an import: what was sent, the decisions about it, and what comes of it.
type importData struct {
	Key    string // of what was sent; "" before that
	Once   string // makes the import happen once
	Name   string
	Asked  importChoices
	Plan   *view.ImportPlan
	Wrong  string
	Done   *importDone
	Commit string
	Left   *importData // the rows that were left out, to be mended; nil if none were
	Text   string      // that was pasted, and could not be taken
	Lost   bool        // what was sent is gone, and the decisions about it are kept
	Again  bool        // the import was refused, and the plan was made anew after it
	// Mass means that a person agrees to the statements that the plan removes.
	Mass bool
	// Cancelled is the name of what was sent and is forgotten.
	Cancelled string
}

// importChoices are the decisions, as the controls of the page have them.
type importChoices struct {
	Type, ID, By, Dates, Decimal, Sheet, Mode string
	Names                                     []string          // of the columns
	Kinds, Properties                         map[string]string // by column
	Cells                                     map[string]string // by line and number of the column: 3.0
}

// importDone is the answer of import.
type importDone struct {
	Records  int64
	LeftOut  int64 `json:"left_out"`
	Met      view.Met
	Commit   *string
	Rejected []struct {
		Rows  int64
		Table bool
		Text  string
	}
}

// importPage answers the page: where data is given, or the plan for what was sent.
func (s *site) importPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "data", "type")
	if err := q.err(); err != nil {
		return err
	}
	d := &importData{Key: q.Get("data"), Asked: importChoices{Type: q.Get("type")}}
	if sent, err := s.staged.find(s.asker(w, r).call.Principal.ID, d.Key); err == nil {
		d.Asked = sent.asked
	}
	if d.Key == "" {
		return s.showImport(w, r, http.StatusOK, d)
	}
	return s.planImport(w, r, d)
}

// importPosted takes what was sent, or the decisions about it.
func (s *site) importPosted(w http.ResponseWriter, r *http.Request) error {
	values, sent, err := s.readImport(w, r)
	if err != nil {
		if fault.Of(err).Kind == fault.Internal {
			return err
		}
		return s.showImport(w, r, status(err), &importData{Wrong: messageOf(err), Text: values.Get("text"), Asked: importChoices{Type: values.Get("type")}})
	}
	if sent != nil {
		if values.Get("append") == "" {
			sent.asked = choicesOf(values) // nobody else knows its key yet
		}
		if values.Get("more") != "" { // the script of the page sends the file in pieces
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = io.WriteString(w, sent.key) // the connection may be closed
			return nil
		}
		to := url.Values{"data": {sent.key}}
		if v := strings.TrimSpace(values.Get("branch")); v != "" {
			to.Set("branch", v)
		}
		http.Redirect(w, r, withQuery(importURL, to), http.StatusSeeOther)
		return nil
	}
	d := &importData{Key: values.Get("data"), Once: values.Get(keyName), Asked: choicesOf(values), Mass: values.Get("mass") != ""}
	if values.Get(doName) == "cancel" {
		return s.cancelImport(w, r, d)
	}
	if do := values.Get(doName); do == "load" || do == "load-good" {
		return s.doImport(w, r, d, do == "load-good")
	}
	return s.planImport(w, r, d)
}

// readImport reads the form. What was sent, a file or a text, is kept; nil if the form has the key of what was sent before.
func (s *site) readImport(w http.ResponseWriter, r *http.Request) (values url.Values, sent *staged, err error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		values, err = readForm(w, r, formLimit)
		if err == nil && values.Get("data") == "" {
			sent, err = s.stageText(r, values)
		}
		return values, sent, err
	}
	values = url.Values{}
	r.Body = http.MaxBytesReader(w, r.Body, mostForm+2*formLimit)
	parts := multipart.NewReader(r.Body, params["boundary"])
	for n, left := 0, int64(mostForm); ; n++ {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return values, nil, importTooLarge(err)
		}
		if n > form.MaxValues {
			return values, nil, fault.New(fault.TooLarge, "the form has more than %d values", form.MaxValues)
		}
		if part.FileName() != "" && part.FormName() == "file" {
			principal := auth.PrincipalOf(r.Context()).ID
			if key := values.Get("append"); key != "" {
				sent, err = s.staged.add(principal, key, part)
			} else {
				sent, err = s.staged.keep(principal, line(part.FileName()), part)
			}
			if err != nil {
				return values, nil, importTooLarge(err)
			}
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return values, nil, importTooLarge(err)
		}
		if left -= int64(len(text)); left < 0 {
			return values, nil, importTooLarge(&http.MaxBytesError{Limit: mostForm})
		}
		values.Add(part.FormName(), string(text))
	}
	if sent == nil && values.Get("data") == "" {
		sent, err = s.stageText(r, values)
	}
	return values, sent, err
}

// importTooLarge is the refusal of a form that could not be read.
func importTooLarge(err error) error {
	var tooLarge *http.MaxBytesError
	if e := formError(err, mostForm); !fault.Is(e, fault.TooLarge) || !errors.As(err, &tooLarge) {
		return e // also that what came in pieces is too large
	}
	return fault.New(fault.TooLarge, "a form takes %d MiB; with scripts this page sends files of up to %d MiB in pieces, and trails import FILE DATA on the command line takes any size", mostForm>>20, mostUpload>>20)
}

// stageText keeps a text that was pasted. Cells that were copied from a spreadsheet have tabs between them.
func (s *site) stageText(r *http.Request, values url.Values) (*staged, error) {
	text := strings.TrimLeft(values.Get("text"), "\r\n")
	if strings.TrimSpace(text) == "" {
		return nil, fault.Argument("text", fault.Required, nil, "choose a file, or paste a table")
	}
	name := firstOf(strings.TrimSpace(values.Get("name")), pasted)
	return s.staged.keep(auth.PrincipalOf(r.Context()).ID, line(name), strings.NewReader(text))
}

// choicesOf reads the controls of the page.
func choicesOf(values url.Values) importChoices {
	get := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	c := importChoices{
		Type: get("type"), ID: values.Get("id"), By: values.Get("by"), Dates: get("dates"), Decimal: get("decimal"), Sheet: values.Get("sheet"), Mode: get("mode"),
		Kinds: map[string]string{}, Properties: map[string]string{}, Cells: map[string]string{},
	}
	if was := values.Get("was-sheet"); was != "" && was != c.Sheet {
		return importChoices{Sheet: c.Sheet, Mode: c.Mode, Dates: c.Dates, Decimal: c.Decimal} // another sheet has other columns
	}
	for i := 0; values.Has(fmt.Sprint("name.", i)); i++ {
		name := values.Get(fmt.Sprint("name.", i))
		c.Names = append(c.Names, name)
		switch kind := get(fmt.Sprint("kind.", i)); kind {
		case "":
		case get("was-type"): // a reference to other rows, whatever their type is called now
			c.Kinds[name] = firstOf(c.Type, kind)
		default:
			c.Kinds[name] = kind
		}
		if property := get(fmt.Sprint("property.", i)); property != "" {
			c.Properties[name] = property
		}
	}
	for name := range values {
		if place, is := strings.CutPrefix(name, "cell."); is && (!values.Has("was."+place) || values.Get(name) != values.Get("was."+place)) {
			c.Cells[place] = values.Get(name)
		}
	}
	return c
}

// asTexts is the decision that cells which can be read in two ways are neither dates nor numbers.
const asTexts = "texts"

// undecided asks what nobody has decided yet and the data does not: how cells are read that can be read in two ways.
func (d *importData) undecided() string {
	ask := func(what, cell, decided string) string {
		return textIf(cell != "" && decided == "", "Nothing was changed: choose above how "+what+" such as "+line(cell)+" are read. ", "")
	}
	return strings.TrimSpace(ask("dates", d.Plan.Date, d.Asked.Dates) + ask("numbers", d.Plan.Number, d.Asked.Decimal))
}

// arguments are the decisions as import_plan takes them.
func (c importChoices) arguments(name string) map[string]any {
	args := map[string]any{"name": name, "rows": importRows, "places": importPlaces}
	for argument, v := range map[string]string{"type": c.Type, "id": c.ID, "by": c.By, "dates": c.Dates, "decimal": c.Decimal, "sheet": c.Sheet, "mode": c.Mode} {
		if v != "" && v != asTexts {
			args[argument] = v
		}
	}
	columns, kinds, cells := map[string]string{}, map[string]string{}, []map[string]any{}
	for column, property := range c.Properties {
		columns[column] = strings.TrimPrefix(property, skipped)
	}
	for column, kind := range c.Kinds {
		if kind == skipped {
			columns[column] = ""
		} else {
			kinds[column] = kind
		}
	}
	for place, text := range c.Cells {
		at, column, _ := strings.Cut(place, ".")
		n, err := strconv.Atoi(at)
		i, wrong := strconv.Atoi(column)
		if err == nil && wrong == nil && i >= 0 && i < len(c.Names) {
			cells = append(cells, map[string]any{"line": n, "column": c.Names[i], "text": text})
		}
	}
	for argument, given := range map[string]map[string]string{"map": columns, "as": kinds} {
		if len(given) > 0 {
			args[argument] = given
		}
	}
	if len(cells) > 0 {
		args["cells"] = cells
	}
	return args
}

// cancelImport forgets what was sent.
func (s *site) cancelImport(w http.ResponseWriter, r *http.Request, d *importData) error {
	name, err := s.staged.forget(auth.PrincipalOf(r.Context()).ID, d.Key)
	if err != nil {
		return s.importRefused(w, r, d, err)
	}
	return s.showImport(w, r, http.StatusOK, &importData{Cancelled: name})
}

// same reports whether decisions are the same.
func (c importChoices) same(o importChoices) bool {
	return c.Type == o.Type && c.ID == o.ID && c.By == o.By && c.Dates == o.Dates && c.Decimal == o.Decimal && c.Sheet == o.Sheet && c.Mode == o.Mode &&
		slices.Equal(c.Names, o.Names) && maps.Equal(c.Kinds, o.Kinds) && maps.Equal(c.Properties, o.Properties) && maps.Equal(c.Cells, o.Cells)
}

// shown are the decisions as the form of the plan has them: what was found stands in the place of what was not decided.
func (d *importData) shown() importChoices {
	c := d.Asked
	if d.Plan == nil {
		return c
	}
	for _, t := range d.Plan.Tables {
		c.Type = firstOf(c.Type, t.Type)
		for _, column := range t.Columns {
			if column.Key {
				c.ID = firstOf(c.ID, column.Name)
			}
		}
	}
	if len(d.Plan.Tables) == 1 && len(d.Plan.Tables[0].Sheets) > 1 {
		c.Sheet = firstOf(c.Sheet, d.Plan.Tables[0].Sheets[0])
	}
	return c
}

// planImport answers the page with the plan for what was sent.
func (s *site) planImport(w http.ResponseWriter, r *http.Request, d *importData) error {
	a := s.asker(w, r)
	if err := s.plan(a, d); err != nil {
		return s.importRefused(w, r, d, err)
	}
	return s.showImport(w, r, http.StatusOK, d)
}

// plan asks for the plan.
func (s *site) plan(a *asker, d *importData) error {
	sent, err := s.staged.find(a.call.Principal.ID, d.Key)
	if err != nil {
		return err
	}
	d.Name, d.Once = sent.name, firstOf(d.Once, uuid.NewString())
	a.call.Inputs = []invoke.Input{sent.input()}
	d.Plan = &view.ImportPlan{}
	err = a.ask("import_plan", d.Asked.arguments(sent.name), d.Plan)
	a.call.Inputs = nil
	if err != nil {
		d.Plan = nil
		return err
	}
	d.Plan.TooMany = d.Plan.TooMany && sent.rejects == "" // rows that were left out did not fit before
	d.Asked.Names = nil
	for _, t := range d.Plan.Tables {
		for _, c := range t.Columns {
			d.Asked.Names = append(d.Asked.Names, c.Name)
		}
	}
	s.staged.plan(sent, &plannedImport{a.Branch, d.shown(), d.Plan})
	return nil
}

// doImport imports as planned: everything, or the rows that fit. It plans again if a decision is another one since the plan
// that the page shows; if the graph is, the import itself refuses what does not hold any more, and the page plans again.
func (s *site) doImport(w http.ResponseWriter, r *http.Request, d *importData, good bool) error {
	a := s.asker(w, r)
	sent, err := s.staged.find(a.call.Principal.ID, d.Key)
	if err != nil {
		return s.importRefused(w, r, d, err)
	}
	if done := s.staged.finished(sent, d.Once); done != nil {
		return s.showImport(w, r, http.StatusOK, done)
	}
	if d.Plan = s.staged.plannedAs(sent, a.Branch, d.Asked); d.Plan != nil {
		d.Name = sent.name
	} else if err := s.plan(a, d); err != nil {
		return s.importRefused(w, r, d, err)
	}
	if len(d.Plan.Blocked) > 0 || !good && d.Plan.LeftOut > 0 {
		return s.showImport(w, r, http.StatusUnprocessableEntity, d)
	}
	if d.Wrong = d.undecided(); d.Wrong != "" {
		return s.showImport(w, r, http.StatusUnprocessableEntity, d)
	}
	if d.Plan.Removes > 0 && !d.Mass {
		d.Wrong = "Nothing was changed: tick that so many statements may go, or choose what becomes of rows that are there already."
		return s.showImport(w, r, http.StatusConflict, d)
	}
	args := map[string]any{
		"allow_mass_change": d.Plan.Removes > 0, "patch": d.Plan.Import.Patch, "tables": d.Plan.Import.Tables, "format": d.Plan.Import.Format, "mode": d.Plan.Import.Mode,
		"message": "import " + sent.name, "rejects": good,
	}
	a.call.Inputs = []invoke.Input{sent.input()}
	a.call.IdempotencyKey = d.Once
	done := &importDone{}
	err = a.ask("import", args, done)
	a.call.Inputs, a.call.IdempotencyKey = nil, ""
	if err != nil {
		s.planAgain(a, d, err)
		return s.importRefused(w, r, d, err)
	}
	d.Done = done
	if done.Commit != nil {
		d.Commit = *done.Commit
	}
	for _, one := range done.Rejected { // of one input there is one at most
		if d.Left, err = s.leftOf(a, sent, d, one.Text, textIf(one.Table, "csv", "ndjson")); err != nil {
			return err
		}
	}
	s.staged.finish(sent, d)
	return s.showImport(w, r, http.StatusOK, d)
}

// planAgain makes the plan anew for an import that the graph refused, which may have changed since the plan: the page would
// promise what holds no more, and would not ask for what the import needs now. Without a new plan the page keeps the one that
// it had.
func (s *site) planAgain(a *asker, d *importData, refused error) {
	byGraph := []fault.Kind{fault.InvalidData, fault.InvalidArguments, fault.Precondition, fault.Conflict}
	if was := d.Plan; slices.Contains(byGraph, fault.Of(refused).Kind) {
		if d.Again = s.plan(a, d) == nil; !d.Again {
			d.Plan = was
		}
	}
}

// leftOf keeps the rows that an import left out as what is sent next, read as they were before, with the plan for them. Without
// a plan they are there as text.
func (s *site) leftOf(a *asker, sent *staged, d *importData, text, extension string) (*importData, error) {
	name := sent.name + ".rejects." + extension
	if sent.rejects != "" {
		name = sent.name
	}
	kept, err := s.staged.keep(a.call.Principal.ID, name, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	kept.rejects = extension // nobody else knows its key yet
	t := d.Plan.Import.Tables[0]
	kept.asked = importChoices{Type: t.Type, ID: t.ID, By: t.By, Dates: firstOf(t.Dates, d.Asked.Dates), Decimal: firstOf(t.Decimal, d.Asked.Decimal), Mode: d.Asked.Mode, Kinds: map[string]string{}, Properties: map[string]string{}, Cells: map[string]string{}}
	for column, property := range t.Map {
		kept.asked.Properties[column] = firstOf(fmt.Sprint(property), skipped)
	}
	left := &importData{Key: kept.key, Name: name, Asked: kept.asked}
	if extension == "ndjson" {
		left.Text = text
		return left, nil
	}
	if err := s.plan(a, left); err != nil {
		left.Text = text
	}
	return left, nil
}

// importRefused answers with the page and why nothing was done.
func (s *site) importRefused(w http.ResponseWriter, r *http.Request, d *importData, err error) error {
	if fault.Of(err).Kind == fault.Internal {
		return err
	}
	d.Wrong = messageOf(err)
	if fault.Is(err, fault.TimedOut) {
		d.Wrong += textIf(r.Method == http.MethodGet, "; Check again may take longer", "") + "; trails import FILE DATA on the command line takes as long as it needs"
	}
	if fault.Is(err, fault.Missing) {
		d.Key, d.Lost = "", true // the file has to be chosen again
	}
	return s.showImport(w, r, status(err), d)
}

func (s *site) showImport(w http.ResponseWriter, r *http.Request, code int, d *importData) error {
	return s.respond(w, r, code, page{Title: "Import", Nav: "import", Main: d.main, Styles: []string{"import.css"}, Scripts: []string{"import.js"}})
}

// importRejected answers with the rows that an import left out, as a file.
func (s *site) importRejected(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "data")
	if err := q.err(); err != nil {
		return err
	}
	sent, err := s.staged.find(s.asker(w, r).call.Principal.ID, q.Get("data"))
	if err != nil {
		return err
	}
	if sent.rejects == "" {
		return fault.New(fault.NotFound, "these are no rows that were left out")
	}
	w.Header().Set("Content-Type", textIf(sent.rejects == "csv", "text/csv", "application/x-ndjson")+"; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "rejected." + sent.rejects}))
	_, _ = io.Copy(w, sent.input().Reader) // the connection may be closed
	return nil
}

// mistakesAt are the messages of the mistakes of each cell, by line and number of the column.
func (d *importData) mistakesAt() map[string]string {
	at := map[string]string{}
	for _, m := range d.Plan.Mistakes {
		i := slices.Index(d.Asked.Names, m.Column)
		for _, p := range m.Places {
			at[fmt.Sprintf("%d.%d", p.Line, i)] = firstOf(p.Message, m.Message)
		}
	}
	return at
}
