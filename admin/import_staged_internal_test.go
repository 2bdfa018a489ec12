package admin

import (
	"io"
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
	if _, err := s.add("ana", e.key, strings.NewReader("x")); !fault.Is(err, fault.TooLarge) || !strings.HasPrefix(importTooLarge(err).Error(), "the file is larger than") {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := s.find("ana", e.key); !fault.Is(err, fault.Missing) || s.bytes != 0 {
		t.Errorf("it is kept: %d bytes, %v", s.bytes, err)
	}
}

// slowUpload is an upload of which a piece is being read, until out is closed; added then has what became of the piece.
func slowUpload(t *testing.T) (s *staging, e *staged, out *io.PipeWriter, added chan error) {
	t.Helper()
	s = newStaging()
	e, err := s.keep("ana", "a.csv", strings.NewReader("1"))
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	added = make(chan error, 1)
	go func() {
		_, err := s.add("ana", e.key, in)
		added <- err
	}()
	if _, err := out.Write([]byte("2")); err != nil { // it is taken when the piece is being read
		t.Fatal(err)
	}
	return s, e, out, added
}

// TestASlowUploadHoldsUpNobody has a piece that does not end while others use the page.
func TestASlowUploadHoldsUpNobody(t *testing.T) {
	s, e, out, added := slowUpload(t)
	free := s.mu.TryLock()
	if free {
		s.mu.Unlock()
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-added; err != nil || e.size.Load() != 2 || !free {
		t.Errorf("%d bytes, others may go on %t: %v", e.size.Load(), free, err)
	}
}

// TestAnUploadThatIsForgottenMeanwhileIsGone drops what a piece is being added to, as a later file does.
func TestAnUploadThatIsForgottenMeanwhileIsGone(t *testing.T) {
	s, e, out, added := slowUpload(t)
	if _, err := s.forget("ana", e.key); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-added; !fault.Is(err, fault.Missing) || s.bytes != 0 {
		t.Errorf("%d bytes are counted, %v", s.bytes, err)
	}
}
