package admin

import (
	"strings"
	"testing"

	"trails/fault"
)

func TestAFileThatIsTooLargeIsRefusedAndForgotten(t *testing.T) {
	s := newStaging()
	s.most = 10
	e, err := s.keep("ana", "a.csv", strings.NewReader("12345"))
	if err == nil {
		_, err = s.add("ana", e.key, strings.NewReader("67890"))
	}
	if err != nil || e.size.Load() != 10 {
		t.Fatalf("as large as may be: %d bytes, %v", e.size.Load(), err)
	}
	if _, err := s.add("ana", e.key, strings.NewReader("x")); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := s.find("ana", e.key); !fault.Is(err, fault.Missing) || s.bytes != 0 {
		t.Errorf("it is kept: %d bytes, %v", s.bytes, err)
	}
}
