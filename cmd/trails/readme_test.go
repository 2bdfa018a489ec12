//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"trails/e2e/testrun"
)

var (
	// fileNamed is a file that the text names, and fileInline one whose content it says.
	fileNamed  = regexp.MustCompile("`([\\w./-]+\\.[a-z]+)`")
	fileInline = regexp.MustCompile("`([\\w./-]+\\.[a-z]+)`, is [^`]*`([^`]+)`")
)

// Every command that the README tells to type exits with 0 and warns of nothing, when the files
// have what the README says that they have; after each, all files are well.
func TestTheTourOfTheReadmeWorks(t *testing.T) {
	testrun.Alone(t)
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var typed []string
	named := ""
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			for _, found := range fileInline.FindAllStringSubmatch(part, -1) {
				write(found[1], found[2]+"\n")
			}
			paragraphs := strings.Split(strings.TrimSpace(part), "\n\n")
			named = ""
			if found := fileNamed.FindAllStringSubmatch(paragraphs[len(paragraphs)-1], -1); found != nil {
				named = found[len(found)-1][1]
			}
			continue
		}
		language, content, _ := strings.Cut(part, "\n")
		switch {
		case language != "sh" && named != "":
			write(named, content)
		case language == "sh":
			for line := range strings.Lines(content) {
				if strings.HasPrefix(line, "trails ") {
					typed = append(typed, line)
				}
			}
		}
	}
	if len(typed) < 20 || !strings.HasPrefix(typed[len(typed)-2], "trails doctor") || !strings.HasPrefix(typed[len(typed)-1], "trails verify") {
		t.Fatalf("the README has %d commands, and not those of the end: %q", len(typed), typed)
	}
	command := func(line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "exec "+line)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
		return cmd
	}
	for _, line := range typed {
		cmd := command(strings.ReplaceAll(line, "--open", "--addr 127.0.0.1:0"))
		if strings.HasPrefix(line, "trails serve ") {
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			up := false
			for lines := bufio.NewScanner(said); lines.Scan(); {
				if !up && strings.Contains(lines.Text(), "http://") {
					up = true
					_ = cmd.Process.Signal(syscall.SIGTERM)
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s%v", line, err)
			}
			continue
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if out, err := cmd.Output(); err != nil || strings.Contains(errs.String(), "warning") {
			t.Errorf("%s%v\n%s%s", line, err, out, errs.String())
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.trails"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%sleaves no file: %v", line, err)
		}
		for _, file := range files {
			if out, err := command("trails doctor " + filepath.Base(file)).CombinedOutput(); err != nil {
				t.Errorf("after %s%v\n%s", line, err, out)
			}
		}
	}
}
