package builtin

import (
	"trails/capability"
	"trails/invoke"
)

// builtins are listed first, in this order. Those of the process that search by meaning, too, take the places of byWords.
var builtins = []invoke.Capability{
	health,
	snapshotBuiltin,
	schemaGetBuiltin,
	byWords.capability(),
	reconcileBuiltin,
	getBuiltin,
	listBuiltin,
	historyBuiltin,
	queriesByWords,
	schemaApplyBuiltin,
	byWords.updates(),
	loadBuiltin,
	importPlan,
	importRows,
	importTypes,
	exportBuiltin,
	commitsListBuiltin,
	commitsFindBuiltin,
	commitsGetBuiltin,
	undoBuiltin,
	undoBy,
	schemaUndo,
	branchesListBuiltin,
	branchesCreateBuiltin,
	branchesMergeBuiltin,
	cherryPick,
	branchesDeleteBuiltin,
	diffBuiltin,
	blameBuiltin,
	changesBuiltin,
	branchesRenameBuiltin,
	branchesResetBuiltin,
	branchesProtectBuiltin,
	tagsListBuiltin,
	tagsCreateBuiltin,
	tagsDeleteBuiltin,
	requestsListBuiltin,
	requestsDecideBuiltin,
	gcBuiltin,
	refusalsList,
	pathsBuiltin,
}

// details are fields of a shape with what their tags cannot express.
func details(fields ...capability.Field) capability.Shape { return capability.Shape{Fields: fields} }

// metas are listed last, in this order.
var metas = []invoke.Capability{
	ping,
	schemaPlanMeta,
	schemaApplyMeta,
	budgetSet,
	budgetList,
	budgetRemove,
	tokenCreate,
	tokenList,
	tokenRevoke,
	grantList,
	grantEnd,
	policyShow,
	policyPlan,
	policyApply,
	policyExplain,
	policyTest,
}

// anyOf lists the values of an enumeration.
func anyOf[T ~string](values []T) []any {
	all := make([]any, 0, len(values))
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}
