package invoke

// views are what pages and prompts ask: callable by id, and no tools, because an
// agent reads the same through resources at a fraction of the tokens.
var views = []builtin{entitiesList, entityGet, entityHistory, commitPage, entityGraph, suggest}
