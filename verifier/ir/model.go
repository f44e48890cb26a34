package ir

import "strings"

// Model names a function that the engines implement themselves. Its text is the
// canonical C or LLVM name; many names can map to one model (ModelOf).
type Model string

// The models. Argument lists are those of the C functions unless said.
const (
	ModelNone Model = ""

	// Harness intrinsics.
	ModelNondet       Model = "nondet"      // () any value of the return type
	ModelAssume       Model = "assume"      // (cond)
	ModelKept         Model = "kept"        // (cond) the same, but only where Semantics.KeepsRanges says so
	ModelAssert       Model = "assert"      // (cond[, message])
	ModelFail         Model = "fail"        // assertion failed: (…)
	ModelAssertFail   Model = "assert-fail" // C library's failed assert: argument order per Name
	ModelHavoc        Model = "havoc"       // (p, n) any bytes
	ModelHavocObj     Model = "havoc-object"
	ModelROK          Model = "r_ok" // (p, n) readable
	ModelWOK          Model = "w_ok"
	ModelRWOK         Model = "rw_ok"
	ModelObjectSize   Model = "object-size" // (p)
	ModelPtrOffset    Model = "ptr-offset"  // (p)
	ModelPtrObject    Model = "ptr-object"  // (p)
	ModelSameObject   Model = "same-object" // (p, q)
	ModelDynObject    Model = "dynamic-object"
	ModelMakeSymbolic Model = "make-symbolic"   // klee_make_symbolic(p, n, name)
	ModelNondetNonNeg Model = "nondet-nonneg"   // any value of the return type that is not negative: rand
	ModelRange        Model = "range"           // klee_range(begin, end, name): any value in [begin, end)
	ModelNop          Model = "nop"             // no effect, result unspecified
	ModelNow          Model = "now"             // () a token of the objects made so far
	ModelSince        Model = "since"           // (p, token) p points into a local or a heap block made after the token
	ModelAsFacts      Model = "as-facts"        // () 1 where assumed quantifiers are facts, 0 where they are loops
	ModelIndex        Model = "index"           // () the variable of a quantifier that is a fact
	ModelForAll       Model = "for-all"         // (cond) cond holds whatever the results of index before it are
	ModelTruth        Model = "firmproof.truth" // (x) 0 of 0, else any value but 0
	// any result; every writable object that a pointer argument leads to gets any value
	ModelStubHavoc Model = "stub-havoc"
	// (p[, n]) what p leads to gets any value from p on, at most n bytes of it, if it is a writable object
	ModelHavocRest Model = "havoc-rest"

	// C library.
	ModelExit     Model = "exit" // ends the program normally: exit, _Exit, abort
	ModelMalloc   Model = "malloc"
	ModelCalloc   Model = "calloc"
	ModelRealloc  Model = "realloc"
	ModelAligned  Model = "aligned_alloc"
	ModelMemalign Model = "posix_memalign"
	ModelAllocaC  Model = "alloca"
	ModelFree     Model = "free"
	ModelMemcpy   Model = "memcpy"
	ModelMemmove  Model = "memmove"
	ModelMemset   Model = "memset"
	ModelMemcmp   Model = "memcmp"
	ModelMemchr   Model = "memchr"
	ModelStrlen   Model = "strlen"
	ModelStrnlen  Model = "strnlen"
	ModelStrcpy   Model = "strcpy"
	ModelStrncpy  Model = "strncpy"
	ModelStrcat   Model = "strcat"
	ModelStrncat  Model = "strncat"
	ModelStrcmp   Model = "strcmp"
	ModelStrncmp  Model = "strncmp"
	ModelStrchr   Model = "strchr"
	ModelStrrchr  Model = "strrchr"
	ModelStrstr   Model = "strstr"
	ModelStrdup   Model = "strdup"
	ModelAbs      Model = "abs" // abs, labs, llabs
	ModelCtype    Model = "ctype"
	ModelPrintf   Model = "printf" // output only: result unspecified, at least -1

	// LLVM intrinsics; the width is that of the arguments.
	ModelLLVM Model = "llvm" // none of those below: Func.Name tells

	ModelSaddO         Model = "llvm.sadd.with.overflow"
	ModelUaddO         Model = "llvm.uadd.with.overflow"
	ModelSsubO         Model = "llvm.ssub.with.overflow"
	ModelUsubO         Model = "llvm.usub.with.overflow"
	ModelSmulO         Model = "llvm.smul.with.overflow"
	ModelUmulO         Model = "llvm.umul.with.overflow"
	ModelSaddSat       Model = "llvm.sadd.sat"
	ModelUaddSat       Model = "llvm.uadd.sat"
	ModelSsubSat       Model = "llvm.ssub.sat"
	ModelUsubSat       Model = "llvm.usub.sat"
	ModelSshlSat       Model = "llvm.sshl.sat"
	ModelUshlSat       Model = "llvm.ushl.sat"
	ModelCtpop         Model = "llvm.ctpop"
	ModelCtlz          Model = "llvm.ctlz"
	ModelCttz          Model = "llvm.cttz"
	ModelBswap         Model = "llvm.bswap"
	ModelBitrev        Model = "llvm.bitreverse"
	ModelFshl          Model = "llvm.fshl"
	ModelFshr          Model = "llvm.fshr"
	ModelAbsI          Model = "llvm.abs"
	ModelSmax          Model = "llvm.smax"
	ModelSmin          Model = "llvm.smin"
	ModelUmax          Model = "llvm.umax"
	ModelUmin          Model = "llvm.umin"
	ModelExpect        Model = "llvm.expect"
	ModelAssumeI       Model = "llvm.assume"
	ModelObjSizeI      Model = "llvm.objectsize"
	ModelLifetimeStart Model = "llvm.lifetime.start"
	ModelLifetimeEnd   Model = "llvm.lifetime.end"
	ModelStackSave     Model = "llvm.stacksave"
	ModelStackRestore  Model = "llvm.stackrestore"
	ModelTrapI         Model = "llvm.trap"
	ModelVaStart       Model = "llvm.va_start"
	ModelVaEnd         Model = "llvm.va_end"
	ModelVaCopy        Model = "llvm.va_copy"
	ModelIsConst       Model = "llvm.is.constant"
	ModelFabs          Model = "llvm.fabs"
	ModelFma           Model = "llvm.fma"
	ModelMulAdd        Model = "llvm.fmuladd" // a*b+c, rounded once or twice
	ModelSqrt          Model = "llvm.sqrt"
	ModelFloor         Model = "llvm.floor"
	ModelCeil          Model = "llvm.ceil"
	ModelTruncF        Model = "llvm.trunc"
	ModelRoundF        Model = "llvm.round"
	ModelRint          Model = "llvm.rint" // also nearbyint
	ModelFmod          Model = "fmod"      // the remainder of a truncated division
	ModelCopysign      Model = "llvm.copysign"
	ModelMinnum        Model = "llvm.minnum"
	ModelMaxnum        Model = "llvm.maxnum"
	ModelReduce        Model = "llvm.vector.reduce" // Func.Name tells the operation: ReduceOp
)

// exact maps a C function's name to its model.
var exactModels = map[string]Model{
	"firmproof_assume": ModelAssume, "__VERIFIER_assume": ModelAssume, "__CPROVER_assume": ModelAssume,
	"klee_assume":    ModelAssume,
	"__llbmc_assume": ModelAssume, "__ESBMC_assume": ModelAssume, "assume_abort_if_not": ModelAssume,
	"firmproof_assert": ModelAssert, "__VERIFIER_assert": ModelAssert, "__CPROVER_assert": ModelAssert,
	"__llbmc_assert": ModelAssert,
	"__ESBMC_assert": ModelAssert, "__CPROVER_precondition": ModelAssert, "__CPROVER_postcondition": ModelAssert,
	"assert":      ModelAssert,
	"reach_error": ModelFail, "__VERIFIER_error": ModelFail, "klee_report_error": ModelFail,
	"klee_abort": ModelFail, "__llbmc_error": ModelFail,
	"__assert_fail": ModelAssertFail, "__assert_func": ModelAssertFail, "__assert": ModelAssertFail,
	"_ZSt21__glibcxx_assert_failPKciS0_S0_": ModelAssertFail,
	"__assert_rtn":                          ModelAssertFail,
	"nondet":                                ModelNondet, "firmproof_havoc": ModelHavoc,
	"__CPROVER_havoc_slice":  ModelHavoc,
	"__CPROVER_havoc_object": ModelHavocObj,
	"klee_make_symbolic":     ModelMakeSymbolic, "klee_range": ModelRange, "klee_int": ModelNondet,
	"klee_silent_exit": ModelExit, "klee_prefer_cex": ModelNop, "klee_warning": ModelNop, "klee_warning_once": ModelNop,
	"__CPROVER_input": ModelNop, "__CPROVER_output": ModelNop, "__CPROVER_cover": ModelNop, "__CPROVER_fence": ModelNop,
	"__CPROVER_atomic_begin": ModelNop, "__CPROVER_atomic_end": ModelNop, "rand": ModelNondetNonNeg,
	"random": ModelNondetNonNeg,
	"srand":  ModelNop, "srandom": ModelNop,
	"__CPROVER_r_ok": ModelROK, "__CPROVER_w_ok": ModelWOK, "__CPROVER_rw_ok": ModelRWOK,
	"__CPROVER_OBJECT_SIZE": ModelObjectSize, "__CPROVER_POINTER_OFFSET": ModelPtrOffset,
	"__CPROVER_POINTER_OBJECT": ModelPtrObject,
	"__CPROVER_same_object":    ModelSameObject, "__CPROVER_DYNAMIC_OBJECT": ModelDynObject,
	"firmproof_contract_assert": ModelAssert, "firmproof_contract_assume": ModelAssume,
	"firmproof_contract_havoc": ModelHavoc,
	"firmproof_contract_r_ok":  ModelROK, "firmproof_contract_w_ok": ModelWOK,
	"firmproof_contract_same":   ModelSameObject,
	"firmproof_contract_offset": ModelPtrOffset, "firmproof_contract_size": ModelObjectSize,
	"firmproof_contract_now": ModelNow, "firmproof_contract_since": ModelSince,
	"firmproof_contract_as_facts": ModelAsFacts, "firmproof_contract_index": ModelIndex,
	"firmproof_contract_for_all": ModelForAll,
	"exit":                       ModelExit, "_exit": ModelExit, "_Exit": ModelExit, "abort": ModelExit,
	"quick_exit": ModelExit,
	"malloc":     ModelMalloc, "calloc": ModelCalloc, "realloc": ModelRealloc, "aligned_alloc": ModelAligned,
	"memalign":       ModelAligned,
	"posix_memalign": ModelMemalign, "alloca": ModelAllocaC, "__builtin_alloca": ModelAllocaC, "free": ModelFree,
	"cfree":  ModelFree,
	"memcpy": ModelMemcpy, "memmove": ModelMemmove, "memset": ModelMemset, "memcmp": ModelMemcmp, "bcmp": ModelMemcmp,
	"memchr": ModelMemchr,
	"strlen": ModelStrlen, "strnlen": ModelStrnlen, "strcpy": ModelStrcpy, "strncpy": ModelStrncpy,
	"strcat": ModelStrcat, "strncat": ModelStrncat,
	"strcmp": ModelStrcmp, "strncmp": ModelStrncmp, "strchr": ModelStrchr, "strrchr": ModelStrrchr,
	"strstr": ModelStrstr, "strdup": ModelStrdup,
	"abs": ModelAbs, "labs": ModelAbs, "llabs": ModelAbs,
	"printf": ModelPrintf, "puts": ModelPrintf, "putchar": ModelPrintf, "fprintf": ModelPrintf, "perror": ModelPrintf,
	"fputs": ModelPrintf,
	"putc":  ModelPrintf, "fputc": ModelPrintf, "fflush": ModelPrintf, "vprintf": ModelPrintf, "vfprintf": ModelPrintf,
	"fwrite":       ModelPrintf,
	"__printf_chk": ModelPrintf, "__fprintf_chk": ModelPrintf,
	"isalpha": ModelCtype, "isdigit": ModelCtype, "isalnum": ModelCtype, "isspace": ModelCtype, "isupper": ModelCtype,
	"islower":  ModelCtype,
	"isxdigit": ModelCtype, "isprint": ModelCtype, "ispunct": ModelCtype, "iscntrl": ModelCtype, "isgraph": ModelCtype,
	"isblank": ModelCtype,
	"toupper": ModelCtype, "tolower": ModelCtype,
	"__VERIFIER_atomic_begin": ModelNop, "__VERIFIER_atomic_end": ModelNop,
	"fabs": ModelFabs, "fabsf": ModelFabs, "sqrt": ModelSqrt, "sqrtf": ModelSqrt, "floor": ModelFloor,
	"floorf": ModelFloor,
	"ceil":   ModelCeil, "ceilf": ModelCeil, "trunc": ModelTruncF, "truncf": ModelTruncF, "round": ModelRoundF,
	"roundf": ModelRoundF,
	"fmin":   ModelMinnum, "fminf": ModelMinnum, "fmax": ModelMaxnum, "fmaxf": ModelMaxnum, "rint": ModelRint,
	"rintf": ModelRint, "nearbyint": ModelRint, "nearbyintf": ModelRint, "fma": ModelFma, "fmod": ModelFmod,
	"fmodf": ModelFmod, "fmaf": ModelFma,
	"copysign": ModelCopysign, "copysignf": ModelCopysign,
}

// nondetPrefixes start the names of functions that return any value of their type.
var nondetPrefixes = []string{"firmproof_nondet_", "__VERIFIER_nondet_", "nondet_", "__llbmc_nondef_",
	"__CPROVER_nondet_", "__ESBMC_nondet_"}

var llvmModels = []Model{ModelSaddO, ModelUaddO, ModelSsubO, ModelUsubO, ModelSmulO, ModelUmulO, ModelSaddSat,
	ModelUaddSat, ModelSsubSat,
	ModelUsubSat, ModelSshlSat, ModelUshlSat, ModelCtpop, ModelCtlz, ModelCttz, ModelBswap, ModelBitrev, ModelFshl,
	ModelFshr, ModelAbsI,
	ModelSmax, ModelSmin, ModelUmax, ModelUmin, ModelExpect, ModelAssumeI, ModelObjSizeI, ModelLifetimeStart,
	ModelLifetimeEnd,
	ModelStackSave, ModelStackRestore, ModelTrapI, ModelVaStart, ModelVaEnd, ModelVaCopy, ModelIsConst, ModelFabs,
	ModelFma, ModelMulAdd, ModelSqrt,
	ModelFloor, ModelCeil, ModelTruncF, ModelRoundF, ModelRint, ModelCopysign, ModelMinnum, ModelMaxnum, ModelReduce}

var llvmPrefixes = []struct {
	prefix string
	model  Model
}{
	{"llvm.memcpy.", ModelMemcpy}, {"llvm.memmove.", ModelMemmove}, {"llvm.memset.", ModelMemset},
	{"llvm.fmuladd.", ModelMulAdd}, {"llvm.nearbyint.", ModelRint}, {"llvm.donothing", ModelNop},
	{"llvm.prefetch", ModelNop},
	{"llvm.invariant.", ModelNop}, {"llvm.sideeffect", ModelNop}, {"llvm.debugtrap", ModelNop},
	{"llvm.var.annotation", ModelNop},
}

// ModelOf returns the model of a body-less function by its name; ModelNone if there is none.
// LLVM intrinsics without a model are ModelLLVM.
func ModelOf(name string) Model {
	if m, ok := exactModels[name]; ok {
		return m
	}
	for _, p := range nondetPrefixes {
		if strings.HasPrefix(name, p) {
			return ModelNondet
		}
	}
	if strings.HasPrefix(name, string(ModelTruth)+".") {
		return ModelTruth
	}
	if strings.HasPrefix(name, "_Z") {
		return operatorModel(name)
	}
	if !strings.HasPrefix(name, "llvm.") {
		return ModelNone
	}
	for _, p := range llvmPrefixes {
		if strings.HasPrefix(name, p.prefix) {
			return p.model
		}
	}
	for _, m := range llvmModels {
		if name == string(m) || strings.HasPrefix(name, string(m)+".") {
			return m
		}
	}
	return ModelLLVM
}

// ReduceOp returns the operation of a vector reduction by the intrinsic's name:
// "add" of "llvm.vector.reduce.add.v4i32".
func ReduceOp(name string) string {
	op, _, _ := strings.Cut(strings.TrimPrefix(name, string(ModelReduce)+"."), ".")
	return op
}

// AssertedText returns the number of the argument in which a function that reports a failed assertion has the text of
// the assertion.
func AssertedText(name string) int {
	switch name {
	case "__assert_func", "__assert_rtn", "_ZSt21__glibcxx_assert_failPKciS0_S0_":
		return 3
	}
	return 0
}

// CalledName returns the name of the function that a call names; "" if it names none.
func (i *Instr) CalledName() string {
	if c, ok := i.Callee.(*Const); ok && c.Func != nil {
		return c.Func.Name
	}
	return ""
}

// CalledModel returns the model of a call, by the call itself or by the function that it names.
func (i *Instr) CalledModel() Model {
	if c, ok := i.Callee.(*Const); ok && c.Func != nil && i.Model == ModelNone {
		return c.Func.Model
	}
	return i.Model
}
