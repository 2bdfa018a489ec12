package admin

import (
	"testing"

	"trails/builtin/view"
)

// The form of a node is that of its own type, which may be a subtype of the list's, and only there for who may call it.
func TestOnlyFormsThatMayBeCalledAreNamed(t *testing.T) {
	d := listData{Tickable: true, Listed: map[string]bool{"big_cat.update": true}}
	for typeName, want := range map[string]string{"BigCat": "/admin/capabilities/big_cat.update?id=a%2Fb", "Cat": "", "": ""} {
		if got := d.editURL(view.Node{Type: typeName, ID: "a/b"}); got != want {
			t.Errorf("%s: got %q, want %q", typeName, got, want)
		}
	}
}
