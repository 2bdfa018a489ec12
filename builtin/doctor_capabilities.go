package builtin

import (
	"cmp"
	"context"
	"fmt"
	"sort"

	"trails/builtin/surface"
	"trails/capability"
	"trails/capability/project"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/tokens"
)

// checkCapabilities compares every view of each capability with its descriptor, once for each version of the
// registry.
func (d *doctor) checkCapabilities(_ context.Context, r *invoke.Request) (string, error) {
	views := d.views
	if views == nil {
		views = project.Encodings(r.Engine().Process())
	}
	all := r.Registry()
	differing, err := d.differences(views, all)
	if err != nil {
		return "", err
	}
	p := problem{failed: true, text: fmt.Sprintf("%d differences between descriptors and what is shown of them", len(differing))}
	for _, one := range differing {
		p.findings = append(p.findings, one.Finding())
	}
	return fmt.Sprintf("%d capabilities, in %d views as their descriptors say", len(all.All()), len(views)), p.orNil()
}

func (d *doctor) differences(views []project.Encoding, all *capability.Registry) ([]project.Difference, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.version == all.Version() {
		return d.differing, nil
	}
	var differing []project.Difference
	for _, v := range views {
		for _, one := range all.All() {
			found, err := v.Check(one)
			if err != nil {
				return nil, err
			}
			differing = append(differing, found...)
		}
	}
	d.version, d.differing = all.Version(), differing
	return differing, nil
}

// checkVersions checks the descriptors stored in the file: each must have the digest in its version, and must be
// readable by this program.
func checkVersions(ctx context.Context, r *invoke.Request) (string, error) {
	const damaged, older = "digest", "older-form"
	p := problem{}
	newest := map[string]kg.CapabilityVersion{}
	err := r.Snapshot.EachCapabilityVersion(ctx, func(v kg.CapabilityVersion) {
		if !capability.Names(v.Version, []byte(v.Descriptor)) {
			p.findings = append(p.findings, project.Finding{
				Capability: v.Capability, Field: "version", Rule: damaged,
				Says: fmt.Sprintf("what the file has of version %s is not what the digits in the version are of: it was changed in the file", v.Version),
				Mend: "trails doctor --fix writes it again where this program has that version; else restore the file from a backup",
			})
		}
		newest[v.Capability] = v
	})
	if err != nil {
		return "", err
	}
	p.failed = len(p.findings) > 0
	for _, d := range r.Registry().All() {
		v, ok := newest[d.ID]
		if !ok || v.Version == d.Version {
			continue
		}
		if read, err := capability.Read([]byte(v.Descriptor)); err != nil || string(read.Content()) != v.Descriptor {
			p.findings = append(p.findings, project.Finding{
				Capability: d.ID, Rule: older,
				Says: fmt.Sprintf("version %s was written by %s in a form that this program writes otherwise", v.Version, cmp.Or(v.Program, "another program")),
				Mend: "nothing is lost, and the next program that writes keeps the form of now beside it",
			})
		}
	}
	p.text = "descriptors in the file need a look"
	return "the descriptors that are kept are what their versions say", p.orNil()
}

// mostToolTokens is the recommended maximum of tokens for one tool: a fifth of that for a list.
const mostToolTokens = surface.Budget / 5

// mostListTokens is the recommended maximum of tokens for a list of typed tools, which is requested explicitly when
// it exceeds what a process lists by default.
const mostListTokens = surface.Budget * 3 / 2

// toolsCounted is how many of the longest tools are tokenized.
const toolsCounted = 50

// clientFindings are the problems of strict clients with the tools of one caller.
type clientFindings struct {
	key, detail string
	found       []project.Finding
}

// checkClients finds what strict clients refuse or cut in the caller's tools, and tools that cost too many tokens.
func (d *doctor) checkClients(ctx context.Context, r *invoke.Request) (string, error) {
	tools, err := r.Engine().Tools(ctx, r.Principal)
	if err != nil {
		return "", err
	}
	key := tools.Version + tools.Audience
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.clients.key != key {
		found, detail, err := lintTools(tools)
		if err != nil {
			return "", err
		}
		d.clients = clientFindings{key, detail, found}
	}
	p := problem{text: fault.Counted(len(d.clients.found), "thing") + " in the tools that some clients refuse or cut, or that cost much", findings: d.clients.found}
	return d.clients.detail, p.orNil()
}

func lintTools(tools invoke.Tools) (found []project.Finding, detail string, err error) {
	listed := ""
	for _, one := range tools.Listed {
		listed += surface.Shown(one)
	}
	texts := make([]string, len(tools.Descriptors))
	var long []int // whose texts are long
	for i, one := range tools.Descriptors {
		of, err := project.Lint(one, tools.Process)
		if err != nil {
			return nil, "", err
		}
		found = append(found, of...)
		if texts[i] = surface.Shown(one); len(texts[i]) > 2*mostToolTokens {
			long = append(long, i)
		}
	}
	sort.SliceStable(long, func(i, j int) bool { return len(texts[long[i]]) > len(texts[long[j]]) })
	for _, i := range long[:min(len(long), toolsCounted)] {
		if over, count := overBudget(texts[i], mostToolTokens); over {
			found = append(found, project.Finding{
				Capability: tools.Descriptors[i].ID, Rule: "tool-cost", Says: fmt.Sprintf("a list with it costs a model %s tokens for it, more than %d", count, mostToolTokens),
				Mend: "shorten its descriptions, or list the generic tools: --surface compact",
			})
		}
	}
	if over, count := overBudget(listed, mostListTokens); over {
		found = append(found, project.Finding{
			Rule: "surface-cost", Says: fmt.Sprintf("the list of %d tools costs a model %s tokens before its first call, more than %d", len(tools.Listed), count, mostListTokens),
			Mend: "list the generic tools with --surface compact, or expose fewer stored queries",
		})
	}
	found = append(found, project.LintList(len(tools.Listed))...)
	return found, fmt.Sprintf("%d tools, of which a list has %d, are what strict clients take", len(tools.Descriptors), len(tools.Listed)), nil
}

// overBudget reports whether a text has more than most tokens, and how many. A text that is certainly too long by its
// bytes is not counted.
func overBudget(text string, most int) (over bool, count string) {
	if len(text) > 16*most {
		return true, fmt.Sprintf("more than %d", 2*most)
	}
	n := tokens.Count(text)
	return n > most, fmt.Sprint(n)
}

// checkStored finds stored queries that cannot be called, or not by their names, and those that contradict the schema
// or the data.
func checkStored(ctx context.Context, r *invoke.Request) (string, error) {
	p := problem{}
	add := func(id, field, rule, says, mend string) {
		p.findings = append(p.findings, project.Finding{Capability: id, Field: field, Rule: rule, Says: says, Mend: mend})
	}
	for _, k := range r.Snapshot.Stored() {
		if k.Err != nil {
			add(k.ID, "", "stored-query", fault.Of(k.Err).Told(maxProblem), "store it anew, or remove it")
			continue
		}
		if hidden := hiddenBy(r, k.Query); hidden != "" {
			add(k.ID, "id", "stored-name", hidden, "store it with another name")
		}
		doubts, err := r.Snapshot.LintStored(ctx, k.Query)
		if err != nil {
			return "", err
		}
		for _, f := range doubts {
			add(k.ID, f.Field, "stored-query", k.ID+", "+f.String(), "store the query as it should be, or change the schema")
		}
	}
	p.text = "stored queries need a look"
	return fmt.Sprintf("%d stored", len(r.Snapshot.Stored())), p.orNil()
}

// checkServed compares a saved document with what is served.
func checkServed(ctx context.Context, r *invoke.Request, served string) (string, error) {
	var failed error
	saved, err := project.CheckSaved([]byte(served), r.Engine().Process(), func(id, version string) (capability.Descriptor, bool) {
		d, ok := r.Registry().ByID(id)
		if version == "" || ok && d.Version == version {
			return d, ok
		}
		history, err := r.Snapshot.CapabilityHistory(ctx, id)
		failed = cmp.Or(failed, err)
		for _, v := range history {
			if v.Version == version {
				d, err := capability.Read([]byte(v.Descriptor))
				d.Version = version
				return d, err == nil
			}
		}
		return capability.Descriptor{}, false
	})
	if err = cmp.Or(err, failed); err != nil {
		return "", err
	}
	p := problem{text: fmt.Sprintf("%s with %d capabilities is not what is served", saved.Kind, saved.Entries), findings: saved.Findings}
	return fmt.Sprintf("%s with %d capabilities, as it is served", saved.Kind, saved.Entries), p.orNil()
}
