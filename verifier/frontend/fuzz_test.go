package frontend

import "testing"

// FuzzParse: text is translated to a module that holds its invariants (Parse checks them) or is refused.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"target datalayout = \"e-m:e-p:32:32-i64:64\"\ndefine i32 @f(i32 %a) {\n  %b = add nsw i32 %a, 1\n  %c = icmp slt i32 %b, 0\n  br i1 %c, label %x, label %y\nx:\n  ret i32 0\ny:\n  %p = phi i32 [ %b, %0 ]\n  ret i32 %p\n}\n",
		"%s = type { i32, [4 x i8], %s* }\n@g = internal global %s zeroinitializer, align 4\ndefine void @h(%s* %p) {\n  %q = getelementptr inbounds %s, %s* %p, i64 0, i32 1, i64 2\n  store volatile i8 7, i8* %q, align 1\n  switch i8 3, label %d [ i8 1, label %d ]\nd:\n  unreachable\n}\n",
		"define <2 x float> @v(<2 x float> %a) {\n  %b = fmul fast <2 x float> %a, <float 1.0, float undef>\n  %c = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 1, i32 2)\n  %d = extractvalue { i32, i1 } %c, 0\n  ret <2 x float> %b\n}\ndeclare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("x.ll", text)
		if (m == nil) == (err == nil) {
			t.Fatalf("%v %v", m, err)
		}
	})
}
