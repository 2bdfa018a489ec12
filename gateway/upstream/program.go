package upstream

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"trails/fault"
	"trails/gateway"
)

// Program is the program of a command: a file and a directory, to which relative words of the command refer.
type Program struct {
	Path      string `json:"program"`
	Directory string `json:"directory"`
}

// FindProgram resolves the first word of a command in a directory ("" is that of this process), by PATH if it is not
// a path. Links are not resolved, because programs look for files beside the name by which they were called.
func FindProgram(s gateway.Server, directory string, lookup func(string) (string, bool)) (Program, error) {
	word, err := s.ResolvedProgram(lookup)
	if err != nil {
		return Program{}, err
	}
	if directory == "" {
		if directory, err = os.Getwd(); err != nil {
			return Program{}, fmt.Errorf("find the directory of this process: %w", err)
		}
	}
	if strings.ContainsRune(word, '/') || strings.ContainsRune(word, filepath.Separator) {
		if !filepath.IsAbs(word) {
			word = filepath.Join(directory, word)
		}
	}
	path, err := exec.LookPath(word)
	if err != nil {
		var at *exec.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		hint := ""
		if strings.Contains(word, " ") {
			hint = "; its arguments are words of their own: --stdio CMD -- ARG..."
		}
		return Program{}, fault.New(fault.Unusable, "the upstream %s runs %s, which is not a program of this machine%s", s.Name, fault.Path(word), hint).Because(err)
	}
	return Program{path, directory}, nil
}
