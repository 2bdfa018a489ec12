package db

import "testing"

// TestObjectsDigestIsOfTheMigrations says which digest to write when a format is added.
func TestObjectsDigestIsOfTheMigrations(t *testing.T) {
	list, err := objectsOf(Format)
	if err != nil {
		t.Fatal(err)
	}
	if got := digestOf(list); got != objectsDigest {
		t.Errorf("objectsDigest of format %d is %s, and the migrations make %s", Format, objectsDigest, got)
	}
}
