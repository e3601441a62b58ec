package datatype

import "testing"

// The parser of types never panics, and what it reads prints as a text that it reads as the same type.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"INT", "decimal(12,2)", "array<struct<a: int not null, `b c`: map<string, timestamp_ntz>>>", "interval day to second", "`", "struct<>", "char(3)", "array<", "time(6)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		typ, err := Parse(s)
		if err == nil {
			again, err := Parse(typ.String())
			if err != nil || !Equal(typ, again) {
				t.Fatalf("%q is %s, which reads back as %v (%v)", s, typ, again, err)
			}
		}
		if fields, err := ParseFields(s); err == nil {
			again, err := ParseFields(DDL(fields))
			if err != nil || !Equal(Struct{fields}, Struct{again}) {
				t.Fatalf("%q is %s, which reads back as %v (%v)", s, DDL(fields), again, err)
			}
		}
	})
}
