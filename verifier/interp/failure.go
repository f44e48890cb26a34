package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// named is an object in a message, by words of its own.
type named struct {
	o     *Object
	words string
}

// worded makes a message, in whose args an object stands for its description, and what the message names.
func (x *Machine) worded(kind verdict.FailureKind, format string, args []any) (string, *verdict.Failure) {
	why := &verdict.Failure{Kind: kind}
	words := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *Object:
			words[i] = x.describe(a)
			why.Of = append(why.Of, subjectOf(a))
		case named:
			words[i] = a.words
			why.Of = append(why.Of, subjectOf(a.o))
		default:
			words[i] = a
		}
	}
	if why.Kind == "" && why.Of == nil {
		why = nil
	}
	return fmt.Sprintf(format, words...), why
}

// subjectOf says what an object is to those who decide what a failure counts for.
func subjectOf(o *Object) verdict.Subject {
	switch {
	case o.Global != nil && o.Global.Extern:
		return verdict.Subject{Name: o.Global.Name, Maker: verdict.ByOthers}
	case o.Global != nil:
		return verdict.Subject{Name: o.Global.Name, Maker: verdict.ByProgram}
	case o.Func != nil && o.Func.Driven():
		return verdict.Subject{Name: o.Func.Name, Maker: verdict.ByHarness}
	case o.Func != nil && o.Func.IsDecl():
		return verdict.Subject{Name: o.Func.Name, Maker: verdict.ByOthers}
	case o.Func != nil:
		return verdict.Subject{Name: o.Func.Name, Maker: verdict.ByProgram}
	case o.Region != nil:
		return verdict.Subject{Name: o.Region.Name, Maker: verdict.ByMachine}
	case o.Kind == nullObject:
		return verdict.Subject{Maker: verdict.ByNobody}
	case o.HarnessPointer() != "":
		return verdict.Subject{Name: o.HarnessPointer(), Maker: verdict.ByHarness}
	case o.Kind == HeapObject:
		return verdict.Subject{Maker: verdict.ByHeap}
	case o.Variable != nil:
		return verdict.Subject{Name: o.Variable.Name, Maker: verdict.ByProgram}
	}
	return verdict.Subject{Maker: verdict.ByProgram}
}

// HarnessPointer returns the pointer of a generated harness that leads to o, which stands for what is there; else "".
func (o *Object) HarnessPointer() string {
	if o.further {
		return ir.FurtherArguments
	}
	if o.Kind == HeapObject && o.Born != nil {
		if name, made := strings.CutPrefix(o.Born.Name, ir.BehindPointer); made {
			return name
		}
	}
	return ""
}
