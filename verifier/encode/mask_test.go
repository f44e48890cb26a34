package encode

import "testing"

// TestMasksAgainstInterp: both engines say the same of each bit of what an operation makes of bits that were never written.
func TestMasksAgainstInterp(t *testing.T) {
	const start = prelude + "unsigned nondet_unsigned(void); char block[64];\nint main(void) {\n" +
		"unsigned x, y = nondet_unsigned(), z = 0x30517, s, r;\n((char *)&x)[1] = nondet_int();\n" +
		"(void)(s = nondet_int() & 7);\n"
	for name, op := range map[string]string{
		"add": "r = x + y;", "sub": "r = y - x;", "mul": "r = x * (y | 256);", "neg": "r = -(x & 0xff00ff00);",
		"carry": "r = (x & 0xff0000) + y;", "udiv": "r = x / (y | 1);", "urem": "r = x % (y | 1);",
		"sdiv": "r = (int)(x & 0xffff) / 3;", "and": "r = x & y;", "or": "r = x | y;", "xor": "r = x ^ y;", "not": "r = ~x;",
		"shl": "r = x << s;", "lshr": "r = x >> s;", "ashr": "r = (int)x >> s;",
		"by few": "r = y << (x & z & 8 & ~8);", "by any": "r = x << (s & 1 ? s : x & 1);",
		"trunc": "r = (unsigned char)x;", "zext": "unsigned char c = x; r = c;", "sext": "short c = x & 0xff00; r = c;",
		"wide": "unsigned long long c = x; r = c * 3 >> 8;", "select": "r = y > 3 ? x : z;",
		"compare": "r = x == y;", "less": "r = x < y;", "decided": "r = (x | 255) == (y & ~1u);",
		"bswap": "r = __builtin_bswap32(x);", "bitreverse": "r = __builtin_bitreverse32(x);",
		"rotate": "r = __builtin_rotateleft32(x, s);", "rotate by any": "r = __builtin_rotateright32(y, x);",
		"popcount": "r = __builtin_popcount(x);", "clz": "r = __builtin_clz(x | 1);", "ctz": "r = __builtin_ctz(x | 1 << 31);",
		"add.overflow": "r = __builtin_add_overflow(x & ~255u, y, &y) ? 0 : y;",
		"add.result":   "__builtin_add_overflow(x & 0xff0000, y, &r);", "mul.result": "__builtin_mul_overflow(x & 0xff0000, y, &r);",
		"abs": "r = __builtin_abs((int)(x & 0xffff));", "float": "r = (unsigned)(float)(x & 0xffff);",
		"gep":      "r = (unsigned)(unsigned long)(block + (x & 16));",
		"gep wide": "r = (unsigned)(unsigned long)((int *)block + ((int)(x & 8)));",
		"inttoptr": "r = (unsigned)(unsigned long)(char *)(unsigned long)(x & 0xf00f);",
	} {
		t.Run(name, func(t *testing.T) {
			m := compile(t, "", start+op+"\nif (r >> (nondet_unsigned() & 31) & 1) return 1;\nreturn 0; }\n")
			if against(t, m, Options{}, 60) == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}
