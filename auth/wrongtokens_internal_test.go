package auth

import (
	"fmt"
	"testing"
	"time"

	"trails/e2e/testrun"
)

func TestAddressesOfWrongTokensAreBoundedAndAFloodForgivesNobody(t *testing.T) {
	testrun.Alone(t)
	var w wrongTokens
	now := time.Now()
	guilty := networkOf("192.0.2.1")
	for range wrongFree + 5 {
		w.note(guilty, now)
	}
	for i := range 3 * wrongAddresses {
		w.note(networkOf(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)), now)
	}
	if n := len(w.byNetwork); n > wrongAddresses+1 {
		t.Errorf("%d addresses are remembered", n)
	}
	if wait := w.note(guilty, now); wait <= 0 {
		t.Error("a flood of other addresses made it forgotten")
	}
	if wait := w.note(networkOf("10.255.0.1"), now); wait <= 0 {
		t.Error("those beyond the bound are not slowed together")
	}
	w.note(networkOf("198.51.100.1"), now.Add(time.Hour))
	if n := len(w.byNetwork); n != 1 {
		t.Errorf("%d addresses are remembered after an hour, want that of the last wrong token", n)
	}
}
