package state

// Tests have few and small entries.
func init() { spillBytes = 1500 }
