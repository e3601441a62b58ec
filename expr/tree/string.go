package tree

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/spoonbill-go/spoonbill/expr/catalog"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// String prints a scalar for people: in messages, plans and as the name of a column that has none. The text for Spark is made by
// compiler/sparksql, which quotes and escapes.
func String(s Scalar) string {
	var b strings.Builder
	writeScalar(&b, s)
	return b.String()
}

func writeScalar(b *strings.Builder, s Scalar) {
	switch x := s.(type) {
	case nil:
		b.WriteString("?")
	case *Column:
		b.WriteString(x.Field().Name)
	case *Unbound:
		b.WriteString(x.Name)
	case *Bad:
		b.WriteString("?")
	case *Literal:
		b.WriteString(LiteralText(x))
	case *Call:
		writeCall(b, x)
	case *Cast:
		if x.Implicit {
			writeScalar(b, x.Arg)
			return
		}
		name := "CAST("
		if x.Try {
			name = "TRY_CAST("
		}
		b.WriteString(name)
		writeScalar(b, x.Arg)
		b.WriteString(" AS " + x.To.String() + ")")
	case *Case:
		b.WriteString("CASE")
		for _, w := range x.Whens {
			b.WriteString(" WHEN ")
			writeScalar(b, w.Cond)
			b.WriteString(" THEN ")
			writeScalar(b, w.Then)
		}
		if x.Else != nil {
			b.WriteString(" ELSE ")
			writeScalar(b, x.Else)
		}
		b.WriteString(" END")
	case *GetField:
		writeScalar(b, x.Arg)
		b.WriteString("." + x.Name())
	case *Over:
		writeScalar(b, x.Func)
		b.WriteString(" OVER (")
		space := ""
		for i, p := range x.PartitionBy {
			b.WriteString([]string{"PARTITION BY ", ", "}[min(i, 1)])
			writeScalar(b, p)
			space = " "
		}
		for i, k := range x.OrderBy {
			b.WriteString([]string{space + "ORDER BY ", ", "}[min(i, 1)])
			b.WriteString(SortText(k))
			space = " "
		}
		if !x.IsDefault() {
			b.WriteString(space + FrameText(x.Frame, String))
		}
		b.WriteString(")")
	case *Subquery:
		switch x.Kind {
		case InSubquery:
			b.WriteString("(")
			writeScalar(b, x.Arg)
			b.WriteString(" IN (SELECT " + strings.Join(x.Rel.Schema().Names(), ", ") + "))")
		case ExistsSubquery:
			b.WriteString("EXISTS (SELECT " + strings.Join(x.Rel.Schema().Names(), ", ") + ")")
		default:
			b.WriteString("(SELECT " + strings.Join(x.Rel.Schema().Names(), ", ") + ")")
		}
	case *Outer:
		b.WriteString(x.Field().Name)
	case *Param:
		b.WriteString(":" + x.Name)
	case *RawSQL:
		b.WriteString(x.Text)
	case *Alias:
		writeScalar(b, x.Arg)
		b.WriteString(" AS " + x.Name)
	case *Variable:
		b.WriteString(x.Name)
	case *Lambda:
		b.WriteString(LambdaHead(x, func(name string) string { return name }))
		writeScalar(b, x.Body)
	default:
		fmt.Fprintf(b, "%T", s)
	}
}

// LambdaHead prints the parameters of a lambda up to its body: "x -> ", "(x, i) -> ".
func LambdaHead(l *Lambda, quote func(string) string) string {
	names := make([]string, len(l.Params))
	for i, p := range l.Params {
		names[i] = quote(p.Name)
	}
	if len(names) == 1 {
		return names[0] + " -> "
	}
	return "(" + strings.Join(names, ", ") + ") -> "
}

// SortText prints a sort key with its direction and its place of nulls.
func SortText(k SortKey) string {
	s := String(k.Arg)
	if k.Descending {
		s += " DESC"
	}
	if k.NullsFirst == k.Descending { // not Spark's default
		s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	return s
}

// FrameText prints a frame in SQL, with another print of its bounds' values.
func FrameText(f *Frame, value func(Scalar) string) string {
	bound := func(b FrameBound, unbounded string) string {
		switch {
		case b.Unbounded:
			return unbounded
		case b.Offset == nil:
			return "CURRENT ROW"
		case b.Preceding:
			return value(b.Offset) + " PRECEDING"
		}
		return value(b.Offset) + " FOLLOWING"
	}
	unit := "RANGE"
	if f.Rows {
		unit = "ROWS"
	}
	return unit + " BETWEEN " + bound(f.Start, "UNBOUNDED PRECEDING") + " AND " + bound(f.End, "UNBOUNDED FOLLOWING")
}

func writeCall(b *strings.Builder, c *Call) {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = String(a)
	}
	switch {
	case c.Func.Kind == catalog.TimeWindow:
		b.WriteString(c.Func.Name + "(" + args[0])
		for _, a := range c.Args[1:] {
			if l, ok := a.(*Literal); ok {
				if us, ok := l.Value.(int64); ok {
					b.WriteString(", " + (time.Duration(us) * time.Microsecond).String())
				}
			} else {
				b.WriteString(", " + String(a))
			}
		}
		b.WriteString(")")
	case c.Func.SQL != "":
		b.WriteString("(" + catalog.Expand(c.Func.SQL, args) + ")")
	case c.Distinct:
		b.WriteString(c.Func.Name + "(DISTINCT " + strings.Join(args, ", ") + ")")
	case c.Func.Name == "count" && len(args) == 0:
		b.WriteString("count(1)")
	default:
		b.WriteString(c.Func.Name + "(" + strings.Join(args, ", ") + ")")
	}
	if c.Where != nil {
		b.WriteString(" FILTER (WHERE " + String(c.Where) + ")")
	}
	if c.IgnoreNulls {
		b.WriteString(" IGNORE NULLS")
	}
}

// LiteralText prints a literal's value for people.
func LiteralText(l *Literal) string {
	switch v := l.Value.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		return "X'" + strings.ToUpper(hex.EncodeToString(v)) + "'"
	case float64:
		return strconv.FormatFloat(v, 'G', -1, 64)
	case *big.Int:
		return DecimalText(v, l.Typ)
	case int64:
		switch l.Typ.Kind() {
		case datatype.KindDate:
			return "DATE '" + time.Unix(v*86400, 0).UTC().Format("2006-01-02") + "'"
		case datatype.KindTimestamp, datatype.KindTimestampNTZ:
			return "TIMESTAMP '" + time.UnixMicro(v).UTC().Format("2006-01-02 15:04:05.999999") + "'"
		case datatype.KindDayTime:
			return "INTERVAL " + (time.Duration(v) * time.Microsecond).String()
		case datatype.KindYearMonth:
			return fmt.Sprintf("INTERVAL %d MONTHS", v)
		}
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(l.Value)
}

// DecimalText prints the unscaled digits of a decimal of type t with its point.
func DecimalText(v *big.Int, t datatype.Type) string {
	d, _ := t.(datatype.Decimal)
	s := new(big.Int).Abs(v).String()
	if d.Scale > 0 {
		if len(s) <= d.Scale {
			s = strings.Repeat("0", d.Scale-len(s)+1) + s
		}
		s = s[:len(s)-d.Scale] + "." + s[len(s)-d.Scale:]
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}
