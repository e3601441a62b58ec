package expr

//go:generate go run ../internal/generate -root ..
