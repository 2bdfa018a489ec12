package cedar

import (
	"slices"

	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// requirement is what the conditions of a policy require of a request: that an entity of it is one of some, or part of
// one. For other requests the policy says nothing, and need not be evaluated.
type requirement struct {
	of types.String // the variable of the entity, or branch for that of the context
	is []types.EntityUID
}

// branch is the attribute of the context with the branch of a write.
const branch = "branch"

// requirementsOf are those of the conditions of a policy. What a permission evaluates before it knows that it does not
// apply may fail, which is as good as not to apply. What forbids and fails forbids, so there only that counts before which
// nothing can fail.
func requirementsOf(p *ast.Policy) (all []requirement) {
	permits := p.Effect == ast.EffectPermit
	for _, c := range p.Conditions {
		if c.Condition == ast.ConditionWhen {
			all = append(all, required(c.Body, permits, false)...)
		}
		if !permits && mayFail(c.Body) {
			break
		}
	}
	return all
}

// required are requirements for an expression to be true: it is false, or fails if it may, where one of them is not met.
// onBranch means that the context is known to have a branch.
func required(n ast.IsNode, mayFailBefore, onBranch bool) []requirement {
	switch n := n.(type) {
	case ast.NodeTypeAnd:
		all := required(n.Left, mayFailBefore, onBranch)
		if mayFailBefore || !mayFail(n.Left) {
			all = append(all, required(n.Right, mayFailBefore, onBranch || hasBranch(n.Left))...)
		}
		return all
	case ast.NodeTypeOr: // either is enough
		var either []requirement
		right := required(n.Right, mayFailBefore, onBranch)
		for _, left := range required(n.Left, mayFailBefore, onBranch) {
			if i := slices.IndexFunc(right, func(r requirement) bool { return r.of == left.of }); i >= 0 {
				either = append(either, requirement{left.of, slices.Concat(left.is, right[i].is)})
			}
		}
		return either
	case ast.NodeTypeIn:
		return isOne(n.Left, n.Right, mayFailBefore || onBranch)
	case ast.NodeTypeIsIn:
		return isOne(n.Left, n.Entity, mayFailBefore || onBranch)
	case ast.NodeTypeEquals:
		return append(isOne(n.Left, n.Right, mayFailBefore || onBranch), isOne(n.Right, n.Left, mayFailBefore || onBranch)...)
	}
	return nil
}

// isOne is the requirement that an entity of the request is one of those that an expression names.
func isOne(of, named ast.IsNode, onBranch bool) []requirement {
	r := requirement{is: []types.EntityUID{}}
	switch of := of.(type) {
	case ast.NodeTypeVariable:
		r.of = of.Name
	case ast.NodeTypeAccess:
		if !onBranch || of.Value != branch || !isContext(of.Arg) {
			return nil
		}
		r.of = branch
	default:
		return nil
	}
	elements := []ast.IsNode{named}
	if set, is := named.(ast.NodeTypeSet); is {
		elements = set.Elements
	}
	for _, e := range elements {
		value, _ := e.(ast.NodeValue)
		uid, is := value.Value.(types.EntityUID)
		if !is {
			return nil
		}
		r.is = append(r.is, uid)
	}
	return []requirement{r}
}

func isContext(n ast.IsNode) bool {
	v, is := n.(ast.NodeTypeVariable)
	return is && v.Name == "context"
}

func hasBranch(n ast.IsNode) bool {
	has, is := n.(ast.NodeTypeHas)
	return is && has.Value == branch && isContext(has.Arg)
}

// mayFail reports whether the evaluation of an expression may end in an error. It is true of what it does not know.
func mayFail(n ast.IsNode) bool {
	switch n := n.(type) {
	case ast.NodeValue, ast.NodeTypeVariable:
		return false
	case ast.NodeTypeHas:
		return !isContext(n.Arg)
	case ast.NodeTypeAccess: // every principal has all attributes, and every context an origin
		v, is := n.Arg.(ast.NodeTypeVariable)
		return !is || v.Name != "principal" && n.Value != "origin"
	case ast.NodeTypeNot:
		return mayFail(n.Arg)
	case ast.NodeTypeAnd:
		return mayFail(n.Left) || mayFail(n.Right)
	case ast.NodeTypeOr:
		return mayFail(n.Left) || mayFail(n.Right)
	case ast.NodeTypeEquals:
		return mayFail(n.Left) || mayFail(n.Right)
	case ast.NodeTypeIs:
		return mayFail(n.Left)
	case ast.NodeTypeIn:
		return mayFail(n.Left) || mayFail(n.Right)
	case ast.NodeTypeIsIn:
		return mayFail(n.Left) || mayFail(n.Entity)
	case ast.NodeTypeContains:
		return mayFail(n.Left) || mayFail(n.Right)
	case ast.NodeTypeSet:
		return slices.ContainsFunc(n.Elements, mayFail)
	}
	return true
}

// entitiesOf are those of a request with all that each is part of, by the variables that requirements are about.
type entitiesOf struct{ principal, action, resource, branch []types.EntityUID }

// meet reports whether all requirements are met.
func (e *entitiesOf) meet(all []requirement) bool {
	for i := range all {
		r := &all[i]
		in := e.branch
		switch r.of {
		case "principal":
			in = e.principal
		case "action":
			in = e.action
		case "resource":
			in = e.resource
		}
		if !share(r.is, in) {
			return false
		}
	}
	return true
}

// share reports whether two lists have an entity in common. Most entities differ by their ids, and few by their types.
func share(a, b []types.EntityUID) bool {
	for i := range a {
		for k := range b {
			if a[i].ID == b[k].ID && a[i].Type == b[k].Type {
				return true
			}
		}
	}
	return false
}
