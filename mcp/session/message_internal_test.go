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

// A cancellation that names no open request is passed over.
func TestACancellationOfNothingIsMoot(t *testing.T) {
	p := newPending()
	for _, step := range []struct {
		text string
		moot bool
	}{
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, true},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, false},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`, true},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, false},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false},
	} {
		m, bad := parse([]byte(step.text))
		if bad != nil {
			t.Fatal(bad)
		}
		if err := p.add(&m); err != nil || m.moot != step.moot {
			t.Errorf("%s is moot: %t, %v", step.text, m.moot, err)
		}
	}
}
