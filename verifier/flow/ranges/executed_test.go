package ranges

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/flow/check"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// rangeWatch holds what a table says of numbers to those that a run has.
type rangeWatch struct {
	interp.Silent
	s             *Table
	x             *interp.Machine
	facts         []check.Fact // that package check accepts, of the table's and of narrower ones
	loads, states int
	wrong         string
}

// Load compares what is loaded with what the table says that a load from there gives.
func (k *rangeWatch) Load(in *ir.Instr, _ *interp.Object, _ int64, v interp.Value) {
	if !in.T.IsInt() || in.T.Width > 60 || !v.Defined() || v.Object != nil || k.wrong != "" {
		return
	}
	r, ok := k.s.loaded(in)
	if !ok {
		return
	}
	if p, placed := k.s.Of[in]; placed && k.s.At[p].Passed {
		r = r.join(k.s.At[p].passing)
	}
	k.loads++
	if n, _ := v.Bits.Uint64(); !r.has(in.T.Width, n) {
		k.wrong = fmt.Sprintf("line %d: a load gives %d, which is not in %+v", in.Pos.Line, n, r)
	}
}

// Enter looks at the variables of the program where a call begins.
func (k *rangeWatch) Enter(*interp.Frame) { k.state() }

// Leave likewise where it ends.
func (k *rangeWatch) Leave(*interp.Frame, interp.Value, bool) { k.state() }

func (k *rangeWatch) state() {
	for _, f := range k.facts {
		n := slices.Index(k.s.m.Globals, f.Global)
		if o := k.x.Objects[n]; o != nil && k.wrong == "" {
			k.within("accepted: "+f.Global.Name, o, f.Global.Var.T, 0, f.Rest[0], f.Rest[1])
		}
	}
	for n, g := range k.s.m.Globals {
		if o := k.x.Objects[n]; o != nil && g.Var != nil && k.wrong == "" {
			k.object(g, o, g.Var.T, 0)
		}
	}
}

// object compares the numbers of an object of type t, off bytes into o, with what the program keeps them in.
func (k *rangeWatch) object(g *ir.Global, o *interp.Object, t *ir.DType, off int64) {
	switch {
	case t.Kind == ir.DArray:
		for i := range t.Count {
			k.object(nil, o, t.Elem, off+i*ir.SizeInC(t.Elem))
		}
	case ir.IsStruct(t):
		for i := range t.Fields {
			f := &t.Fields[i]
			if at := off + f.BitOff/8; ir.IsNumber(f.T) && !f.IsBits {
				k.number(places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}, o, f.T, at)
			} else if f.T != nil && !f.IsBits {
				k.object(nil, o, f.T, at)
			}
		}
	case ir.IsNumber(t) && g != nil:
		k.number(places.Place{Global: g}, o, t, off)
	}
}

func (k *rangeWatch) number(p places.Place, o *interp.Object, t *ir.DType, off int64) {
	low, high, ok := k.s.Kept(p, t)
	if !ok {
		return
	}
	if p.Of != "" { // it may begin with zeros
		low, high = min(low, 0), max(high, 0)
	}
	k.within(o.Global.Name, o, t, off, low, high)
}

// within notes a number of type t off bytes into o that is not from low to high.
func (k *rangeWatch) within(name string, o *interp.Object, t *ir.DType, off, low, high int64) {
	v := k.x.GetBits(o, off, ir.SizeInC(t), t.Bits)
	n := v.Bits.Signed().Int64()
	if !t.Signed {
		u, _ := v.Bits.Uint64()
		n = int64(u)
	}
	if k.states++; v.Defined() && (n < low || n > high) {
		k.wrong = fmt.Sprintf("%s, line %d: %d in %s at %d, which is not in %d..%d", k.x.Frame.Func.Name,
			k.x.Instr.Pos.Line, n, name, off, low, high)
	}
}

// accepted returns those of the ranges of variables in a table, and of narrower ones, that package check accepts, how many
// of the table's own it refuses, and how many there are.
func accepted(s *Table) (out []check.Fact, refused, own int) {
	for _, g := range s.m.Globals {
		if g.Var == nil || !ir.IsNumber(g.Var.T) {
			continue
		}
		rest, ever, ok := s.Rest(places.Place{Global: g}, g.Var.T)
		if !ok {
			continue
		}
		own++
		low, high := rest.Low, rest.High
		for i, x := range [][2]int64{{low, high}, {low, high - 1}, {low + 1, high}, {low, low + (high-low)/2}} {
			f := check.Fact{Global: g, Bits: g.Var.T.Bits, Rest: x, Ever: [2]int64{ever.Low, ever.High}, Writer: s.Soles[g]}
			why := check.Refused(s.m, []check.Fact{f})[g]
			if why == "" {
				out = append(out, f)
			} else if i == 0 {
				refused++
			}
		}
	}
	return out, refused, own
}

// anyInputs gives small numbers often, and memory any bytes.
type anyInputs struct {
	input.Zeros
	r *rand.Rand
}

func (s anyInputs) Next(kind input.Kind, _ *ir.Instr, w int) (bits.Vec, bool) {
	switch {
	case kind == input.MallocOK:
		return bits.New(w, 1), true
	case s.r.Intn(3) == 0:
		return bits.New(w, s.r.Uint64()), true
	}
	return bits.New(w, uint64(s.r.Intn(40)-4)), true
}

func (s anyInputs) ObjectBytes(int, *ir.Instr) func(int64) byte {
	return func(off int64) byte { return byte(off*37 + 11) }
}

// Each number that runs of generated programs load, and hold where calls begin and end, is in the range that their stores
// are said to keep to. As in make soundness, FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the first seed.
func TestExecutedNumbersAreInRanges(t *testing.T) {
	seed, count, until := int64(1), testprogram.Sample(400, 50), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	loads, states, ranged, refused, own := 0, 0, 0, 0, 0
	ends := map[interp.Kind]int{}
	for n := seed; n < seed+int64(count) && (until.IsZero() || time.Now().Before(until)); n++ {
		src := (&memberWriter{r: rand.New(rand.NewSource(n)), n: int(n)}).program()
		path := filepath.Join(t.TempDir(), "main.c")
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		target := []string{"x86_64", "armeb", "msp430"}[n%3]
		m := testprogram.File(t, path, target, []string{"-O0", "-O0", "-O1"}[n/3%3])
		k := &rangeWatch{s: Of(m, false)}
		facts, no, all := accepted(k.s)
		k.facts, refused, own = facts, refused+no, own+all
		for run := range int64(6) {
			out, err := interp.Run(context.Background(), m, interp.Options{MaxSteps: 20000, EveryTurn: true, Checks: verdict.CheckSet{verdict.Memory: true, verdict.Uninitialised: true},
				Observe: []interp.Observe{func(x *interp.Machine) interp.Observer { k.x = x; return k }}},
				anyInputs{r: rand.New(rand.NewSource(n*100 + run))})
			if err != nil {
				t.Fatal(err)
			}
			ends[out.Kind]++
		}
		if loads, states = loads+k.loads, states+k.states; k.states > 0 {
			ranged++
		}
		if k.wrong != "" {
			t.Errorf("seed %d, %s: %s\n%s", n, target, k.wrong, src)
		}
	}
	t.Logf("%d loads and %d numbers in %d programs with ranges are compared; runs end as %v", loads, states, ranged, ends)
	t.Logf("%d of %d ranges of variables are refused", refused, own)
	if loads < 1000 || states < 1000 {
		t.Errorf("only %d loads and %d numbers are compared", loads, states)
	}
}
