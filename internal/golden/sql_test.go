package golden

import "testing"

func TestLevelsAndStars(t *testing.T) {
	for _, c := range []struct {
		sql           string
		levels, stars int
	}{
		{"SELECT * FROM t", 0, 0},
		{"SELECT a, '(SELECT *' FROM t", 0, 0},
		{"-- (SELECT *\nSELECT a\nFROM (\n  SELECT b\n  FROM t\n)", 1, 0},
		{"SELECT *\nFROM (\n  SELECT *\n  FROM t\n)", 1, 2},
		{"SELECT * FROM t WHERE EXISTS (SELECT * FROM u WHERE a IN (SELECT x FROM y))", 2, 0},
		{"WITH c AS (\n  SELECT *\n  FROM t\n)\nSELECT f((a + 1)) FROM c", 1, 1},
		{"(\n  SELECT a\n  FROM t\n)\nUNION\nSELECT b FROM u", 1, 0},
	} {
		if l, s := Levels(c.sql), Stars(c.sql); l != c.levels || s != c.stars {
			t.Errorf("%s: %d levels and %d stars, not %d and %d", c.sql, l, s, c.levels, c.stars)
		}
	}
}
