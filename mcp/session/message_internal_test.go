package session

import "testing"

func TestTheTokenIsTakenOutOfTheParams(t *testing.T) {
	m, bad := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1,"trails/bearer":"s3cret"},"b":2}}`))
	if bad != nil {
		t.Fatal(bad)
	}
	if got := m.takeBearer(); got != "s3cret" {
		t.Errorf("took %q", got)
	}
	if got, want := string(m.encode()), `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1},"b":2}}`; got != want {
		t.Errorf("left %s", got)
	}
}
