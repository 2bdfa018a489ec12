package builtin

// ProvidersWithViews are the providers with a doctor that looks at these views.
var ProvidersWithViews = providers
