package replay

import (
	"errors"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestKnownInputs: inputs of a violation find it again, unless one is the address of an object.
func TestKnownInputs(t *testing.T) {
	x := verdict.Input{Kind: "param", Width: 32, Value: "00000007"}
	base := verdict.Input{Kind: "base", Name: "g", Width: 64, Value: "0000000000001000"}
	for _, c := range []struct {
		name   string
		inputs []verdict.Input
		found  bool
	}{
		{"the inputs", []verdict.Input{x}, true},
		{"others", []verdict.Input{{Kind: "param", Width: 32, Value: "00000008"}}, false},
		{"with an address", []verdict.Input{x, base}, false},
	} {
		p := testprogram.Problem(testprogram.Compile(t, "int g; void f(int x) { CHECK(x != 7 || &g == 0); }", "-O0"),
			"f",
			verdict.Assert)
		p.Tried = [][]verdict.Input{c.inputs}
		a := problem.NewAnswers()
		err := KnownInputs{}.Run(testprogram.Within(t, time.Minute), p, a)
		if err != nil && !errors.Is(err, problem.ErrOpen) || (len(a.AllSettled()) == 1) != c.found {
			t.Errorf("%s: %v %+v", c.name, err, a.AllSettled())
		}
	}
}
