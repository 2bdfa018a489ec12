package cedar

import (
	"fmt"
	"reflect"

	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"

	"trails/text/quote"
)

// Failure is a policy whose condition could not be evaluated. One that permits is passed over then; one that forbids forbids.
type Failure struct {
	Policy  string
	Forbids bool
	// Why is what could not be evaluated, in the words of Cedar.
	Why string
}

// Doubts tells of the policies whose conditions cannot be evaluated for every request, with the way out.
func (p *Policies) Doubts() []string {
	if p == nil {
		return nil
	}
	return p.doubts
}

// doubt tells that the condition of a policy cannot be evaluated for every request; "" if it can. The vocabulary makes sure
// that an attribute of the principal, the resource, the action or the context is there. What a policy names otherwise has its
// attributes only in a request that is about it.
func doubt(id string, line int, tree *ast.Policy) string {
	var asked []ast.StrOpNode // attributes of what need not be part of the request
	var known []ast.StrOpNode // those that a condition asks for with has
	computes := false
	for _, c := range tree.Conditions {
		ast.Inspect(ast.NewNode(c.Body), func(n ast.IsNode) bool {
			switch n := n.(type) {
			case ast.NodeTypeAccess:
				if !ofRequest(n.Arg) {
					asked = append(asked, n.StrOpNode)
				}
			case ast.NodeTypeHas:
				known = append(known, n.StrOpNode)
			case ast.NodeTypeAdd, ast.NodeTypeSub, ast.NodeTypeMult, ast.NodeTypeNegate:
				computes = true
			}
			return true
		})
	}
	then := "it permits nothing"
	if tree.Effect == ast.EffectForbid {
		then = "it forbids whatever it is asked about"
	}
	for _, of := range asked {
		guarded := false
		for _, has := range known {
			guarded = guarded || reflect.DeepEqual(of, has)
		}
		if guarded {
			continue
		}
		name := "the entity"
		if value, is := of.Arg.(ast.NodeValue); is {
			if uid, is := value.Value.(types.EntityUID); is {
				name = quote.Line(uid.String(), maxName)
			}
		}
		return fmt.Sprintf("the policy %s (line %d) asks for %s of %s, which only a request about it knows; for others its condition cannot be evaluated, and %s. Write %[4]s has %[3]s && before it, or ask resource or context.branch",
			id, line, of.Value, name, then)
	}
	if computes {
		return fmt.Sprintf("the policy %s (line %d) computes with numbers; where the result is too large its condition cannot be evaluated, and %s. Write the number itself", id, line, then)
	}
	return ""
}

// ofRequest reports whether all requests have the attributes of an expression that the vocabulary gives it.
func ofRequest(n ast.IsNode) bool {
	switch n := n.(type) {
	case ast.NodeTypeVariable, ast.NodeTypeRecord:
		return true
	case ast.NodeValue:
		_, entity := n.Value.(types.EntityUID)
		return !entity
	case ast.NodeTypeAccess:
		if member := memberOf(n); member != nil {
			return ofRequest(member)
		}
		return n.Value == branch && isContext(n.Arg)
	}
	return false
}

// memberOf is what a record that is written out has by a name, nil for others.
func memberOf(n ast.NodeTypeAccess) ast.IsNode {
	of := n.Arg
	if inner, is := of.(ast.NodeTypeAccess); is {
		of = memberOf(inner)
	}
	record, is := of.(ast.NodeTypeRecord)
	if !is {
		return nil
	}
	for _, e := range record.Elements {
		if e.Key == n.Value {
			return e.Value
		}
	}
	return nil
}
