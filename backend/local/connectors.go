package local

// The connectors that every session has. Each registers itself under its format's name.
import (
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/console"
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/file"
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/kafka"
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/memory"
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/noop"
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/rate"
	_ "github.com/spoonbill-go/spoonbill/backend/local/connector/socket"
)
