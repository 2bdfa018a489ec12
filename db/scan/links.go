package scan

// Links are the pairs of subject and object that a predicate has in a graph, found by one
// of them.
type Links struct{ of table }

// ReadLinks reads the pairs of a predicate in a graph, both arguments, the second 0 for the
// default graph. They are found by their subjects, or by their objects when inverse is set.
func ReadLinks(env *Env, predicate, graph int, inverse bool) (*Links, error) {
	const subject, object = 0, 1
	step := &Step{Subject: End{Slot: subject}, Object: End{Slot: object}, Predicate: predicate, Graph: graph}
	b := &builder{program: &Program{Slots: 2}, env: env, tests: make([][]test, 2), keys: make([][]ids, 2), weight: 2}
	key, value := subject, object
	if inverse {
		key, value = object, subject
	}
	l := &Links{table{grow: env.Grow}}
	return l, each(b.read(step), func(batch *batch, i int) error {
		return l.of.add(batch.slots[key][i], batch.slots[value][i])
	})
}

// First is the place of what an id is linked to, 0 for nothing.
func (l *Links) First(id int64) (place int64) { return l.of.of(id) }

// At is what stands at a place, and the next place of the same id, 0 for none.
func (l *Links) At(place int64) (id, next int64) { return l.of.at(place) }
