// Package weave puts into a program what is not in its text, before any engine looks
// at it, so that all engines see one program:
//
//	Startup      constructors, the entry, destructors            startup.go
//	Arguments    what main gets from its environment             arguments.go
//	Stubs        functions replaced by what the user says        stub.go
//	OutsideOf    functions without a body that do anything       outside.go
//	Assigns      checks of the assigns clauses of contracts      assigns*.go
//	FewValues    an input that is one of few values              cases.go
//	Convert, EnumConversions, NondetStatic, AnyAlignment
//	                                             the meaning of CBMC convert.go, enum.go, stub.go, alignment.go
//
// Startup, Arguments and OutsideOf give a new module and leave the old one alone. The others
// change their module: call them before it is shared. All write their instructions
// with one builder (irbuild), as do packages harness, interrupt and pair.
package weave
