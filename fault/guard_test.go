package fault_test

import (
	"errors"
	"strings"
	"testing"

	"trails/fault"
)

var none map[string]int

func TestGuardMakesAnErrorOfAPanic(t *testing.T) {
	broken := errors.New("broken")
	if err := fault.Guard(func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	err := fault.Guard(func() error { none["a"] = 1; return nil })
	if err == nil || !strings.Contains(err.Error(), "nil map") || !strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("got %v, want the panic and its stack", err)
	}
	if !fault.Is(err, fault.Internal) {
		t.Error("a panic is nobody's fault but ours")
	}
}
