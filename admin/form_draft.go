package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"trails/capability"
)

// draftKey names what a browser keeps of a form that is not sent yet: whose it is, on which branch, what it calls in
// which version, and what it changes. Forms that take secrets have none.
func (f *formState) draftKey() string {
	if f.capability.SideEffects == capability.None || takesSecret(f.capability) {
		return ""
	}
	id := ""
	if texts := f.entries["id"].Texts; changesOne(f.capability) && len(texts) == 1 {
		id = texts[0]
	}
	return draftKey(f.call.Principal.ID, f.Branch, f.capability, id)
}

func draftKey(who, branch string, c capability.Descriptor, id string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{who, branch, c.ID, c.Version, id}, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// takesSecret reports a capability whose arguments may be a secret: tokens, and servers with their headers and
// environment.
func takesSecret(c capability.Descriptor) bool {
	return strings.HasPrefix(c.ID, "trails.meta.token") || strings.HasPrefix(c.ID, "trails.meta.gateway")
}
