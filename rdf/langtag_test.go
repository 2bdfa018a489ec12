package rdf_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/rdf"
)

func TestLanguageTagsHaveOneForm(t *testing.T) {
	// The examples of RFC 5646, section 2.1.1, and what readers of RDF let through.
	for _, want := range []string{
		"", "en", "en-GB", "mn-Cyrl-MN", "en-CA-x-ca", "sgn-BE-FR", "az-Latn-x-latn", "zh-Hant-TW",
		"de-CH-1996", "sl-rozaj-biske", "x-whatever-ab", "i-klingon", "es-419", "de-1901", "en-a-bbb-xx",
	} {
		for _, written := range []string{want, strings.ToUpper(want), strings.ToLower(want)} {
			if got := rdf.LangTag(written); got != want {
				t.Errorf("LangTag(%q) = %q, want %q", written, got, want)
			}
		}
	}
}

func TestOneFormOfATagIsTheSameTag(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.StringMatching(`[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,4}`).Draw(t, "tag")
		form := rdf.LangTag(tag)
		if !strings.EqualFold(form, tag) || rdf.LangTag(form) != form || rdf.LangTag(strings.ToUpper(tag)) != form {
			t.Fatalf("LangTag(%q) = %q", tag, form)
		}
	})
}

func TestLiteralsInOneLanguageAreEqual(t *testing.T) {
	if rdf.LangLiteral("chat", "FR-be") != rdf.LangLiteral("chat", "fr-BE") {
		t.Error("the case of a tag tells two literals apart")
	}
}

func TestALanguageTagHasItsForm(t *testing.T) {
	for _, tag := range []string{"en", "EN-gb", "abcdefgh", "de-CH-1996", "x-12345678"} {
		if err := rdf.CheckLangTag(tag); err != nil {
			t.Error(err)
		}
	}
	for _, tag := range []string{"", "-en", "en-", "en--GB", "abcdefghi", "en-123456789", "e1", "en_GB", "en GB", "fü"} {
		if rdf.CheckLangTag(tag) == nil {
			t.Errorf("%q is taken for a language tag", tag)
		}
	}
}
