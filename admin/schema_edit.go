package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"trails/fault"
	"trails/invoke"
	kgschema "trails/schema"
)

const (
	schemaEditURL   = "/admin/schema/edit"
	schemaApplyID   = "schema_apply"
	schemaBuilderID = "trails.meta.schema.apply"
)

// Bounds of a schema change on the page.
const (
	mostSteps    = 200
	rowsFirst    = 4 // properties of a new type that can be written at once
	rowsMore     = 4
	mostRows     = 60
	brokenListed = 50 // nodes that break
)

// The editors of the page, by the first word of what is open; the rest names the type or property.
const (
	onNewType  = "new-type"
	onType     = "type"
	onNew      = "new-property"
	onProperty = "property"
)

// schemaEdit is the page that changes the schema: the steps so far, what they would do, and the controls that make the
// next one. The steps are in the form alone; nothing happens before they are applied together.
type schemaEdit struct {
	// May means that the caller may change the schema, Builder that they may also loosen, rename and drop.
	May, Builder bool
	Steps        []string // as JSON
	// On is what is open: one of the editors and, after a space, a name.
	On string
	// Typed are the controls of the open editor as they were sent, nil if it shows what the schema has.
	Typed url.Values
	Rows  int // of a new type
	Key   string
	// Seen is the version of the schema that the steps are for.
	Seen    string
	Changed bool // the schema has another version than the steps were made for
	Wrong   string
	Fields  []fault.FieldError
	Agreed  string // how many statements may go, as the person was told

	Plan   schemaPlanned
	Broken []fault.FieldError
	before *kgschema.Schema
	after  *kgschema.Schema
	Patch  string // the steps in YAML
	Done   string // the commit of what was applied
}

// schemaPlanned is what the steps would do.
type schemaPlanned struct {
	Plan *struct {
		planAnswer
		Loses int64
	}
	Warnings []string
}

// schemaEditPage answers the page without steps, or with what was done.
func (s *site) schemaEditPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "on", "done")
	if done := q.Get("done"); done != "" && !commitID.MatchString(done) {
		q.fail("done", fault.Pattern, done, "this is no commit's id")
	}
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	d := &schemaEdit{On: q.Get("on"), Done: q.Get("done"), Rows: rowsFirst}
	if err := d.begin(a); err != nil {
		return err
	}
	if err := d.checkOpen(); err != nil {
		return err
	}
	return s.showSchemaEdit(w, r, http.StatusOK, d)
}

// begin reads the schema that is there, and who may change it.
func (d *schemaEdit) begin(a *asker) error {
	a.At = ""
	var answer struct {
		Text    string
		Version int64 `json:"schema_version"`
	}
	a.head = ""
	err := a.ask("schema_get", map[string]any{"format": "yaml"}, &answer)
	if err != nil {
		return err
	}
	if d.before, err = kgschema.ParseYAML([]byte(answer.Text), ""); err != nil {
		return err
	}
	d.after = d.before
	now := strconv.FormatInt(answer.Version, 10)
	if d.Seen != "" && d.Seen != now {
		d.Changed = true
	}
	d.Seen, d.Key = now, firstOf(d.Key, uuid.NewString())
	listed, err := a.listed()
	d.May, d.Builder = listed[schemaApplyID], listed[schemaBuilderID]
	return err
}

// plan asks what steps would do, and takes them if they are steps of this schema.
func (d *schemaEdit) plan(a *asker, steps []string) error {
	if len(steps) > mostSteps {
		return fault.New(fault.TooLarge, "a change has at most %d steps on this page; apply these first", mostSteps)
	}
	planned, after, patch := schemaPlanned{}, d.before, ""
	if len(steps) > 0 {
		args := map[string]any{"patch": patchOf(steps), "plan": true}
		if a.Branch != "" {
			args["branch"] = a.Branch
		}
		if err := a.ask(schemaApplyID, args, &planned); err != nil {
			return err
		}
		if planned.Plan != nil {
			if err := a.labelPlan(&planned.Plan.planAnswer, map[string]any{}); err != nil {
				return err
			}
		}
		patched, err := d.before.Patch([]byte(patchOf(steps)))
		if err != nil {
			return err
		}
		text, err := d.before.PatchTo(patched.Schema)
		if err != nil {
			return err
		}
		after, patch = patched.Schema, string(text)
	}
	d.Steps, d.Plan, d.after, d.Patch, d.Broken = steps, planned, after, patch, nil
	switch p := planned.Plan; {
	case p == nil || !p.Blocked && (p.Loses == 0 || !d.Builder):
		return nil
	case !p.Blocked: // trying the change counts the nodes that go, by type
		var tried struct{ Warnings []string }
		err := a.ask(schemaApplyID, d.arguments(a, map[string]any{"dry_run": true}), &tried)
		for _, text := range tried.Warnings {
			if !slices.Contains(d.Plan.Warnings, text) {
				d.Plan.Warnings = append(d.Plan.Warnings, text)
			}
		}
		return err
	}
	// Trying the change names every node that stands against it.
	err := a.ask(schemaApplyID, d.arguments(a, map[string]any{"dry_run": true}), &struct{}{})
	for _, f := range fault.Of(err).Fields {
		if f.Node != "" && len(d.Broken) < brokenListed {
			d.Broken = append(d.Broken, f)
		}
	}
	return nil
}

// arguments are those of applying the steps.
func (d *schemaEdit) arguments(a *asker, more map[string]any) map[string]any {
	args := map[string]any{"patch": patchOf(d.Steps), "allow_mass_change": true}
	if d.Builder && d.Plan.Plan != nil && d.Plan.Plan.Loses > 0 {
		args["allow_data_loss"] = true
	}
	if a.Branch != "" {
		args["branch"] = a.Branch
	}
	for name, v := range more {
		args[name] = v
	}
	return args
}

// schemaEditPosted answers a button of the page.
func (s *site) schemaEditPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	d := &schemaEdit{Steps: values["step"], On: values.Get("on"), Typed: values, Seen: values.Get("seen"), Agreed: values.Get("agreed")}
	if key := values.Get(keyName); len(key) <= 64 {
		d.Key = key
	}
	d.Rows, _ = strconv.Atoi(values.Get("rows"))
	d.Rows = min(max(d.Rows, rowsFirst), mostRows)
	entry := s.submissions.open(a.call.Principal.ID, firstOf(d.Key, uuid.NewString()))
	defer entry.close()
	do, about, _ := strings.Cut(values.Get(doName), " ")
	if do == "apply" && entry.digest != "" && entry.digest == d.digest() {
		return s.schemaDone(w, r, a, entry.result)
	}
	if err := d.begin(a); err != nil {
		return err
	}
	if entry.digest != "" {
		d.Key = uuid.NewString() // these steps are another change than the one that was made with the key
	}
	err = d.plan(a, d.Steps)
	if err == nil {
		err = d.do(a, do, about)
	}
	if err == nil {
		err = d.checkOpen()
	}
	if err == nil && do == "apply" {
		var res invoke.Result
		if res, err = d.apply(a); err == nil {
			entry.finish(d.digest(), "", nil, res)
			return s.schemaDone(w, r, a, res)
		}
	}
	if err == nil {
		return s.showSchemaEdit(w, r, http.StatusOK, d)
	}
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return err
	}
	d.Wrong, d.Fields = f.Message, f.Fields
	return s.showSchemaEdit(w, r, status(err), d)
}

// digest names the steps.
func (d *schemaEdit) digest() string {
	return digestOf(schemaApplyID, json.RawMessage(patchOf(d.Steps)))
}

// schemaDone leads to what was done.
func (s *site) schemaDone(w http.ResponseWriter, r *http.Request, a *asker, res invoke.Result) error {
	var answer struct{ Commit *string }
	if err := json.Unmarshal(res.Structured, &answer); err != nil || answer.Commit == nil {
		return errors.New("a change of the schema answered without its commit")
	}
	http.Redirect(w, r, a.Lead(withQuery(schemaEditURL, url.Values{"done": {*answer.Commit}})), http.StatusSeeOther)
	return nil
}

// do does what a button says, besides applying.
func (d *schemaEdit) do(a *asker, do, about string) error {
	switch do {
	case "open":
		d.On, d.Typed = about, nil
	case "close":
		d.On, d.Typed = "", nil
	case "more":
		d.Rows = min(d.Rows+rowsMore, mostRows)
	case "take": // a step back
		i, err := strconv.Atoi(about)
		if err != nil || i < 0 || i >= len(d.Steps) {
			return fault.New(fault.InvalidArguments, "there is no step %s", line(about))
		}
		return d.plan(a, slices.Delete(slices.Clone(d.Steps), i, i+1))
	case "drop":
		text, err := step(textIf(strings.Contains(about, "."), "drop_property", "drop_type"), about)
		if err != nil {
			return err
		}
		if err := d.plan(a, append(slices.Clone(d.Steps), text)); err != nil {
			return err
		}
		d.On, d.Typed = "", nil
	case "up":
		text, err := d.stepUp(about)
		if err != nil {
			return err
		}
		return d.plan(a, append(slices.Clone(d.Steps), text))
	case "add":
		more, err := d.stepsTyped()
		if err != nil {
			return err
		}
		if len(more) == 0 {
			return fault.New(fault.InvalidArguments, "nothing is changed yet: change a field first")
		}
		if err := d.plan(a, append(slices.Clone(d.Steps), more...)); err != nil {
			return err
		}
		d.Typed = nil
		if editor, _, _ := strings.Cut(d.On, " "); editor != onNew { // often several are added
			d.On = ""
		}
	}
	return nil
}

// stepUp is the step that moves a property before the one above it.
func (d *schemaEdit) stepUp(path string) (string, error) {
	if _, _, err := d.propertyOf(path); err != nil {
		return "", err
	}
	typeName, name, _ := strings.Cut(path, ".")
	t, err := d.doc().named(typeName)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(t.Properties, func(p kgschema.PropertyDocument) bool { return p.Name == name })
	if i == 0 {
		return "", fault.New(fault.InvalidArguments, "%s is the first property already", line(path))
	}
	return step("move_before", object{{path, t.Properties[i-1].Name}})
}

// apply makes the change, if the schema is as the page showed it and the person agreed to what goes.
func (d *schemaEdit) apply(a *asker) (invoke.Result, error) {
	if len(d.Steps) == 0 {
		return invoke.Result{}, fault.New(fault.InvalidArguments, "there is no step yet: add a type or a property first")
	}
	for range attempts {
		switch p := d.Plan.Plan; {
		case d.Changed:
			return invoke.Result{}, fault.New(fault.Conflict, "nothing was changed yet: somebody else changed the schema while you were at it; look at the plan below, which is for the schema as it is now, and apply it again")
		case p.Blocked:
			return invoke.Result{}, fault.New(fault.Conflict, "nothing was changed: data or stored queries stand against these steps; mend them, or take the steps back")
		case p.Loses > 0 && d.Agreed != strconv.FormatInt(p.Loses, 10):
			return invoke.Result{}, fault.New(fault.Precondition, "nothing was changed: these steps remove %s; say below that you want that", times(p.Loses, "statement", "statements"))
		}
		var sentences []string
		for _, one := range d.Steps {
			sentences = append(sentences, sentence(one))
		}
		more := map[string]any{"message": whole(firstRunes(strings.Join(sentences, " "), 500))}
		if a.head != "" {
			more["if_commit"] = a.head
		}
		text, err := json.Marshal(d.arguments(a, more))
		if err != nil {
			return invoke.Result{}, err
		}
		c := a.call
		c.Capability, c.Args, c.IdempotencyKey = schemaApplyID, text, d.Key
		res, err := a.engine.Call(a.ctx, c)
		if !lostCondition(err) {
			var answer struct{ Commit *string }
			if err == nil && json.Unmarshal(res.Structured, &answer) == nil && answer.Commit == nil {
				err = fault.New(fault.InvalidArguments, "nothing has changed: the schema is already like that")
			}
			return res, err
		}
		// Somebody wrote something: what it means for the plan is looked at again.
		if err := d.begin(a); err != nil {
			return invoke.Result{}, err
		}
		if err := d.plan(a, d.Steps); err != nil {
			return invoke.Result{}, err
		}
	}
	return invoke.Result{}, fault.New(fault.Conflict, "others write so fast that the graph could not be kept still; apply it again")
}

// stepsTyped are the steps that the open editor makes.
func (d *schemaEdit) stepsTyped() ([]string, error) {
	editor, about, _ := strings.Cut(d.On, " ")
	switch editor {
	case onNewType:
		return d.newType()
	case onNew:
		name, words, err := d.newProperty(0)
		if err != nil {
			return nil, err
		}
		text, err := step("add_property", object{{about + "." + name, words}})
		return []string{text}, err
	case onType:
		return d.alteredType(about)
	case onProperty:
		return d.alteredProperty(about)
	}
	return nil, fault.New(fault.InvalidArguments, "open a type or a property first")
}

// newProperty is the property in a row of the form.
func (d *schemaEdit) newProperty(i int) (string, object, error) {
	p := readProperty(d.Typed, i)
	if p.Title == "" {
		return "", nil, fault.Argument("name", fault.Required, nil, "give the property a name, such as Full name")
	}
	name, err := namedProperty(p.Title)
	if err == nil {
		err = p.check()
	}
	return name, p.words(), err
}

// newType is the step that adds a type with the properties of the form.
func (d *schemaEdit) newType() ([]string, error) {
	name, err := namedType(strings.TrimSpace(d.Typed.Get("title")))
	if err != nil {
		return nil, err
	}
	var properties, words object
	var keys []string
	label, firstText := "", ""
	for i := range d.Rows {
		p := readProperty(d.Typed, i)
		if p.Title == "" {
			continue
		}
		property, about, err := d.newProperty(i)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(properties, func(m objectMember) bool { return m.Name == property }) {
			return nil, fault.Argument("name", fault.Unique, p.Title, "two properties would be called "+property+"; give one another name")
		}
		properties = append(properties, objectMember{property, about})
		if d.Typed.Get("label") == strconv.Itoa(i) {
			label = property
		}
		if p.Kind == "string" && !p.Many {
			firstText = firstOf(firstText, property)
		}
		if slices.Contains(d.Typed["key"], strconv.Itoa(i)) {
			keys = append(keys, property)
		}
	}
	if text := strings.TrimSpace(d.Typed.Get("description")); text != "" {
		words = append(words, objectMember{"description", text})
	}
	if label = firstOf(label, firstText); label != "" {
		words = append(words, objectMember{"label", label})
	}
	if len(keys) > 0 {
		words = append(words, objectMember{"key", keys})
	}
	if properties == nil {
		properties = object{}
	}
	words = append(words, readType(d.Typed).rareWords()...)
	text, err := step("add_type", object{{name, append(words, objectMember{"properties", properties})}})
	return []string{text}, err
}

// typeTyped are the controls of a type: as the schema has it, or as they were sent.
type typeTyped struct {
	Title, Label, Description string
	Key                       []string
	// Those of the next lines are rare. Unique has a group on each line, and IDs is a word of idKinds.
	Extends            []string
	Unique, IDs, Class string
	Abstract, Open     bool
	Embed              bool
}

// isRare reports that a control is set that the page folds.
func (t typeTyped) isRare() bool {
	return len(t.Extends) > 0 || t.Unique+t.Class != "" || t.Abstract || t.Open || t.Embed || t.IDs != "" && t.IDs != string(kgschema.MintUUIDv7)
}

// readType reads the controls of a type, besides its key.
func readType(values url.Values) typeTyped {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return typeTyped{
		Title: text("title"), Label: values.Get("label"), Description: text("description"),
		Extends: values["extends"], Unique: text("unique"), IDs: values.Get("ids"), Class: text("class"), Abstract: values.Has("abstract"), Open: values.Has("open"), Embed: values.Has("embed"),
	}
}

// groups are the groups of properties that are unique together, as names.
func (t typeTyped) groups() (out [][]string) {
	for one := range strings.Lines(t.Unique) {
		var group []string
		for _, title := range listOf(strings.TrimSpace(one)) {
			name, err := namedProperty(title)
			if err != nil {
				name = title // the schema says what is wrong
			}
			group = append(group, name)
		}
		if len(group) > 0 {
			out = append(out, group)
		}
	}
	return out
}

func (t typeTyped) words() object {
	var out object
	for _, m := range []objectMember{{"label", t.Label}, {"description", t.Description}} {
		if m.Value != "" {
			out = append(out, m)
		}
	}
	if len(t.Key) > 0 {
		out = append(out, objectMember{"key", t.Key})
	}
	return append(out, t.rareWords()...)
}

// rareWords are the words of the schema's language for what the page folds.
func (t typeTyped) rareWords() (out object) {
	add := func(given bool, name string, value any) {
		if given {
			out = append(out, objectMember{name, value})
		}
	}
	groups := t.groups()
	add(len(t.Extends) > 0, "extends", t.Extends)
	add(t.Abstract, "abstract", true)
	add(t.Open, "open", true)
	add(t.Embed, "embed", true)
	add(len(groups) > 0, "unique", groups)
	add(t.IDs != "", "iri", t.IDs)
	add(t.Class != "", "rdf_type", t.Class)
	return out
}

// typeOf are the controls of a type of the schema.
func (d *schemaEdit) typeOf(name string) (is, typed typeTyped, err error) {
	t, err := d.doc().named(name)
	if err != nil {
		return is, typed, err
	}
	is = typeTyped{
		Title: t.Name, Label: t.Label, Description: t.Description, Key: t.Key,
		Extends: t.Extends, IDs: string(t.Mint), Abstract: t.Abstract, Open: t.Open, Embed: t.Embed,
	}
	for _, group := range t.Unique {
		is.Unique += strings.Join(group, ", ") + "\n"
	}
	if t.IRI != d.after.Base+t.Name && t.IRI != d.after.Base+t.IDs {
		is.Class = t.IRI
	}
	if d.Typed == nil {
		return is, is, nil
	}
	typed = readType(d.Typed)
	for _, known := range [][]string{is.Key, d.Typed["key"]} { // what was in the key before keeps its order
		for _, property := range known {
			if slices.Contains(d.Typed["key"], property) && !slices.Contains(typed.Key, property) {
				typed.Key = append(typed.Key, property)
			}
		}
	}
	return is, typed, nil
}

// alteredType are the steps from a type to its controls.
func (d *schemaEdit) alteredType(name string) ([]string, error) {
	is, typed, err := d.typeOf(name)
	if err != nil {
		return nil, err
	}
	now, err := namedType(typed.Title)
	if err != nil {
		return nil, err
	}
	return steps("alter_type", "rename_type", name, name, now, changes(is.words(), typed.words()))
}

// steps are those that alter something and then rename it, as far as there is something to do.
func steps(alter, rename, path, was, now string, changed object) ([]string, error) {
	var out []string
	for _, one := range []struct {
		is    bool
		word  string
		about object
	}{{len(changed) > 0, alter, object{{path, changed}}}, {now != was, rename, object{{path, now}}}} {
		if !one.is {
			continue
		}
		text, err := step(one.word, one.about)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// propertyOf are the controls of a property of the schema, named with its type.
func (d *schemaEdit) propertyOf(path string) (is, typed propertyTyped, err error) {
	typeName, name, _ := strings.Cut(path, ".")
	t, err := d.doc().named(typeName)
	if err != nil {
		return is, typed, err
	}
	i := slices.IndexFunc(t.Properties, func(p kgschema.PropertyDocument) bool { return p.Name == name })
	if i < 0 {
		return is, typed, fault.New(fault.NotFound, "%s has no property %s of its own", typeName, line(name))
	}
	is = typedOf(t.Properties[i], d.after.Base)
	if d.Typed == nil {
		return is, is, nil
	}
	return is, readProperty(d.Typed, 0), nil
}

// alteredProperty are the steps from a property to its controls.
func (d *schemaEdit) alteredProperty(path string) ([]string, error) {
	is, typed, err := d.propertyOf(path)
	if err != nil {
		return nil, err
	}
	typed.Title = firstOf(typed.Title, is.Title)
	if err := typed.check(); err != nil {
		return nil, err
	}
	now, err := namedProperty(typed.Title)
	if err != nil {
		return nil, err
	}
	return steps("alter_property", "rename_property", path, is.Title, now, changes(is.words(), typed.words()))
}

// doc is the schema after the steps.
func (d *schemaEdit) doc() schemaDocument { return schemaDocument{d.after.JSON()} }

// checkOpen refuses to open what is not there. It is closed then.
func (d *schemaEdit) checkOpen() (err error) {
	editor, about, _ := strings.Cut(d.On, " ")
	switch editor {
	case "", onNewType:
	case onType, onNew:
		_, err = d.doc().named(about)
	case onProperty:
		_, _, err = d.propertyOf(about)
	default:
		err = fault.New(fault.NotFound, "this page cannot open %s", line(d.On))
	}
	if err != nil {
		d.On = ""
	}
	return err
}

func (s *site) showSchemaEdit(w http.ResponseWriter, r *http.Request, code int, d *schemaEdit) error {
	if d.checkOpen() != nil { // the steps that added it are gone
		d.Typed = nil
	}
	return s.respond(w, r, code, page{
		Title: "Change the schema", Nav: "schema", Main: d.main, Crumbs: []link{{"Schema", "/admin/schema"}}, Styles: []string{"form.css", "schema.css"},
	})
}
