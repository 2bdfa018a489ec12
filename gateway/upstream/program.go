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

// Program is what a command runs: a file, in a directory. Words of the command that are relative
// paths are of that directory.
type Program struct {
	Path      string `json:"program"`
	Directory string `json:"directory"`
}

// FindProgram resolves the first word of a command in a directory, "" for that of this process, and
// by the PATH of this process when it is no path. Links are left as they are, since programs look
// for their parts beside the name that they were called by.
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
		return Program{}, fault.New(fault.Unusable, "the upstream %s runs %s, which is not a program of this machine", s.Name, fault.Path(word)).Because(err)
	}
	return Program{path, directory}, nil
}
