package kg

import "context"

// Ready reports why the graph cannot be read and written now, nil when it can.
func (g *Graph) Ready(ctx context.Context) error { return g.file.Ready(ctx) }
