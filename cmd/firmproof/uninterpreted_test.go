package main

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// hashed declares functions that CBMC takes for mathematical ones, as headers and sources of one proof do: with
// parameters that are constant in one place only.
const hashed = "#define hash __CPROVER_uninterpreted_hash\n#define other __CPROVER_uninterpreted_other\n" +
	"#define less __CPROVER_uninterpreted_less\n#define level __CPROVER_uninterpreted_level\n" +
	"unsigned long hash(void *);\nunsigned long other(const void *p);\n" +
	"static unsigned long early(void *p) { return hash(p); }\nunsigned long hash(const void *const p);\n" +
	"_Bool less(int a, int);\nint level(void);\nunsigned long again(const void *);\nvoid __CPROVER_assume(_Bool);\n"

// hashSource calls some of them from another file.
const hashSource = "unsigned long __CPROVER_uninterpreted_hash(const void *);\n" +
	"int __CPROVER_uninterpreted_level(void);\n" +
	"unsigned long again(const void *p) { return __CPROVER_uninterpreted_hash(p); }\n" +
	"int note(unsigned n) { return n + __CPROVER_uninterpreted_level() - __CPROVER_uninterpreted_level(); }\n"

// says is a harness that asserts cond behind other statements.
func says(statements, cond string) string {
	return hashed + "void harness(void) { " + statements + " __CPROVER_assert(" + cond + ", \"said\"); }\n"
}

// noted is a harness of the contract of note, which writes nothing of the program's.
func noted(ensures string) string {
	return hashed + "int note(unsigned n) __CPROVER_assigns() __CPROVER_ensures(__CPROVER_return_value == " + ensures +
		");\nvoid harness(void) { unsigned n; note(n); }\n"
}

// askedAgain is a harness that asks for n arguments and for the first one again.
func askedAgain(n string) string {
	return says("_Bool first = less(0, 0); for (int i = 0; i < "+n+"; i++) less(i, 0);", "first == less(0, 0)")
}

const (
	heldNote  = "CHECK_FUNCTION_CONTRACTS = note\n"
	anyStatic = "NONDET_STATIC = --nondet-static\n"
)

// uninterpretedCases: the same arguments have the same result and nothing else is known.
var uninterpretedCases = []contractCase{
	{"same", "", says("void *p, *q;", "p != q || hash(p) == again(q)"), hashSource, verdict.Proved, ""},
	{"same_by_another_type", "", says("int x;", "early(&x) == hash(&x)"), hashSource, verdict.Proved, ""},
	{"other_argument_by_another_type", "", says("int x, y;", "early(&x) == hash(&y)"), hashSource, verdict.Violated,
		"said"},
	{"other_argument", "", says("int x, y;", "hash(&x) == again(&y)"), hashSource, verdict.Violated, "said"},
	{"other_function", "", says("int x;", "other(&x) == again(&x)"), hashSource, verdict.Violated, "said"},
	{"other_order", "", says("int a, b;", "less(a, b) == less(b, a)"), hashSource, verdict.Violated, "said"},
	{"one_argument_of_two", "", says("int a, b, c;", "less(a, b) == less(a, c)"), hashSource, verdict.Violated, "said"},
	{"truth", "", says("int a, b; _Bool t = less(a, b);", "*(unsigned char *)&t <= 1"), hashSource, verdict.Proved, ""},
	{"any_result", "", says("", "level() != 7"), hashSource, verdict.Violated, "said"},
	{"assumed", "", says("int a, b; __CPROVER_assume(less(a, b));", "a != 3 || b != 4 || less(3, 4)"), hashSource,
		verdict.Proved, ""},
	{"in_a_frame", heldNote, noted("n"), hashSource, verdict.Proved, ""},
	{"in_a_frame_that_says_more", heldNote, noted("n + 1"), hashSource, verdict.Violated, "ensures clause of note"},
	{"statics_of_any_value", anyStatic + heldNote, noted("n"), hashSource, verdict.Proved, ""},
	{"statics_of_the_program", anyStatic, says("extern int count;", "count == 0") + "int count;\n", hashSource,
		verdict.Violated, "said"},
	{"many_values", "", askedAgain("64"), hashSource, verdict.Proved, ""},
	{"too_many_values", "", askedAgain("65"), hashSource, verdict.Unknown, ""},
}

// TestUninterpreted holds functions that CBMC takes for mathematical ones to that.
func TestUninterpreted(t *testing.T) { holdContracts(t, uninterpretedCases) }
