package ir

import "fmt"

// Op is the kind of an instruction.
type Op uint8

// The instruction kinds, in LangRef's order.
const (
	OpInvalid Op = iota

	OpRet         // Args: value, or none
	OpBr          // Targets[0]
	OpCondBr      // Args[0] i1; Targets then, else
	OpSwitch      // Args[0]; Targets default, cases...
	OpIndirectBr  // Args[0]; Targets
	OpUnreachable // LangRef: unreachable
	OpTrap        // Check fails when reached; nothing follows (terminator `unreachable` after it)

	OpAdd
	OpSub
	OpMul
	OpUdiv
	OpSdiv
	OpUrem
	OpSrem
	OpShl
	OpLshr
	OpAshr
	OpAnd
	OpOr
	OpXor

	OpFneg
	OpFadd
	OpFsub
	OpFmul
	OpFdiv
	OpFrem

	OpExtractElement // vector, index
	OpInsertElement  // vector, element, index
	OpShuffleVector  // v1, v2; Indices
	OpExtractValue   // aggregate; Indices
	OpInsertValue    // aggregate, element; Indices

	OpAlloca    // Access: element type; Args[0]: count
	OpLoad      // Args[0]: address
	OpStore     // Args: value, address
	OpFence     // no effect in a sequential program
	OpCmpXchg   // address, expected, new; T is {Access, i1}
	OpAtomicRMW // address, operand; RMW
	OpGep       // Args: base, indices...

	OpTrunc
	OpZext
	OpSext
	OpFpTrunc
	OpFpExt
	OpFpToUi
	OpFpToSi
	OpUiToFp
	OpSiToFp
	OpPtrToInt
	OpIntToPtr
	OpBitcast

	OpIcmp
	OpFcmp
	OpPhi
	OpSelect
	OpFreeze
	OpCall
	OpVaArg
	OpAsm
	OpUnsupported // What; reaching it makes the answer unknown
)

// Class groups ops that live in one file of each engine.
type Class uint8

// The classes.
const (
	ClassInvalid Class = iota
	ClassTerm
	ClassBinary
	ClassFloat
	ClassAggregate
	ClassMemory
	ClassConversion
	ClassOther
)

type opInfo struct {
	name  string
	class Class
}

var opTable = [...]opInfo{
	OpInvalid:        {"invalid", ClassInvalid},
	OpRet:            {"ret", ClassTerm},
	OpBr:             {"br", ClassTerm},
	OpCondBr:         {"condbr", ClassTerm},
	OpSwitch:         {"switch", ClassTerm},
	OpIndirectBr:     {"indirectbr", ClassTerm},
	OpUnreachable:    {"unreachable", ClassTerm},
	OpTrap:           {"trap", ClassOther},
	OpAdd:            {"add", ClassBinary},
	OpSub:            {"sub", ClassBinary},
	OpMul:            {"mul", ClassBinary},
	OpUdiv:           {"udiv", ClassBinary},
	OpSdiv:           {"sdiv", ClassBinary},
	OpUrem:           {"urem", ClassBinary},
	OpSrem:           {"srem", ClassBinary},
	OpShl:            {"shl", ClassBinary},
	OpLshr:           {"lshr", ClassBinary},
	OpAshr:           {"ashr", ClassBinary},
	OpAnd:            {"and", ClassBinary},
	OpOr:             {"or", ClassBinary},
	OpXor:            {"xor", ClassBinary},
	OpFneg:           {"fneg", ClassFloat},
	OpFadd:           {"fadd", ClassFloat},
	OpFsub:           {"fsub", ClassFloat},
	OpFmul:           {"fmul", ClassFloat},
	OpFdiv:           {"fdiv", ClassFloat},
	OpFrem:           {"frem", ClassFloat},
	OpExtractElement: {"extractelement", ClassAggregate},
	OpInsertElement:  {"insertelement", ClassAggregate},
	OpShuffleVector:  {"shufflevector", ClassAggregate},
	OpExtractValue:   {"extractvalue", ClassAggregate},
	OpInsertValue:    {"insertvalue", ClassAggregate},
	OpAlloca:         {"alloca", ClassMemory},
	OpLoad:           {"load", ClassMemory},
	OpStore:          {"store", ClassMemory},
	OpFence:          {"fence", ClassMemory},
	OpCmpXchg:        {"cmpxchg", ClassMemory},
	OpAtomicRMW:      {"atomicrmw", ClassMemory},
	OpGep:            {"gep", ClassMemory},
	OpTrunc:          {"trunc", ClassConversion},
	OpZext:           {"zext", ClassConversion},
	OpSext:           {"sext", ClassConversion},
	OpFpTrunc:        {"fptrunc", ClassConversion},
	OpFpExt:          {"fpext", ClassConversion},
	OpFpToUi:         {"fptoui", ClassConversion},
	OpFpToSi:         {"fptosi", ClassConversion},
	OpUiToFp:         {"uitofp", ClassConversion},
	OpSiToFp:         {"sitofp", ClassConversion},
	OpPtrToInt:       {"ptrtoint", ClassConversion},
	OpIntToPtr:       {"inttoptr", ClassConversion},
	OpBitcast:        {"bitcast", ClassConversion},
	OpIcmp:           {"icmp", ClassOther},
	OpFcmp:           {"fcmp", ClassOther},
	OpPhi:            {"phi", ClassOther},
	OpSelect:         {"select", ClassOther},
	OpFreeze:         {"freeze", ClassOther},
	OpCall:           {"call", ClassOther},
	OpVaArg:          {"va_arg", ClassOther},
	OpAsm:            {"asm", ClassOther},
	OpUnsupported:    {"unsupported", ClassOther},
}

// NumOps is one more than the largest Op.
const NumOps = int(OpUnsupported) + 1

func (o Op) String() string {
	if int(o) < len(opTable) {
		return opTable[o].name
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// Class returns the class of the op.
func (o Op) Class() Class { return opTable[o].class }

// IsTerm reports whether o ends a block.
func (o Op) IsTerm() bool { return opTable[o].class == ClassTerm }

// Pred is a comparison predicate.
type Pred uint8

// The predicates of icmp and fcmp (LangRef).
const (
	PredInvalid Pred = iota
	EQ
	NE
	UGT
	UGE
	ULT
	ULE
	SGT
	SGE
	SLT
	SLE
	FFalse
	FOEQ
	FOGT
	FOGE
	FOLT
	FOLE
	FONE
	FORD
	FUEQ
	FUGT
	FUGE
	FULT
	FULE
	FUNE
	FUNO
	FTrue
)

var predNames = [...]string{"invalid", "eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle",
	"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}

func (p Pred) String() string { return predNames[p] }

// Of a comparison of integers: the one that holds where it does not, and the one that says the same with its operands
// exchanged.
var (
	negated = map[Pred]Pred{EQ: NE, NE: EQ, ULT: UGE, UGE: ULT, ULE: UGT, UGT: ULE, SLT: SGE, SGE: SLT, SLE: SGT, SGT: SLE}
	swapped = map[Pred]Pred{EQ: EQ, NE: NE, ULT: UGT, UGE: ULE, ULE: UGE, UGT: ULT, SLT: SGT, SGE: SLE, SLE: SGE, SGT: SLT}
)

// Negated returns the comparison of integers that holds where p does not.
func (p Pred) Negated() Pred { return negated[p] }

// Swapped returns the comparison of integers that holds of y and x where p holds of x and y.
func (p Pred) Swapped() Pred { return swapped[p] }
