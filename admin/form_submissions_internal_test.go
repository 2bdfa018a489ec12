package admin

import (
	"encoding/json"
	"fmt"
	"testing"

	"trails/invoke"
)

func TestSubmissionsKeepPrincipalsApartAndForgetsTheOldest(t *testing.T) {
	l := newSubmissions()
	for i := range maxSubmissions + 1 {
		e := l.open("ana", fmt.Sprint(i))
		e.finish("digest", "", json.RawMessage(`{}`), invoke.Result{TraceID: fmt.Sprint(i)})
		e.close()
	}
	if _, _, ok := l.find("ana", "0"); ok {
		t.Error("the oldest is still there")
	}
	if _, result, ok := l.find("ana", "1"); !ok || result.TraceID != "1" {
		t.Errorf("got %v, %v", result, ok)
	}
	if _, _, ok := l.find("ben", "1"); ok {
		t.Error("ben reads what ana did")
	}
	if got := len(l.entries); got != maxSubmissions || l.recent.Len() != got {
		t.Errorf("%d entries", got)
	}
}

func TestSubmissionsKeepNoLongArguments(t *testing.T) {
	l := newSubmissions()
	e := l.open("ana", "key")
	e.finish("digest", "", make(json.RawMessage, argsKept+1), invoke.Result{})
	e.close()
	if args, _, ok := l.find("ana", "key"); !ok || args != nil {
		t.Errorf("got %d bytes, %v", len(args), ok)
	}
}

func TestASecretOfASubmissionIsTakenOnce(t *testing.T) {
	l := newSubmissions()
	e := l.open("ana", "key")
	e.finish("digest", "", nil, invoke.Result{})
	e.secret = "s3"
	e.close()
	for _, c := range [][3]string{{"ben", "key", ""}, {"ana", "other", ""}, {"ana", "key", "s3"}, {"ana", "key", ""}} {
		if got := l.takeSecret(c[0], c[1]); got != c[2] {
			t.Errorf("%s takes %q of %s, want %q", c[0], got, c[1], c[2])
		}
	}
}

func TestAFormThatWasOpenedAndNotCalledHasNoResult(t *testing.T) {
	l := newSubmissions()
	l.open("ana", "key").close()
	if _, _, ok := l.find("ana", "key"); ok {
		t.Error("it has one")
	}
}
