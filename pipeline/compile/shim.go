package compile

import (
	"sort"
	"strings"
)

// shimVersion goes into the cache key: raise it when a prototype changes.
const shimVersion = "4"

// nondetTypes maps the TYPE of nondet_TYPE to C. SV-COMP's and CBMC's names, with
// and without _t.
var nondetTypes = map[string]string{
	"bool": "_Bool", "_Bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char",
	"signed_char": "signed char", "unsigned_char": "unsigned char",
	"short": "short", "ushort": "unsigned short", "unsigned_short": "unsigned short", "int": "int",
	"uint":     "unsigned int",
	"unsigned": "unsigned int", "unsigned_int": "unsigned int",
	"long": "long", "ulong": "unsigned long", "unsigned_long": "unsigned long", "longlong": "long long",
	"ulonglong": "unsigned long long", "long_long": "long long", "unsigned_long_long": "unsigned long long",
	"int8": "__INT8_TYPE__", "uint8": "__UINT8_TYPE__", "int16": "__INT16_TYPE__", "uint16": "__UINT16_TYPE__",
	"int32": "__INT32_TYPE__", "uint32": "__UINT32_TYPE__", "int64": "__INT64_TYPE__", "uint64": "__UINT64_TYPE__",
	"u8": "__UINT8_TYPE__", "u16": "__UINT16_TYPE__", "u32": "__UINT32_TYPE__", "u64": "__UINT64_TYPE__",
	"S8": "__INT8_TYPE__", "U8": "__UINT8_TYPE__", "U16": "__UINT16_TYPE__", "U32": "__UINT32_TYPE__",
	"size": "__SIZE_TYPE__", "ssize": "__PTRDIFF_TYPE__", "ptrdiff": "__PTRDIFF_TYPE__", "intptr": "__INTPTR_TYPE__",
	"uintptr": "__UINTPTR_TYPE__", "float": "float", "double": "double", "longdouble": "long double",
	"long_double": "long double",
	"pointer":     "void *", "ptr": "void *", "pchar": "char *", "voidp": "void *", "void_ptr": "void *",
	"char_ptr": "char *", "charp": "char *",
	"loff": "long long", "off": "long", "sector": "unsigned long", "unsigned_int_t": "unsigned int",
}

// shimPrototypes are the other intrinsics that people call without declaring them.
var shimPrototypes = map[string]string{
	"__VERIFIER_assume":          "void %(int)",
	"__VERIFIER_assert":          "void %(int)",
	"__VERIFIER_error":           "_Noreturn void %(void)",
	"__VERIFIER_atomic_begin":    "void %(void)",
	"__VERIFIER_atomic_end":      "void %(void)",
	"reach_error":                "void %(void)",
	"__CPROVER_assume":           "void %(_Bool)",
	"__CPROVER_assert":           "void %(_Bool, const char *)",
	"__CPROVER_precondition":     "void %(_Bool, const char *)",
	"__CPROVER_postcondition":    "void %(_Bool, const char *)",
	"__CPROVER_r_ok":             "_Bool %(const void *, ...)",
	"__CPROVER_w_ok":             "_Bool %(const void *, ...)",
	"__CPROVER_rw_ok":            "_Bool %(const void *, ...)",
	"__CPROVER_OBJECT_SIZE":      "__SIZE_TYPE__ %(const void *)",
	"__CPROVER_POINTER_OFFSET":   "__SIZE_TYPE__ %(const void *)",
	"__CPROVER_POINTER_OBJECT":   "__SIZE_TYPE__ %(const void *)",
	"__CPROVER_DYNAMIC_OBJECT":   "_Bool %(const void *)",
	"__CPROVER_is_invalid_ptr":   "_Bool %(const void *)",
	"__CPROVER_same_object":      "_Bool %(const void *, const void *)",
	"__CPROVER_havoc_object":     "void %(void *)",
	"__CPROVER_havoc_slice":      "void %(void *, __SIZE_TYPE__)",
	"__CPROVER_array_copy":       "void %(const void *, const void *)",
	"__CPROVER_array_replace":    "void %(const void *, const void *)",
	"__CPROVER_array_equal":      "_Bool %(const void *, const void *)",
	"__CPROVER_cover":            "void %(_Bool)",
	"__CPROVER_allocate":         "void *%(__SIZE_TYPE__, _Bool)",
	"__CPROVER_atomic_begin":     "void %(void)",
	"__CPROVER_atomic_end":       "void %(void)",
	"__CPROVER_printf":           "void %(const char *, ...)",
	"__CPROVER_input":            "void %(const char *, ...)",
	"__CPROVER_output":           "void %(const char *, ...)",
	"klee_make_symbolic":         "void %(void *, __SIZE_TYPE__, const char *)",
	"klee_assume":                "void %(__UINTPTR_TYPE__)",
	"klee_int":                   "int %(const char *)",
	"klee_range":                 "int %(int, int, const char *)",
	"__llbmc_assume":             "void %(int)",
	"__llbmc_assert":             "void %(int)",
	"firmproof_assume":           "void %(_Bool)",
	"firmproof_assert":           "void %(_Bool, const char *)",
	"firmproof_havoc":            "void %(void *, __SIZE_TYPE__)",
	"__CPROVER_unreachable":      "_Noreturn void %(void)",
	"__CPROVER_pointer_in_range": "_Bool %(const void *, const void *, const void *)",
}

var nondetPrefixes = []string{
	"__VERIFIER_nondet_", "firmproof_nondet_", "__llbmc_nondef_", "__llbmc_nondet_", "__CPROVER_nondet_", "__nondet_",
	"nondet_",
}

// prototype returns the declaration of an intrinsic that was called undeclared. C
// would make it return int, which truncates what it stands for.
func prototype(name string) (string, bool) {
	if m, ok := shimMacros[name]; ok {
		return m, true
	}
	if d, ok := processorIntrinsic(name); ok {
		return d, true
	}
	if p, ok := shimPrototypes[name]; ok {
		return strings.Replace(p, "%", name, 1) + ";", true
	}
	for _, pre := range nondetPrefixes {
		ty, ok := strings.CutPrefix(name, pre)
		if !ok {
			continue
		}
		c, ok := nondetTypes[ty]
		if !ok {
			c, ok = nondetTypes[strings.TrimSuffix(ty, "_t")]
		}
		return c + " " + name + "(void);", ok
	}
	return "", false
}

// cproverTypes declares what CBMC's C has and clang's has not. For clauses of contracts
// see package contract.
const cproverTypes = `typedef __SIZE_TYPE__ __CPROVER_size_t;
typedef __PTRDIFF_TYPE__ __CPROVER_ssize_t;
typedef _Bool __CPROVER_bool;
#define __CPROVER_overflow_plus(a, b) ({ __typeof__((a) + (b)) r_; __builtin_add_overflow((a), (b), &r_); })
#define __CPROVER_overflow_minus(a, b) ({ __typeof__((a) - (b)) r_; __builtin_sub_overflow((a), (b), &r_); })
#define __CPROVER_overflow_mult(a, b) ({ __typeof__((a) * (b)) r_; __builtin_mul_overflow((a), (b), &r_); })
`

// shimMacros are intrinsics whose meaning hangs on the types of their arguments.
var shimMacros = map[string]string{
	"__CPROVER_array_set": `__SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *);
#define __CPROVER_array_set(a, v) ({ __typeof__(&*(a)) p_ = (a); for (__SIZE_TYPE__ i_ = 0; i_ < __CPROVER_OBJECT_SIZE(p_) / sizeof *p_; i_++) p_[i_] = (v); })`,
}

// shimText returns the header for the undeclared functions of a unit; needed says
// whether it holds anything. Names that are no intrinsics stay out.
func shimText(implicit []string, cprover bool) (text string, needed bool) {
	var b strings.Builder
	if cprover {
		b.WriteString(cproverTypes)
	}
	names := append([]string(nil), implicit...)
	sort.Strings(names)
	for _, n := range names {
		if p, ok := prototype(n); ok {
			b.WriteString(p + "\n")
		}
	}
	return b.String(), b.Len() > 0
}
