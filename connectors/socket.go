package connectors

import (
	"math"
	"strconv"
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/datatype"
	"github.com/spoonbill-go/spoonbill/expr/tree"
)

var socketOptions = map[string]spec{"host": src(anything), "port": src(within(0, 65535)), "includeTimestamp": src(truth), "numPartitions": src(within(1, math.MaxInt32))}

// SocketSource reads lines of text from a TCP connection.
type SocketSource struct {
	simple
	host string
	port int
}

// Socket reads lines of text from a TCP connection that it makes: value STRING, and timestamp TIMESTAMP, when the line came, with [IncludeTimestamp]. It is for trying things out: it only streams, and
// nothing can be read twice, so lines that a query had not finished with are lost when it ends. A peer that closes the connection ends the lines and not the query. Other options are [NumPartitions].
//
// Source: Spark's TextSocketSourceProvider.
func Socket(host string, port int, opts ...Option) SocketSource {
	return SocketSource{simple{tree.Socket, socketOptions, append([]Option{Set("host", host), Set("port", strconv.Itoa(port))}, opts...)}, host, port}
}

// IncludeTimestamp adds the column timestamp to [Socket]: when a line came, to the millisecond.
func IncludeTimestamp() Option { return boolean("includeTimestamp", true) }

// Source implements expr.Source.
func (s SocketSource) Source() (*tree.Source, error) {
	switch {
	case s.format == "":
		e := invalid("The source was never made: it is the zero value of its type.")
		e.Hint = "Use connectors.Socket."
		return nil, e
	case strings.TrimSpace(s.host) == "":
		return nil, invalid("The socket source needs a host.")
	case s.port < 1 || s.port > 65535:
		return nil, invalid("The port of the socket source must be from 1 to 65535, not %d.", s.port)
	}
	o, err := build(s.format, "source", s.known, nil, s.opts)
	if err != nil {
		return nil, err
	}
	fields := []datatype.Field{{Name: "value", Type: datatype.String, Nullable: true}}
	if v, _ := o.Get("includeTimestamp"); strings.EqualFold(v, "true") {
		fields = append(fields, datatype.Field{Name: "timestamp", Type: datatype.Timestamp, Nullable: true})
	}
	return &tree.Source{Format: tree.Socket, Options: o, Stream: true, Fields: fields}, nil
}
