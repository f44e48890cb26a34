package verdict

// The checks.
const (
	Assert           Check = "assert"
	SignedOverflow   Check = "signed-overflow"
	UnsignedOverflow Check = "unsigned-overflow"
	Shift            Check = "shift"
	DivByZero        Check = "div-by-zero"
	Conversion       Check = "conversion"
	Memory           Check = "memory"
	Free             Check = "free"
	Leak             Check = "leak"
	Uninitialised    Check = "uninitialised"
	Unsequenced      Check = "unsequenced"
	PointerOverflow  Check = "pointer-overflow"
	PointerCompare   Check = "pointer-compare"
	NullCompare      Check = "null-compare"
	Unreachable      Check = "unreachable"
	Return           Check = "return"
	Enum             Check = "enum"
	Bool             Check = "bool"
	VLA              Check = "vla"
	Builtin          Check = "builtin"
	Nonnull          Check = "nonnull"
	Unwinding        Check = "unwinding"
	Termination      Check = "termination"
	ComplexityBound  Check = "complexity"
	Stack            Check = "stack"
)

// properties has a row for each check, in the order of the manual.
var properties = []Property{
	{Check: Assert, Title: "User assertion", CWE: "CWE-617", MISRA: "Dir 4.1", CERT: "", Default: true,
		Meaning: "An assertion of the program or of the harness holds whenever it is reached.",
		Bad:     "assert(n < 8);   /* n may be 8 */",
		Good:    "if (n > 7) return; assert(n < 8);",
		Past:    PastUses},
	{Check: SignedOverflow, Title: "Signed integer overflow", CWE: "CWE-190", MISRA: "Rule 1.3", CERT: "INT32-C",
		Default: true,
		Meaning: "The exact result of signed arithmetic fits its type. Overflow is undefined: compilers assume that it never happens.",
		Bad:     "int next(int n) { return n + 1; }",
		Good:    "int next(int n) { return n < INT_MAX ? n + 1 : n; }",
		Past:    PastWraps},
	{Check: UnsignedOverflow, Title: "Unsigned wrap-around", CWE: "CWE-190", MISRA: "Rule 12.4", CERT: "INT30-C",
		Default: false,
		Meaning: "Unsigned arithmetic does not wrap. Defined in C and often meant, so off unless asked for.",
		Bad:     "unsigned len = a - b;   /* a < b */",
		Good:    "unsigned len = a >= b ? a - b : 0;",
		Past:    PastWraps},
	{Check: Shift, Title: "Invalid shift", CWE: "CWE-1335", MISRA: "Rule 12.2", CERT: "INT34-C", Default: true,
		Meaning: "The shift amount is below the width of the promoted left operand, and a signed left operand is not negative and keeps its value.",
		Bad:     "mask = 1 << bit;   /* bit may be 32 */",
		Good:    "mask = bit < 32 ? 1u << bit : 0;",
		Past:    PastWraps},
	{Check: DivByZero, Title: "Division by zero", CWE: "CWE-369", MISRA: "Rule 1.3", CERT: "INT33-C", Default: true,
		Meaning: "No division or remainder by zero, and no INT_MIN / -1.",
		Bad:     "avg = sum / count;",
		Good:    "avg = count ? sum / count : 0;"},
	{Check: Conversion, Title: "Value-changing conversion", CWE: "CWE-197", MISRA: "Rule 10.3", CERT: "INT31-C",
		Default: false,
		Meaning: "An implicit conversion keeps the value. Often meant, so off unless asked for.",
		Bad:     "uint8_t b = word;",
		Good:    "uint8_t b = (uint8_t)(word & 0xff);",
		Past:    PastWraps},
	{Check: Memory, Title: "Invalid memory access", CWE: "CWE-119", MISRA: "Rule 18.1", CERT: "ARR30-C", Default: true,
		Meaning: "Every access lies inside one live object (or a region of the memory map) and is aligned for its type; constants are not written. Covers null, out of bounds, use after free, use after return.",
		Bad:     "buf[n] = 0;   /* n may be sizeof buf */",
		Good:    "if (n < sizeof buf) buf[n] = 0;"},
	{Check: Free, Title: "Invalid or double free", CWE: "CWE-415", MISRA: "Rule 22.2", CERT: "MEM31-C", Default: true,
		Meaning: "free() gets null or the start of a live heap object.",
		Bad:     "free(p); free(p);",
		Good:    "free(p); p = NULL;"},
	{Check: Leak, Title: "Memory leak", CWE: "CWE-401", MISRA: "Rule 22.1", CERT: "MEM31-C", Default: true,
		Meaning: "Every heap object is freed before the program ends or the last pointer to it is lost. Off for bare-metal targets.",
		Bad:     "p = malloc(8); p = malloc(8);",
		Good:    "p = malloc(8); free(p); p = malloc(8);",
		Driver:  true},
	{Check: Uninitialised, Title: "Use of an indeterminate value", CWE: "CWE-457", MISRA: "Rule 9.1", CERT: "EXP33-C",
		Default: true,
		Meaning: "No decision, address or output depends on memory that was never written.",
		Bad:     "int x; if (x) go();",
		Good:    "int x = 0; if (x) go();",
		Past:    PastUses},
	{Check: Unsequenced, Title: "Unsequenced side effects", CWE: "CWE-758", MISRA: "Rule 13.2", CERT: "EXP30-C",
		Default: true,
		Meaning: "What an expression changes, it neither changes nor reads in another place without a sequence point between (C17 6.5p2). Asked in C, of variables and of what pointers lead to; not of C++.",
		Bad:     "buf[i] = i++;",
		Good:    "buf[i] = i; i++;"},
	{Check: PointerOverflow, Title: "Pointer leaves its object", CWE: "CWE-823", MISRA: "Rule 18.1", CERT: "ARR30-C",
		Default: true,
		Meaning: "Pointer arithmetic stays inside the object or one past its end.",
		Bad:     "p = buf + n;   /* n > sizeof buf */",
		Good:    "if (n <= sizeof buf) p = buf + n;",
		Past:    PastWraps},
	{Check: PointerCompare, Title: "Unrelated pointers compared", CWE: "CWE-469", MISRA: "Rule 18.3", CERT: "ARR36-C",
		Default: true,
		Meaning: "Only pointers into one object are ordered or subtracted.",
		Bad:     "if (&a[0] < &b[0]) ...",
		Good:    "if (i < j) ...",
		Past:    PastWraps},
	{Check: NullCompare, Title: "Pointer ordered against null", CWE: "CWE-469", MISRA: "Rule 18.3", CERT: "ARR36-C",
		Default: false,
		Meaning: "No pointer is ordered against the null constant with < or >. Undefined in C, but every compiler compares the addresses, so off unless asked for.",
		Bad:     "if (p > NULL) ...",
		Good:    "if (p != NULL) ...",
		Past:    PastWraps},
	{Check: Unreachable, Title: "Unreachable code reached", CWE: "CWE-561", MISRA: "Rule 2.1", CERT: "MSC12-C",
		Default: true,
		Meaning: "Code that the compiler was told can never run is never reached.",
		Bad:     "default: __builtin_unreachable();   /* but it is */",
		Good:    "default: return -1;"},
	{Check: Return, Title: "Missing return value", CWE: "CWE-393", MISRA: "Rule 17.4", CERT: "MSC37-C", Default: true,
		Meaning: "A function that returns a value does so on every path whose result is used.",
		Bad:     "int f(int x) { if (x) return 1; }",
		Good:    "int f(int x) { return x ? 1 : 0; }"},
	{Check: Enum, Title: "Value outside its enumeration", CWE: "CWE-704", MISRA: "Rule 10.1", CERT: "INT36-C",
		Default: true,
		Meaning: "A value read as an enumeration lies in its range (C++).",
		Bad:     "enum E e = (enum E)99;",
		Good:    "enum E e = valid(x) ? (enum E)x : E0;"},
	{Check: Bool, Title: "Invalid boolean", CWE: "CWE-704", MISRA: "Rule 10.1", CERT: "", Default: true,
		Meaning: "A value read as bool is 0 or 1.",
		Bad:     "bool b; memset(&b, 7, 1); if (b) ...",
		Good:    "bool b = x != 0;"},
	{Check: VLA, Title: "Invalid array length", CWE: "CWE-789", MISRA: "Rule 18.8", CERT: "ARR32-C", Default: true,
		Meaning: "The length of a variable length array is positive.",
		Bad:     "char buf[n];   /* n may be 0 */",
		Good:    "char buf[MAX];",
		Past:    PastNone},
	{Check: Builtin, Title: "Invalid argument of a builtin", CWE: "CWE-628", MISRA: "", CERT: "", Default: true,
		Meaning: "Builtins get arguments in their domain, e.g. no __builtin_clz(0).",
		Bad:     "int n = __builtin_clz(x);",
		Good:    "int n = x ? __builtin_clz(x) : 32;"},
	{Check: Nonnull, Title: "Null where nonnull is promised", CWE: "CWE-476", MISRA: "Dir 4.14", CERT: "EXP34-C",
		Default: true,
		Meaning: "Arguments and results declared nonnull are not null.",
		Bad:     "memcpy(dst, NULL, n);",
		Good:    "if (src) memcpy(dst, src, n);"},
	{Check: Unwinding, Title: "Bound reached", CWE: "", MISRA: "", CERT: "", Default: true,
		Meaning: "No execution needs more loop turns or calls than were analysed. If one does, the other answers are only bounded.",
		Bad:     "while (!ready()) ;",
		Good:    "for (int i = 0; i < 100 && !ready(); i++) ;",
		Decided: ByBound},
	{Check: Termination, Title: "Non-termination", CWE: "CWE-835", MISRA: "Rule 14.2", CERT: "MSC21-C", Default: true,
		Meaning: "Every execution from the entry ends. Where nobody names the check, a loop that is meant to go on for ever is no violation: one without any way out (`for (;;)` of a main loop or a task), and one that waits for what the environment gives.",
		Bad:     "while (n != 0) n -= 2;   /* n odd */",
		Good:    "while (n > 1) n -= 2;",
		Decided: ByGraph},
	{Check: ComplexityBound, Title: "Runtime bound", CWE: "CWE-400", MISRA: "", CERT: "", Default: false,
		Meaning: "Reports an upper bound of executed instructions over the inputs.",
		Bad:     "",
		Good:    "",
		Decided: ByGraph},
	{Check: Stack, Title: "Stack overflow", CWE: "CWE-674", MISRA: "Rule 17.2", CERT: "MEM05-C", Default: false,
		Meaning: "The worst-case stack use over the call graph fits the target's stack.",
		Bad:     "int f(int n) { char big[4096]; return n ? f(n - 1) : 0; }",
		Good:    "static char big[4096];",
		Driver:  true},
}
