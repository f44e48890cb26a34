package seg

import "fmt"

// put writes a number of n bytes at byte at of memory, packed.
func put(memory string, at, n int, value string) string {
	return fmt.Sprintf("((struct p%d *)(%s + %d))->v = %s; ", 8*n, memory, at, value)
}

// cut writes a wide number into 16 bytes of zeros, and copies 8 of them that begin or end in the middle of it; or it
// copies some of the zeros over bytes that are none.
func (w *byteWriter) cut() string {
	zeros, to, n := w.pick("big", "wide", "hz"), w.pick("x.b", "y.b", "g.b", "z", "((unsigned char *)&pk)"), 2<<w.r.Intn(3)
	s, at, inside := "", w.r.Intn(17-n), 1+w.r.Intn(n-1)
	if w.r.Intn(2) == 0 {
		s = fmt.Sprintf("memset(%s, 0, 16); ", zeros)
	}
	if w.r.Intn(4) == 0 {
		return s + fmt.Sprintf("memset(%s, %s, 8); memcpy(%s, %s + %d, %d); ", to, w.pick("255", w.number()), to, zeros,
			w.r.Intn(9), 1+w.r.Intn(7))
	}
	from := min(max(w.pickInt(at+inside, at+inside-8), 0), 8)
	return s + put(zeros, at, n, w.pick("-1", "0x0102030405060708ll", w.number())) +
		fmt.Sprintf("%s(%s, %s + %d, 8); ", w.pick("memcpy", "memmove"), to, zeros, from)
}

func (w *byteWriter) pickInt(xs ...int) int { return xs[w.r.Intn(len(xs))] }

// half gives some bytes of an object without a value one, by a store, a fill or a copy, and moves some of its bytes;
// it reads what has a value, and where accesses are loose, bytes beside it.
func (w *byteWriter) half() string {
	of, n := w.pick("u.b", "q"), 1<<w.r.Intn(4)
	at := w.r.Intn(9 - n)
	s := put(of, at, n, w.value())
	switch w.r.Intn(5) {
	case 0:
		s = fmt.Sprintf("memset(%s + %d, %s, %d); ", of, at, w.pick("0", "255"), n)
	case 1:
		s = fmt.Sprintf("memcpy(%s + %d, %s + %d, %d); ", of, at, w.pick("big", "wide", "hz", "frame.b"), w.r.Intn(9-n), n)
	}
	if w.r.Intn(2) == 0 { // the bytes go elsewhere, with neighbours that have no value
		m, to := w.pickInt(w.r.Intn(9), 1+w.r.Intn(n)), w.pick("u.b", "q", "x.b", "wide")
		from := min(max(at-1+w.r.Intn(3), 0), 8-m)
		s += fmt.Sprintf("memmove(%s + %d, %s + %d, %d); ", to, w.r.Intn(9-m), of, from, m)
	}
	if at, n := at, n; w.loose && w.r.Intn(2) == 0 {
		n = 1 << w.r.Intn(4)
		at = min(max(at+w.r.Intn(3)-1, 0), 8-n)
		return s + fmt.Sprintf("%s = ((struct p%d *)(%s + %d))->v; ", w.number(), 8*n, of, at)
	}
	return s
}

// undefined lists statements that are undefined, or are for some numbers.
func (w *byteWriter) undefined() []string {
	v, at := w.number(), w.r.Intn(9)
	of := w.pick("x.b", "g.b", "z", "q", "wide", "big")
	return []string{
		fmt.Sprintf("%s[%s] = 1; ", of, v), fmt.Sprintf("%s = %s[%s]; ", w.number(), of, v),
		fmt.Sprintf("%s[%d] = 1; ", of, w.pickInt(8, 15, 16)), fmt.Sprintf("%s = %s[%d]; ", v, of, w.pickInt(8, -1, 16)),
		fmt.Sprintf("*(i32 *)(%s + %d) = %s; ", of, 1+at%2, v), fmt.Sprintf("%s = *(i16 *)(%s + %d); ", v, of, at|1),
		fmt.Sprintf("((unsigned char *)&%s)[%d] = 1; ", w.pick("frame", "tab"), at%8),
		fmt.Sprintf("memset((void *)&frame + %d, 0, %d); ", at/2, 1+at/3),
		fmt.Sprintf("memcpy((void *)&tab, %s, %d); ", of, 1+at%8),
		fmt.Sprintf("memcpy(%s + %d, %s, %s); ", of, 1+at/4, of, w.pick("4", "3", v)),
		fmt.Sprintf("memset(%s, 0, %s); ", of, v), fmt.Sprintf("memmove(%s, big + %d, 8); ", of, at+5),
		"free(z + 1); ", "free(&g); ", "free(&x); ", "free((void *)frame.b); ", "free(n); *n = 1; ",
		"free(q); " + v + " = q[0]; ", "free(z); z[1] = 1; ", "free(q); free(q); ", "free(q); memset(q, 0, 8); ",
		"free(q); memcpy(x.b, q, 8); ", "*n = 1; ", v + " = *n; ", "memset(n, 0, 1); ", v + " = *(int *)8; ",
		v + " = j / " + v + "; ", v + " = i % " + v + "; ", v + " = 1u << " + v + "; ", v + " = (unsigned)j >> " + v + "; ",
		"{ int t = 1; p = &t; } *p = 2; ", "{ int t; p = &t; } " + v + " = *p; ", v + " = *(p + 1); ", v + " = u.b[2]; ",
		"for (int n = 0; n < 2; n++) { union u t; if (n == 0) t.raw = 1; else " + v + " = t.b[1]; } ",
		"memcpy(wide + 3, u.b, 8); " + v + " = wide[5]; ", "memmove(q + 1, q, 4); " + v + " = ((struct p32 *)(q + 1))->v; ",
	}
}

// chances are statements that are undefined, of which each may be executed.
func (w *byteWriter) chances() string {
	s := ""
	for i := range 3 {
		list := w.undefined()
		s += fmt.Sprintf("if (nondet_int() == %d) { %s} ", i, list[(w.n+11*i)%len(list)])
	}
	return s
}
