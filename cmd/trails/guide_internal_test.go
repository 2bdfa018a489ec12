package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellBlock is a block of a page: its language, and its text.
var shellBlock = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```")

// Every command that the documents show is one of ours, with flags that it has.
func TestCommandsOfTheGuideExist(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "guide", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join("..", "..")
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "docs", "operating.md"), filepath.Join(root, "docs", "extending.md"))
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			if block[1] != "" && block[1] != "sh" {
				continue
			}
			for _, words := range commandsOf(block[2]) {
				for len(words) > 0 && strings.Contains(words[0], "=") {
					words = words[1:] // a variable for the command
				}
				if len(words) > 0 && words[0] == "$" {
					words = words[1:]
				}
				if len(words) < 2 || words[0] != "trails" || strings.ContainsAny(words[1], ".…") {
					continue
				}
				found++
				var p program
				cmd, rest, err := p.root().Find(words[1:])
				if err == nil && cmd == cmd.Root() && !strings.HasPrefix(words[1], "-") {
					t.Errorf("%s: trails has no command %s", filepath.Base(page), words[1])
					continue
				}
				if err == nil {
					err = cmd.ParseFlags(rest)
				}
				if err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(page), strings.Join(words, " "), err)
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d commands were found", found)
	}
}

// commandsOf parts a text of the shell into commands and their words: what is quoted is one word,
// what stands behind a # is none, and what a command is given or gives to is another one.
func commandsOf(text string) [][]string {
	var commands [][]string
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	end := func() {
		endWord()
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words = nil
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i++
		case c == '#' && !inWord:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '\n' || c == '|' || c == ';' || c == '>' || c == '<' || c == '&':
			end()
		case c == ' ' || c == '\t':
			endWord()
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end()
	return commands
}
