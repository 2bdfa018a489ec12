package db

import (
	"testing"
	"trails/db/disk"
)

// TestObjectsDigestIsOfTheMigrations says which digest to write when a format is added.
func TestObjectsDigestIsOfTheMigrations(t *testing.T) {
	list, err := objectsOf(disk.Format)
	if err != nil {
		t.Fatal(err)
	}
	if got := digestOf(list); got != objectsDigest {
		t.Errorf("objectsDigest of format %d is %s, and the migrations make %s", disk.Format, objectsDigest, got)
	}
}
