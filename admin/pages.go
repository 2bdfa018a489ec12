package admin

import (
	"net/http"

	"trails/admin/static"
)

// pageRoutes are the reading pages and what they load.
var pageRoutes = []route{
	{pattern: "GET /admin", handle: (*site).overview},
	{pattern: "GET /admin/dashboard", handle: (*site).dashboard},
	{pattern: "POST /admin/dashboard", handle: (*site).dashboardPosted},
	{pattern: "GET /admin/types/{type}", handle: (*site).list},
	{pattern: "GET /admin/types/{type}/{id}", handle: (*site).instance},
	{pattern: "POST /admin/types/{type}/selected", handle: (*site).selectedPosted, shows: true},
	{pattern: "GET /admin/undo", handle: (*site).undoPage},
	{pattern: "POST /admin/undo", handle: (*site).undoPosted, shows: true},
	{pattern: "GET /admin/restore", handle: (*site).restorePage},
	{pattern: "POST /admin/restore", handle: (*site).restorePosted, shows: true},
	{pattern: "GET /admin/types/{type}/{id}/history", handle: (*site).history},
	{pattern: "GET /admin/types/{type}/{id}/tree", handle: (*site).tree},
	{pattern: "GET /admin/types/{type}/{id}/graph", handle: (*site).graph},
	{pattern: "GET /admin/types/{type}/{id}/graph.json", handle: (*site).graphJSON, part: true},
	{pattern: "GET /admin/trees", handle: (*site).trees},
	{pattern: "GET /admin/paths", handle: (*site).paths},
	{pattern: "GET /admin/search", handle: (*site).search},
	{pattern: "GET /admin/find", handle: (*site).find, part: true},
	{pattern: "GET /admin/commits", handle: (*site).commits},
	{pattern: "GET /admin/commits/graph", handle: (*site).commitGraph},
	{pattern: "GET /admin/commits/{id}", handle: (*site).commit},
	{pattern: "GET /admin/branches", handle: (*site).branchesPage},
	{pattern: "GET /admin/branch", handle: (*site).chooseBranch},
	{pattern: "GET /admin/diff", handle: (*site).diff},
	{pattern: "GET /admin/merge", handle: (*site).mergePage},
	{pattern: "POST /admin/merge", handle: (*site).mergePosted, shows: true},
	{pattern: "GET /admin/requests", handle: (*site).requestsPage},
	{pattern: "GET /admin/requests/{number}", handle: (*site).requestPage},
	{pattern: "POST /admin/requests/{number}", handle: (*site).requestPosted, shows: true},
	{pattern: "GET /admin/tokens", handle: (*site).tokensPage},
	{pattern: "POST /admin/tokens", handle: (*site).withdraw},
	{pattern: "GET /admin/policy", handle: (*site).policyPage},
	{pattern: "POST /admin/policy", handle: (*site).policyPosted, shows: true},
	{pattern: "GET /admin/doctor", handle: (*site).doctor},
	{pattern: "GET /admin/gateway", handle: (*site).gateway},
	{pattern: "GET /admin/gateway/{name}", handle: (*site).server},
	{pattern: "GET /admin/gateway/tools/{id}", handle: (*site).tool},
	{pattern: "GET /admin/gateway/artifacts/{handle}", handle: (*site).artifact},
	{pattern: "GET /admin/schema", handle: (*site).schema},
	{pattern: "GET /admin/schema/edit", handle: (*site).schemaEditPage},
	{pattern: "POST /admin/schema/edit", handle: (*site).schemaEditPosted, shows: true},
	{pattern: "GET /admin/schema/{form}", handle: (*site).schemaText},
	{pattern: "GET /admin/import", handle: (*site).importPage},
	{pattern: "POST /admin/import", handle: (*site).importPosted, shows: true},
	{pattern: "POST /admin/import/example", handle: (*site).importExample},
	{pattern: "GET /admin/help", handle: (*site).help},
	{pattern: "GET /admin/help/tour", handle: (*site).tour},
	{pattern: "POST /admin/help/tour", handle: (*site).endTour},
	{pattern: "GET /admin/import/rejected", handle: (*site).importRejected, part: true},
	{pattern: "GET /admin/query", handle: (*site).sparql},
	{pattern: "POST /admin/query", handle: (*site).sparqlPosted, shows: true},
	{pattern: "GET /admin/query/words.json", handle: (*site).sparqlWords, part: true},
	{pattern: "GET /admin/events", handle: (*site).events, part: true},
	{pattern: "GET /admin/static/{name}", handle: asset, open: true},
	{pattern: "POST /admin/theme", handle: (*site).setTheme, open: true},
}

// asset answers with a file that pages load.
func asset(_ *site, w http.ResponseWriter, r *http.Request) error {
	return static.Serve(w, r, r.PathValue("name"))
}
