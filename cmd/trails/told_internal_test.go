package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"trails/e2e/testrun"
	"trails/invoke/invoketest"
	"trails/kg"
)

// tellingCommands are commands in an order in which each works; those with a ! are refused.
// HEAD is the newest commit as it was told.
var tellingCommands = []string{
	"init notes.trails --schema schema.yaml", "load notes.trails notes.ndjson", "import notes.trails more.csv --type Note --yes", "import new.trails more.csv --yes",
	"export notes.trails", "query notes.trails SELECT*{?s?p?o}", "update notes.trails INSERT{?s:stars'3'^^xsd:integer}WHERE{?s:status'final'}",
	"invoke notes.trails note.update id=n1 stars=4", "invoke notes.trails commits_get id=head", "invoke notes.trails commits_list whole=true",
	"query add notes.trails all.rq", "query list notes.trails", "q notes.trails all", "query rm notes.trails all",
	"schema show notes.trails", "schema plan notes.trails wider.yaml", "schema apply notes.trails wider.yaml", "schema history notes.trails", "schema infer more.csv",
	"migrate new notes.trails more --schema widest.yaml", "migrate status notes.trails", "migrate plan notes.trails", "migrate apply notes.trails", "migrate status notes.trails", "migrate rollback notes.trails",
	"init other.trails --schema schema.yaml", "diff --definitions other.trails notes.trails", "diff other.trails notes.trails", "diff notes.trails other.trails --form patch", "promote notes.trails other.trails --plan", "promote notes.trails other.trails --yes", "promote other.trails --undo head",
	"gen shape notes.trails Note", "gen type notes.trails Place name:string", "gen capability notes.trails note.find Note", "gen migration notes.trails next widest.yaml",
	"gateway add notes.trails nobody --elsewhere --stdio ./nobody", "gateway list notes.trails", "gateway settings notes.trails", "gateway rm notes.trails nobody",
	"update notes.trails DELETE{?s:stars?o}WHERE{?s:stars?o}", "log notes.trails", "log notes.trails --denied", "log notes.trails --refused -n 1", "show notes.trails head", "show notes.trails HEAD", "undo notes.trails HEAD --dry-run", "undo notes.trails head", "! undo notes.trails --by nobody",
	"branch create notes.trails draft --from HEAD", "branch list notes.trails", "update notes.trails DELETE{?s:status?o}WHERE{?s:status?o} --branch draft", "log notes.trails --branch draft", "changes notes.trails", "changes notes.trails --branch draft --start after:head~1 --quads", "changes notes.trails --start now",
	"diff notes.trails --branch draft", "diff notes.trails", "blame notes.trails Note/n1", "diff notes.trails HEAD draft --form update", "show notes.trails head --branch draft", "! show notes.trails nothing --branch draft", "branch pick notes.trails draft --dry-run", "branch merge notes.trails draft", "tag notes.trails v1 HEAD", "tag list notes.trails",
	"branch protect notes.trails main", "edit notes.trails Note/n1 --set stars=5 --branch draft", "branch merge notes.trails draft --ask", "request list notes.trails", "request show notes.trails 1", "request approve notes.trails 1", "request list notes.trails --all", "branch unprotect notes.trails main",
	"edit notes.trails Note/n1 --set stars=4 --branch draft", "branch merge notes.trails draft --ask", "request decline notes.trails 2", "branch reset notes.trails draft v1", "branch rename notes.trails draft other", "tag delete notes.trails v1", "branch delete notes.trails other", "gc notes.trails --dry-run", "gc notes.trails --grace 0d --yes", "compact notes.trails", "compact notes.trails --dry-run", "embed notes.trails --status", "embed notes.trails --drop",
	"token create notes.trails ci --scopes runtime,builder", "token list notes.trails", "token revoke notes.trails ci --dry-run", "token revoke notes.trails ci", "token revoke notes.trails ci --forget",
	"budget set notes.trails --actor token:ci --calls 9", "budget list notes.trails", "budget rm notes.trails --actor token:ci",
	"! load notes.trails notes.ndjson --if-commit 000000000000", "undo notes.trails HEAD --if-commit HEAD",
	"search notes.trails trails", "get notes.trails Note/n1", "list notes.trails Note", "history notes.trails", "history notes.trails Note/n1", "stats notes.trails", "doctor notes.trails", "verify notes.trails",
	"create notes.trails Note title=Told --id told", "edit notes.trails Note/told --set status=draft", "link notes.trails Note/told cites Note/n1", "unlink notes.trails Note/told cites Note/n1", "delete notes.trails Note/told",
	"health notes.trails", "snapshot notes.trails", "describe notes.trails Note", "ping notes.trails", "resources-read notes.trails trails://stats", "suggest notes.trails commits",
	"entity-get notes.trails Note n1", "entity-graph notes.trails Note n1", "paths notes.trails Note/n1 Note/m1", "commit-view notes.trails head", "guide notes.trails", "prompts-list notes.trails", "! prompts-get notes.trails nobody",
	"backup notes.trails copy.trails", "create copy.trails Note title=Copied --id n9", "bundle create copy.trails head~1.. --output one.bundle", "bundle verify one.bundle", "bundle verify one.bundle notes.trails", "pull notes.trails copy.trails", "push notes.trails copy.trails", "bundle apply notes.trails one.bundle", "invoke notes.trails note.delete id=n2 detach=true", "! get notes.trails Note/n2", "restore notes.trails copy.trails --yes",
	"policy set notes.trails policies.cedar", "policy show notes.trails", "policy explain notes.trails --as anonymous", "policy explain notes.trails --as anonymous note.create", "policy test notes.trails cases.yaml", "policy set notes.trails --none",
	"artifacts list notes.trails", "log notes.trails -n 2", "__complete show notes.trails ",
}

// silentCommands tell of no commit, or stay until they are stopped.
var silentCommands = map[string]string{
	"mcp": "the walk over the tools looks at its answers", "serve": "transcripts and the crawl of the pages look at its answers", "demo": "it is serve",
	"install": "it reads no commit", "uninstall": "it has no file", "proxy": "it has no file",
	"version": "it has no file", "completion": "it has no file", "man": "it has no file", "help": "it has no file",
	"gateway show": "it asks a server", "gateway refresh": "it asks a server", "gateway accept": "it asks a server", "gateway trust": "it asks a person",
	"grant-list": "the local user has given none", "grant-end": "the local user has given none", "reconcile": "it finds nodes", "skills-list": "it tells of no commit", "skills-get": "it tells of no commit",
	"artifacts get": "it writes the bytes of others", "artifacts rm": "it needs a result of a server",
}

// TestEveryCommandTellsACommitByTwelveDigits runs every command, for people and as JSON. One that
// is neither here nor among the silent ones fails the test.
func TestEveryCommandTellsACommitByTwelveDigits(t *testing.T) {
	testrun.Alone(t)
	schema, err := os.ReadFile("testdata/notes/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	notes, err := os.ReadFile("testdata/notes/notes.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	wider := string(schema) + "      place: {type: string}\n"
	inputs := map[string]string{
		"schema.yaml": string(schema), "wider.yaml": wider, "widest.yaml": wider + "      day: {type: date}\n", "notes.ndjson": string(notes),
		"more.csv":       "id,title,stars\nm1,One more note,2\nm2,Another note,3\n",
		"policies.cedar": "permit (principal, action, resource);\n", "cases.yaml": "- {as: anonymous, call: note.create, expect: allowed}\n",
		"all.rq": "#+ id: all\n#+ description: All notes.\nSELECT ?s { ?s a :Note }\n",
	}
	tried := map[string]bool{}
	for _, form := range []string{"text", "json"} {
		t.Run(form, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range inputs {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			telling := 0
			for _, line := range tellingCommands {
				line, refused := strings.CutPrefix(line, "! ")
				if strings.Contains(line, "HEAD") {
					line = strings.ReplaceAll(line, "HEAD", commitsIn(t, "notes.trails", "")[0])
				}
				args := strings.Split(line, " ")
				tried[args[0]], tried[strings.Join(args[:2], " ")] = true, true
				if form == "json" && args[0] != "__complete" {
					args = append([]string{"-o", "json"}, args...)
				}
				var stdout, stderr bytes.Buffer
				if code := run(args, strings.NewReader(""), &stdout, &stderr, nil); refused != (code != exitDone) {
					t.Fatalf("%q exits with %d: %s%s", args, code, &stdout, &stderr)
				}
				said := stdout.String() + stderr.String()
				for _, name := range []string{"notes.trails", "other.trails", "new.trails"} {
					if slices.ContainsFunc(commitsIn(t, name, said), func(id string) bool { return strings.Contains(said, id) }) {
						telling++
					}
				}
			}
			if telling < 30 {
				t.Errorf("only %d answers tell of a commit", telling)
			}
		})
	}
	var walk func(*cobra.Command, string)
	walk = func(cmd *cobra.Command, path string) {
		if cmd.Runnable() && !cmd.HasSubCommands() && !tried[path] && silentCommands[path] == "" {
			t.Errorf("%s is not tried, and no reason stands for it", path)
		}
		for _, sub := range cmd.Commands() {
			walk(sub, strings.TrimSpace(path+" "+sub.Name()))
		}
	}
	walk((&program{}).root(), "")
}

// commitsIn holds what was said against the commits of a file, and returns them as they are
// told, newest first; none when the file is not there.
func commitsIn(t *testing.T, file, said string) (ids []string) {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	g, err := kg.Open(t.Context(), file, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	invoketest.CommitsAreTold(t, g, said)
	err = g.Session(invoketest.Ana).View(t.Context(), func(s *kg.Snapshot) error {
		list, err := s.Commits(t.Context(), 0, 1000)
		for _, c := range list {
			ids = append(ids, c.ID.String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}
