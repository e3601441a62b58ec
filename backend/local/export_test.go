package local

// WithoutRules switches rules of the planner off.
func WithoutRules(names ...string) Option { return func(c *config) { c.without = names } }
