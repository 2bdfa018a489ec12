package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"trails/fault"
)

// Options of an installation. The zero value writes an entry whose name is chosen, and replaces none of others.
type Options struct {
	// Name of the entry; "" means that of an entry for the same graph, and else Default.
	Name, Default string
	Force         bool // replace an entry of that name, whatever it is
	Dry           bool // change nothing
}

// What became of an entry.
const (
	Added     = "added"
	Changed   = "changed"
	Removed   = "removed"
	Unchanged = "unchanged"
	Absent    = "absent"
)

// Change reports what was done to a configuration, or with Options.Dry would be.
type Change struct {
	Config string `json:"config"` // its path; that of the target of a link
	Name   string `json:"name"`   // of the entry; "" if there was none
	Did    string `json:"did"`
	Server Server `json:"server"`
	// Entry is the entry as it stands in a configuration of its own.
	Entry string `json:"entry"`
	// Backup is the path of the configuration as it was before, "" if there was none or nothing was changed.
	Backup string `json:"backup,omitempty"`
}

// nameRule is what all hosts take as the name of a server.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// NameOf makes a name for a server from the name of a file or of a host.
func NameOf(text string) string {
	name := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(text, "-"), "-")
	if name = name[:min(len(name), 64)]; name == "" {
		return "trails"
	}
	return name
}

// Install writes the entry of a graph into a configuration, which is made if there is none. s must be a server of
// trails. An entry of the same name that serves something else is a fault of the kind Conflict, and nothing is changed.
func (h Host) Install(at Place, s Server, o Options) (Change, error) {
	if o.Name != "" && !nameRule.MatchString(o.Name) {
		return Change{}, fault.New(fault.InvalidArguments, "the name %q has other characters than A-Z, a-z, 0-9, _ and -, or more than 64 of them", o.Name)
	}
	if err := h.installed(at); err != nil && !o.Dry {
		return Change{}, err
	}
	return h.change(at, o.Dry, func(text []byte, d document, all []entry, c *Change) ([]byte, error) {
		c.Server = s
		found, err := h.find(all, s, o)
		if err != nil {
			return nil, err
		}
		if c.Name, c.Did = o.Name, Added; c.Name == "" {
			c.Name = o.Default
		}
		if found != nil {
			c.Name, c.Did = found.name, Changed
			switch more := found.added(s); {
			case found.serves(s) && found.says(s):
				c.Server, c.Did = found.written(), Unchanged
				return text, nil
			case o.Force:
			case !found.serves(s):
				return nil, fault.New(fault.Conflict, "%s has an entry %s of %s; give another --name, or --force to replace it", fault.Path(c.Config), c.Name, found.kind(s))
			case len(more) > 0:
				return nil, fault.New(fault.Conflict, "the entry %s of %s is to change, and has what trails did not write: %s; --force writes it anew without that", c.Name, fault.Path(c.Config), strings.Join(more, ", "))
			}
		}
		return d.set(c.Name, s, h.typed)
	})
}

// kind names what an entry serves. The arguments of other programs may hold secrets.
func (e entry) kind(s Server) string {
	command, address, ours := e.target(s.Command)
	switch {
	case ours:
		return "trails " + command + " " + address
	case e.Command != "":
		return programOf(e.Command)
	}
	return "a server without a command"
}

// Uninstall removes the entry of a graph from a configuration; that there is none is no fault. s needs no environment.
// With a name that entry is removed, if it is one of trails, whatever graph it serves. Where nothing but the installation of
// the entry has changed the configuration, it is again as it was before, and gone if there was none.
func (h Host) Uninstall(at Place, s Server, o Options) (Change, error) {
	return h.change(at, o.Dry, func(text []byte, d document, all []entry, c *Change) ([]byte, error) {
		found, err := h.find(all, s, Options{Name: o.Name})
		if err != nil {
			return nil, err
		}
		if found == nil {
			c.Did, c.Name, c.Server = Absent, o.Name, s
			return text, nil
		}
		c.Name, c.Did, c.Server = found.name, Removed, found.written()
		if _, _, ours := found.target(s.Command); !ours {
			return nil, fault.New(fault.Conflict, "the entry %s of %s is of %s; remove it by hand", found.name, fault.Path(c.Config), found.kind(s))
		}
		if before, is := h.before(c.Config, text, *found); is {
			return before, nil
		}
		left, err := d.remove(found.name)
		return append([]byte{}, left...), err // an empty text, and not none
	})
}

// before returns the text of a configuration as it was before an entry was installed, nil if there was none, where nothing
// else has changed since: the installation makes of the backup, or of nothing, what is there now.
func (h Host) before(path string, text []byte, e entry) (before []byte, is bool) {
	before, err := os.ReadFile(path + backupExt)
	if errors.Is(err, fs.ErrNotExist) {
		before, err = nil, nil
	}
	if err != nil {
		return nil, false
	}
	d, err := h.format(before)
	if err != nil {
		return nil, false
	}
	if all, err := d.entries(); err != nil || slices.ContainsFunc(all, func(other entry) bool { return other.name == e.name }) {
		return nil, false
	}
	made, err := d.set(e.name, e.Server, h.typed)
	return before, err == nil && bytes.Equal(made, text)
}

// find returns the entry of a name or, if no name is given, that of the same graph; nil if there is none.
func (h Host) find(all []entry, s Server, o Options) (*entry, error) {
	var found []*entry
	for i := range all {
		e := &all[i]
		if o.Name != "" && e.name == o.Name || o.Name == "" && e.serves(s) {
			found = append(found, e)
		}
	}
	if o.Name == "" && len(found) == 0 {
		for i := range all {
			if o.Default != "" && all[i].name == o.Default {
				found = append(found, &all[i])
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, e := range found {
		names[i] = e.name
	}
	return nil, fault.New(fault.Conflict, "%s has this graph %d times, as %s; say which with --name", h.Title, len(found), strings.Join(names, ", "))
}

// change edits a configuration with do, which returns the text as it is to be.
func (h Host) change(at Place, dry bool, do func([]byte, document, []entry, *Change) ([]byte, error)) (Change, error) {
	var c Change
	edit := func(path string, text []byte) ([]byte, error) {
		c = Change{Config: path}
		d, err := h.format(text)
		if err != nil {
			return nil, fault.New(fault.Malformed, "%s cannot be read, and was left as it is", fault.Path(path)).Because(err)
		}
		all, err := d.entries()
		if err == nil {
			_, err = d.others("")
		}
		if err != nil {
			return nil, fault.New(fault.Malformed, "%s cannot be read, and was left as it is", fault.Path(path)).Because(err)
		}
		edited, err := do(text, d, all, &c)
		if err != nil {
			return nil, err
		}
		if err := h.check(d, edited, c.Name); err != nil {
			return nil, fmt.Errorf("edit %s: %w", path, err)
		}
		if c.Did != Absent {
			c.Entry, err = h.alone(c.Name, c.Server)
		}
		return edited, err
	}
	backup, err := update(at, dry, edit)
	c.Backup = backup
	return c, err
}

// alone is the text of a configuration that has one entry alone.
func (h Host) alone(name string, s Server) (string, error) {
	d, err := h.format(nil)
	if err != nil {
		return "", err
	}
	text, err := d.set(name, s, h.typed)
	return string(text), err
}

// check compares an edited text with what it was made from: outside of the entry all values must be the same.
func (h Host) check(before document, edited []byte, name string) error {
	after, err := h.format(edited)
	if err != nil {
		return err
	}
	was, err := before.others(name)
	if err != nil {
		return err
	}
	is, err := after.others(name)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(was, is) {
		return fmt.Errorf("more than the entry %s would change", name)
	}
	return nil
}
