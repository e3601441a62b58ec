// Package lint holds the project's own rules as tests, so that "go test ./..."
// enforces them with nothing but Go: which package may import which, a doc
// comment on every exported name, no panic on a user's input, formatted source,
// generated files that match their source, and text that holds on any machine.
//
// Each rule is a function from source to findings. TestRepository runs them all
// on the module; beside each rule a test feeds it source with a planted fault,
// so that a rule which has stopped to bite fails too.
//
// Two tables here are for others to extend: layers in layering_test.go, one row
// for each part of the module, and generators in generated_test.go, one row for
// each program that writes committed files.
package lint
