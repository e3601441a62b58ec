package catalog

import (
	"strings"

	"github.com/spoonbill-go/spoonbill/expr/condition"
	"github.com/spoonbill-go/spoonbill/expr/datatype"
)

// Digests, hashes and encodings. Spark takes a text as its bytes in UTF-8, but casts no other type to one.
func init() {
	bytes := func(result string) []string { return []string{"(s text) " + result, "(b binary) " + result} }
	declare("hash and binary",
		&Function{Name: "md5", Go: "MD5", Sigs: bytes("string"), Doc: "is the MD5 digest in 32 hexadecimal digits.", Example: "md5('Spark')"},
		&Function{Name: "sha", Go: "SHA", Aliases: []string{"sha1"}, Sigs: bytes("string"), Doc: "is the SHA-1 digest in 40 hexadecimal digits.", Example: "sha('Spark')"},
		&Function{Name: "sha2", Go: "SHA2", Sigs: []string{"(s text, bits int) string", "(b binary, bits int) string"}, Nulls: NullIfAnyOrOther,
			Doc: "is the digest of the SHA-2 family of 224, 256, 384 or 512 bits (0 is 256) in hexadecimal digits; null for another number of bits.", Example: "sha2('Spark', 256)"},
		&Function{Name: "crc32", Go: "CRC32", Sigs: bytes("bigint"), Doc: "is the cyclic redundancy check of 32 bits.", Example: "crc32('Spark')"},
		&Function{Name: "hash", Method: "Hash", Sigs: []string{"(a any, values ...any) @hash32"}, Nulls: NeverNull, Returns: NumericFamily,
			Doc: "is Spark's Murmur3 hash of the values, an INT; nulls do not change it. Maps cannot be hashed.", Example: "hash('Spark', array(123), 2)"},
		&Function{Name: "xxhash64", Go: "XXHash64", Sigs: []string{"(a any, values ...any) @hash64"}, Nulls: NeverNull, Returns: NumericFamily, Since: "3.0",
			Doc: "is the xxHash of the values in 64 bits; nulls do not change it. Maps cannot be hashed.", Example: "xxhash64('Spark', array(123), 2)"},
		&Function{Name: "base64", Go: "Base64", Sigs: bytes("string"), Doc: "writes bytes in base 64, in lines of 76 characters.", Example: "base64('Spark SQL')"},
		&Function{Name: "unbase64", Go: "UnBase64", Sigs: []string{"(s text) binary"},
			Doc: "reads bytes from base 64 and passes over characters that are none of its digits. A last group of one digit is an error without a condition in Spark.", Example: "unbase64('U3BhcmsgU1FM')"},
		&Function{Name: "encode", Method: "Encode", On: StringFamily, Sigs: []string{"(s string, charset string) binary"}, Nulls: NullIfAnyOrOther,
			Doc: "writes a text in a charset: US-ASCII, ISO-8859-1, UTF-8, UTF-16BE, UTF-16LE, UTF-16 (with a byte order mark) or UTF-32. A character that it has not raises MALFORMED_CHARACTER_CODING.", Example: "encode('abc', 'utf-8')"},
		&Function{Name: "decode", Sigs: []string{"(b binary, charset string) @decode_charset", "(a any, search any, result any, values ...any) @decode"}, Nulls: NeverNull, Returns: AnyFamily,
			Doc: "with two arguments reads a text from bytes in a charset, see encode. With more it is the result behind the first search value that equals a, where null equals null; else the last argument where one is left over, else null. Search values are compared with a in their common type.", Example: "decode(2, 1, 'Southlake', 2, 'San Francisco', 'Non domestic')"},
		&Function{Name: "to_binary", Sigs: []string{"(s text, format? string) @to_binary"}, Since: "3.3", Returns: BinaryFamily,
			Doc: "reads bytes by a literal format: hex (the default), base64, or utf-8. A malformed text raises CONVERSION_INVALID_INPUT, with ANSI mode off too.", Example: "to_binary('abc', 'utf-8')"},
		&Function{Name: "try_to_binary", Sigs: []string{"(s text, format? string) @to_binary"}, Since: "3.3", Returns: BinaryFamily, Nulls: NullIfAnyOrOther,
			Doc: "is to_binary that gives null for a malformed text.", Example: "try_to_binary('a!', 'base64')"},
		&Function{Name: "bit_length", Sigs: bytes("int"), Doc: "is the number of bits of a text in UTF-8 or of a binary.", Example: "bit_length('Spark SQL')"},
		&Function{Name: "octet_length", Sigs: bytes("int"), Doc: "is the number of bytes of a text in UTF-8 or of a binary.", Example: "octet_length('Spark SQL')"},
	)
}

// holdsMap tells whether a value of the type can have a map in it, which Spark does not hash.
func holdsMap(t datatype.Type) bool {
	switch x := t.(type) {
	case datatype.Map:
		return true
	case datatype.Array:
		return holdsMap(x.Elem)
	case datatype.Struct:
		for _, f := range x.Fields {
			if holdsMap(f.Type) {
				return true
			}
		}
	}
	return false
}

// hashType is the rule of hashes.
func hashType(result datatype.Type) rule {
	return func(args []Arg, t *Typing) *condition.Error {
		for _, a := range args {
			if holdsMap(a.Type) {
				e := condition.Newf("DATATYPE_MISMATCH.HASH_MAP_TYPE", "a map cannot be hashed, since equal maps may hash differently.")
				e.Hint = "Hash its sorted entries: sort_array(map_entries(m))."
				return e
			}
			if a.Type.Kind() == datatype.KindVariant {
				return condition.Newf(condition.DatatypeMismatch, "a VARIANT cannot be hashed.")
			}
		}
		t.Result = result
		return nil
	}
}

// decodeType types decode(a, search, result, …, default): searches and a get one type, results another.
func decodeType(args []Arg, t *Typing) *condition.Error {
	var search, result datatype.Type = args[0].Type, datatype.Null
	for i := 1; i < len(args); i++ {
		with := &result
		if i%2 == 1 && i+1 < len(args) {
			with = &search
		}
		c, ok := datatype.Common(*with, args[i].Type, true)
		if !ok {
			return condition.Newf(condition.DifferingTypes, "%s and %s have no common type (argument %d).", *with, args[i].Type, i+1)
		}
		*with = c
	}
	t.Nullable = len(args)%2 == 1
	for i, a := range args {
		t.Args[i] = result
		switch {
		case i == 0 || i%2 == 1 && i+1 < len(args):
			t.Args[i] = search
		case a.Nullable:
			t.Nullable = true
		}
	}
	t.Result = result
	return nil
}

// toBinaryType checks the format. All but reading base 64 is nullable in Spark.
func toBinaryType(args []Arg, t *Typing) *condition.Error {
	t.Result = datatype.Binary
	if len(args) < 2 {
		t.Nullable = true
		return nil
	}
	if !args[1].IsLiteral {
		return condition.Newf("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "the format must be a literal text.")
	}
	switch f, _ := args[1].Literal.(string); strings.ToLower(f) {
	case "hex", "", "utf-8", "utf8":
		t.Nullable = true
	case "base64":
	default:
		e := condition.Newf("DATATYPE_MISMATCH.INVALID_ARG_VALUE", "the format is hex, utf-8, utf8 or base64, not %q.", f)
		return e
	}
	return nil
}
