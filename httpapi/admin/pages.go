package admin

// pageRoutes are the reading pages and what they load.
var pageRoutes = []route{
	{pattern: "GET /admin", handle: (*site).overview},
	{pattern: "GET /admin/static/{name}", handle: (*site).static, open: true},
	{pattern: "POST /admin/theme", handle: (*site).setTheme, open: true},
}
