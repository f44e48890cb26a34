package compile

import "testing"

// TestUncast: functions that clang 15 casts out of the address space of code stay in it, in calls, comparisons and
// where they are stored; texts stay as they are.
func TestUncast(t *testing.T) {
	for in, want := range map[string]string{
		`@later = global ptr addrspace(1) addrspacecast (ptr addrspace(1) @g to ptr addrspace(1)), align 1`:                    `@later = global ptr addrspace(1) @g, align 1`,
		`@o = global %s { ptr addrspace(1) addrspacecast (ptr addrspace(1) @"a b" to ptr addrspace(1)), ptr addrspace(1) @g }`: `@o = global %s { ptr addrspace(1) @"a b", ptr addrspace(1) @g }`,
		`  store ptr bitcast (ptr addrspace(1) @g to ptr), ptr %1, align 1`:                                                    `  store ptr addrspace(1) @g, ptr %1, align 1`,
		`  %r = call addrspace(0) i16 bitcast (ptr addrspace(1) @g to ptr)(i16 1, ptr @h) #4`:                                  `  %r = call addrspace(1) i16 @g(i16 1, ptr @h) #4`,
		`  %c = icmp eq ptr addrspace(1) %8, ptr bitcast (ptr addrspace(1) @g to ptr), !dbg !5`:                                `  %c = icmp eq ptr addrspace(1) %8, @g, !dbg !5`,
		`  %c = icmp eq ptr bitcast (ptr addrspace(1) @g to ptr), ptr addrspace(1) %7`:                                         `  %c = icmp eq ptr addrspace(1) @g, %7`,
		`  %7 = select i1 %5, ptr bitcast (ptr addrspace(1) @g to ptr), ptr addrspace(1) null`:                                 `  %7 = select i1 %5, ptr addrspace(1) @g, ptr addrspace(1) null`,
		`!1 = !{!"ptr bitcast (ptr addrspace(1) @g to ptr)"}`:                                                                  `!1 = !{!"ptr bitcast (ptr addrspace(1) @g to ptr)"}`,
		`@s = constant [43 x i8] c"ptr bitcast (ptr addrspace(1) @g to ptr), \00"`:                                             `@s = constant [43 x i8] c"ptr bitcast (ptr addrspace(1) @g to ptr), \00"`,
	} {
		if got := string(uncast([]byte(in))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}
