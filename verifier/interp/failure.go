package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// named is an object in a message, by words of its own.
type named struct {
	o     *object
	words string
}

// worded makes a message, in whose args an object stands for its description, and what the message names.
func (x *Machine) worded(kind verdict.FailureKind, format string, args []any) (string, *verdict.Failure) {
	why := &verdict.Failure{Kind: kind}
	words := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *object:
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
func subjectOf(o *object) verdict.Subject {
	switch {
	case o.global != nil && o.global.Extern:
		return verdict.Subject{Name: o.global.Name, Maker: verdict.ByOthers}
	case o.global != nil:
		return verdict.Subject{Name: o.global.Name, Maker: verdict.ByProgram}
	case o.fn != nil && o.fn.Driven():
		return verdict.Subject{Name: o.fn.Name, Maker: verdict.ByHarness}
	case o.fn != nil && o.fn.IsDecl():
		return verdict.Subject{Name: o.fn.Name, Maker: verdict.ByOthers}
	case o.fn != nil:
		return verdict.Subject{Name: o.fn.Name, Maker: verdict.ByProgram}
	case o.region != nil:
		return verdict.Subject{Name: o.region.Name, Maker: verdict.ByMachine}
	case o.kind == nullObject:
		return verdict.Subject{Maker: verdict.ByNobody}
	case o.pointer() != "":
		return verdict.Subject{Name: o.pointer(), Maker: verdict.ByHarness}
	case o.kind == heapObject:
		return verdict.Subject{Maker: verdict.ByHeap}
	case o.variable != nil:
		return verdict.Subject{Name: o.variable.Name, Maker: verdict.ByProgram}
	}
	return verdict.Subject{Maker: verdict.ByProgram}
}

// pointer returns the pointer of a generated harness that leads to o, which stands for what is there; else "".
func (o *object) pointer() string {
	if o.kind == heapObject && o.born != nil {
		if name, made := strings.CutPrefix(o.born.Name, ir.BehindPointer); made {
			return name
		}
	}
	return ""
}
