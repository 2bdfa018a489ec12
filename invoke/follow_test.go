package invoke_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// A process follows what another one writes to a branch, and nothing of main. Who is stopped goes on from its cursor:
// each change comes once. The end of the branch is told.
func TestAProcessFollowsABranchThatAnotherWrites(t *testing.T) {
	writer := invoketest.New(t, "types: {Note: {properties: {title: {type: string, required: true}}}}", invoke.Config{})
	reader := invoketest.Open(t, writer.Graph().Path(), invoke.Config{})
	writer.Must(t, "branches_create", `{"name": "draft"}`)
	const notes = 30
	var titles []string
	cursor, idle := "", 0
	follow := func(until func() bool) error {
		args := map[string]any{"branch": "draft", "limit": 3, "start": "now"}
		if cursor != "" {
			args = map[string]any{"branch": "draft", "limit": 3, "cursor": cursor}
		}
		text, _ := json.Marshal(args)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		return reader.Follow(ctx, invoke.Call{Capability: "changes", Args: text, Principal: invoketest.Ana, Via: "test"}, time.Millisecond, func(r *invoke.Result) error {
			if r == nil {
				idle++
				return nil
			}
			for _, rest := range strings.Split(string(r.Structured), `"title",[],["`)[1:] {
				title, _, _ := strings.Cut(rest, `"`)
				titles = append(titles, title)
			}
			var page struct{ Cursor string }
			if err := json.Unmarshal(r.Structured, &page); err != nil {
				return err
			}
			if cursor = page.Cursor; until() {
				stop()
			}
			return nil
		})
	}
	if err := follow(func() bool { return true }); err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range notes {
			writer.Must(t, "note.create", fmt.Sprintf(`{"id": "main%d", "title": "of main"}`, i))
			writer.Must(t, "note.create", fmt.Sprintf(`{"id": "n%d", "title": "title %d", "branch": "draft"}`, i, i))
		}
	}()
	for len(titles) < notes {
		had := len(titles)
		if err := follow(func() bool { return len(titles) >= had+4 || len(titles) >= notes }); err != nil {
			t.Fatal(err)
		}
	}
	<-written
	for i, title := range titles {
		if title != fmt.Sprintf("title %d", i) {
			t.Fatalf("the titles come as %q", titles)
		}
	}
	ended := make(chan error, 1)
	begun := make(chan struct{}, 1)
	go func() {
		ended <- follow(func() bool {
			select {
			case begun <- struct{}{}:
			default:
			}
			return false
		})
	}()
	<-begun
	writer.Must(t, "branches_delete", `{"name": "draft"}`)
	if err := <-ended; !fault.Is(err, fault.Missing) || len(titles) != notes || idle == 0 {
		t.Errorf("the end of the branch is %v, after %d titles and %d idle moments", err, len(titles), idle)
	}
}
