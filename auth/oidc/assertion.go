package oidc

// assertionType is the type of an assertion of identity for another authorization server
// (draft-ietf-oauth-identity-assertion-authz-grant, section 3).
const assertionType = "oauth-id-jag+jwt"
