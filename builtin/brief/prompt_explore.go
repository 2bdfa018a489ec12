package brief

import (
	"context"
	"fmt"
	"strings"

	"trails/invoke"
)

// Bounds of the prompts.
const (
	exploreTypes   = 6000 // bytes
	exploreLinks   = 40
	exploreCommits = 5
)

// explorePrompt asks for a tour of the graph.
func explorePrompt(ctx context.Context, r *invoke.Request, _ map[string]string) (string, error) {
	to, err := newReader(ctx, r)
	if err != nil {
		return "", err
	}
	text := "Explore this knowledge graph and tell me what is in it. Only read; change nothing.\n\n" + greeting(r)
	counts, err := r.Snapshot.TypeCountsUpTo(ctx, guideCount)
	if err != nil {
		return "", err
	}
	if len(counts) == 0 {
		text += "\nIt has no types yet, so there is little to explore"
		if to.may("schema_apply") {
			text += ": ask me what I want to keep in it, and propose a first schema (the tool schema_apply, with plan:true)"
		}
		return text + ".\n", nil
	}
	types, _, err := to.guideToTypes(ctx, mostPopulous(counts), exploreTypes)
	if err != nil {
		return "", err
	}
	news, err := latestCommits(ctx, r, exploreCommits)
	log := to.joined(" and ", says("commits_list", "commits_list"), says("commits_get", "commits_get"))
	if log != "" {
		log = "3. For what happened lately, use " + strings.ToLower(log) + ".\n"
	}
	return text + types + links(r) + news + fmt.Sprintf(exploreSteps, log), err
}

const exploreSteps = `
How to go about it:
1. Read trails://schema for what each type means and what its values may be.
2. Of each type that matters read a page, such as trails://kg/<Type>?limit=20, and some of its nodes, trails://kg/<Type>/<id>; follow their references.
%s
Then tell me in a few short paragraphs: what the graph is for; its main types and how they hang together; what changed lately; what looks incomplete or odd. Name nodes by their addresses, and say what you have not looked at.
`

// links say which types refer to which.
func links(r *invoke.Request) string {
	var b strings.Builder
	n := 0
	for _, t := range r.Snapshot.Schema().Types {
		for _, p := range t.Properties {
			if p.Class == "" {
				continue
			}
			if n++; n <= exploreLinks {
				fmt.Fprintf(&b, "- %s.%s → %s\n", t.Name, p.Name, p.Class)
			}
		}
	}
	if n == 0 {
		return ""
	}
	if n > exploreLinks {
		fmt.Fprintf(&b, "and %d more; read trails://schema\n", n-exploreLinks)
	}
	return "\nReferences:\n" + b.String()
}

func latestCommits(ctx context.Context, r *invoke.Request, limit int) (string, error) {
	commits, err := r.Snapshot.Commits(ctx, 0, limit)
	if err != nil || len(commits) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString("\nLatest commits:\n")
	for _, c := range commits {
		b.WriteString(commitLine(c) + "\n")
	}
	return b.String(), nil
}
