//go:build !stress

package kafka

// stress makes tests go through all of what they sample else.
const stress = false
