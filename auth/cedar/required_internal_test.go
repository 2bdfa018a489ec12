package cedar

import (
	"fmt"
	"testing"

	"github.com/cedar-policy/cedar-go/types"

	"trails/auth/policy"
)

// A policy is looked at only where its conditions may be true, and what forbids also where something may fail before them.
func TestConditionsThatCannotBeTrueAreNotEvaluated(t *testing.T) {
	uid := func(kind Kind, id string) types.EntityUID {
		return types.NewEntityUID(types.EntityType(kind), types.String(id))
	}
	of := entitiesOf{
		principal: []types.EntityUID{uid(ActorKind, "token:ana"), uid(GroupKind, "hr")},
		action:    []types.EntityUID{uid("Action", "change"), uid("Action", "writes")},
		resource:  []types.EntityUID{uid(TypeKind, "Note"), uid(BranchKind, "main"), uid(GraphKind, "g")},
		branch:    []types.EntityUID{uid(BranchKind, "main"), uid(GraphKind, "g")},
	}
	const sum = "9223372036854775807 + 1 == 0" // it fails
	for condition, looks := range map[string]string{
		`when { resource in Type::"Note" }`:                                                          "both",
		`when { resource in Type::"Pay" }`:                                                           "none",
		`when { Type::"Pay" == resource }`:                                                           "none",
		`when { resource is Type in Type::"Pay" }`:                                                   "none",
		`when { resource in [Type::"Pay", Type::"Note"] }`:                                           "both",
		`when { principal in Group::"eu" }`:                                                          "none",
		`when { principal in Group::"hr" } when { resource in Type::"Pay" }`:                         "none",
		`unless { principal.authenticated } when { resource in Type::"Pay" }`:                        "none",
		`unless { resource in Type::"Pay" }`:                                                         "both",
		`when { !(resource in Type::"Pay") }`:                                                        "both",
		`when { action == Action::"read" }`:                                                          "none",
		`when { action in Action::"writes" }`:                                                        "both",
		`when { resource in Type::"Pay" || resource in Type::"Note" }`:                               "both",
		`when { resource in Type::"Pay" || resource in Type::"Bonus" }`:                              "none",
		`when { resource in Type::"Pay" || principal in Group::"eu" }`:                               "both",
		`when { context.branch in Branch::"draft" }`:                                                 "forbid",
		`when { context has branch && context.branch in Branch::"draft" }`:                           "none",
		`when { principal.authenticated && context.branch in Branch::"draft" }`:                      "forbid",
		`when { context has branch && context.branch in Graph::"g" }`:                                "both",
		`when { ` + sum + ` && resource in Type::"Pay" }`:                                            "forbid",
		`when { ` + sum + ` } when { resource in Type::"Pay" }`:                                      "forbid",
		`unless { ` + sum + ` } when { resource in Type::"Pay" }`:                                    "forbid",
		`when { resource in Type::"Pay" && ` + sum + ` }`:                                            "none",
		`when { (context.origin == "agent" || ` + sum + `) && resource in Type::"Pay" }`:             "forbid",
		`when { principal.scopes.contains("builder") && resource in Type::"Pay" }`:                   "none",
		`when { (if principal.authenticated then true else false) && resource in Type::"Pay" }`:      "forbid",
		`when { {"a": resource}.a in Type::"Pay" }`:                                                  "both",
		`when { resource in (if principal.authenticated then Type::"Pay" else Type::"Note") }`:       "both",
		`when { resource in [Type::"Pay", if principal.authenticated then resource else resource] }`: "both",
	} {
		for _, effect := range []string{"permit", "forbid"} {
			p, err := parse(fmt.Sprintf(`%s (principal, action == Action::"change", resource is Type) %s;`, effect, condition))
			if err != nil {
				t.Errorf("%s: %v", condition, err)
				continue
			}
			got, want := len(p.candidates(policy.Change, &of)) == 1, looks == "both" || looks == effect
			if got != want {
				t.Errorf("%s %s: it is looked at: %t, want %t", effect, condition, got, want)
			}
		}
	}
}
