package brief

import (
	"context"
	"fmt"
	"strings"
	"time"

	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/text/quote"
)

// Bounds of the prompt to review.
const (
	reviewCommits = 30   // commits that are listed
	reviewScanned = 1000 // commits that are examined
	reviewNodes   = 8    // nodes of one commit
	reviewMessage = 120  // characters
	reviewAuthor  = 60   // characters
	reviewName    = 80   // characters of a node's name
	reviewPage    = 100  // commits read at once
	reviewChars   = 14_000
)

// reviewPrompt asks for a summary of what was changed.
func reviewPrompt(ctx context.Context, r *invoke.Request, arguments map[string]string) (string, error) {
	found, err := commitsToReview(ctx, r, arguments["since"], arguments["agent"])
	if err != nil {
		return "", err
	}
	text := "Review what was changed in this knowledge graph" + found.limits() + ". Only read; change nothing.\n\n" + greeting(r)
	if len(found.commits) == 0 {
		return text + "\nThere is no such commit" + found.scanned() + ". Tell me so.\n", nil
	}
	to, err := newReader(ctx, r)
	if err != nil {
		return "", err
	}
	list, err := to.reviewList(ctx, found)
	steps := to.joined("\n", says(`- Read each commit with commits_get {"id":"…"}: + and - are the statements that it added and removed, and one of each on the same node and property is a change of value.`, "commits_get"),
		says("- Where that does not explain itself, read the nodes: trails://kg/<Type>/<id>."))
	return text + list + fmt.Sprintf(reviewSteps, steps), err
}

const reviewSteps = `
How to go about it:
%s

Then tell me, grouped by what was done rather than commit by commit: what is new, what changed from what to what, what was removed; who did it, and why, as far as the messages say. Point out what needs a second look: removals, changes of the schema, values that contradict each other, commits without a message. Name commits by their first digits.
`

// review is the commits to review.
type review struct {
	since   *kg.Commit
	agent   string
	commits []kg.Commit // listed commits, newest first
	more    int         // number of further commits
	cut     bool        // older commits were not examined
}

func (v review) limits() string {
	text := ""
	if v.since != nil {
		text += " since commit " + v.since.ID.String()
	}
	if v.agent != "" {
		text += " by " + quote.Text(v.agent, reviewAuthor)
	}
	return text
}

func (v review) scanned() string {
	if v.cut {
		return fmt.Sprintf(" among the latest %d", reviewScanned)
	}
	return ""
}

// commitsToReview reads the history backwards.
func commitsToReview(ctx context.Context, r *invoke.Request, since, agent string) (review, error) {
	v := review{agent: agent}
	if since != "" {
		c, err := r.Snapshot.FindCommit(ctx, since)
		if err != nil {
			return v, fault.Argument("arguments.since", fault.OneOf, since, fault.Of(err).Message)
		}
		v.since = &c
	}
	before := kg.Seq(0)
	for seen := 0; ; {
		page, err := r.Snapshot.Commits(ctx, before, reviewPage)
		if err != nil {
			return v, err
		}
		for _, c := range page {
			switch {
			case v.since != nil && c.Seq <= v.since.Seq:
				return v, nil
			case !strings.Contains(strings.ToLower(c.Author), strings.ToLower(v.agent)):
			case len(v.commits) < reviewCommits:
				v.commits = append(v.commits, c)
			default:
				v.more++
			}
		}
		if len(page) < reviewPage {
			return v, nil
		}
		before = page[len(page)-1].Seq
		if seen += len(page); seen >= reviewScanned {
			v.cut = true
			return v, nil
		}
	}
}

func (to reader) reviewList(ctx context.Context, v review) (string, error) {
	var b strings.Builder
	b.WriteString("\nCommits, newest first:\n")
	teller := view.NewTeller(to.r)
	for i, c := range v.commits {
		touched, err := touchedBy(ctx, to.r, teller, c)
		if err != nil {
			return "", err
		}
		line := commitLine(c) + touched + "\n"
		if b.Len()+len(line) > reviewChars {
			v.more += len(v.commits) - i
			break
		}
		b.WriteString(line)
	}
	if v.more > 0 {
		fmt.Fprintf(&b, "and %d more%s", v.more, v.scanned())
		if to.may("commits_list") {
			b.WriteString("; list them with commits_list, before the last of these")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

func commitLine(c kg.Commit) string {
	message := "no message"
	if c.Message != "" {
		message = quote.Text(c.Message, reviewMessage)
	}
	return fmt.Sprintf("- %s %s by %s: %s; +%d -%d", c.ID.String(), c.Time.UTC().Format(time.DateTime),
		quote.Text(c.Author, reviewAuthor), message, c.Added, c.Removed)
}

// touchedBy returns the capability that made a commit, and the nodes that it changed, or what it did to the definitions.
func touchedBy(ctx context.Context, r *invoke.Request, teller *view.Teller, c kg.Commit) (string, error) {
	made, err := r.Snapshot.Activities(ctx, kg.ActivityFilter{CommitSeq: c.Seq}, 1)
	if err != nil || len(made) == 0 {
		return "", err
	}
	text := "; " + quote.Line(made[0].Capability, reviewName)
	if c.SchemaSeq == c.Seq {
		told, err := teller.Tell(ctx, c, &made[0])
		return text + " " + quote.Text(told.What, reviewMessage), err
	}
	for i, iri := range made[0].Generated {
		if i == reviewNodes {
			return text + " and more", nil
		}
		text += " " + quote.Text(r.Snapshot.Name(rdf.IRI(iri)), reviewName)
	}
	return text, nil
}
