package seg

import (
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A write at an address stays in a volatile region only if both bounds of the address, with the bytes, lie there.
func TestInRegion(t *testing.T) {
	b := testBuilder(t)
	b.opts.Regions = []ir.Region{{Name: "io", Base: 0x1000, Size: 0x100, Access: ir.AccessVolatile},
		{Name: "key", Base: 0x3000, Size: 0x100, Access: ir.AccessVolatile, NoRead: true},
		{Name: "ram", Base: 0x2000, Size: 0x100, Access: ir.AccessReadWrite}}
	for _, c := range []struct {
		lo, hi int64 // -1: no bound
		want   bool
	}{{0x1000, 0x10fc, true}, {0x1000, 0x10fd, false}, {0xfff, 0x1000, false}, {0x1000, -1, false}, {-1, 0x1000, false},
		{-1, -1, false}, {0x2000, 0x2000, false}, {0x3000, 0x3000, false}} {
		s := emptyState()
		v := b.newVar("a")
		if c.lo >= 0 {
			s.know.lower(v, exact.I(c.lo))
		}
		if c.hi >= 0 {
			s.know.upper(v, exact.I(c.hi))
		}
		if got := b.inRegion(s, number(exact.V(v), unsigned), 4); got != c.want {
			t.Errorf("4 bytes in [%#x, %#x]: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
	if b.inRegion(emptyState(), value{kind: ptrValue, lin: exact.C(0x1000)}, 4) {
		t.Error("a pointer into an object is in a region")
	}
}

// A trap of a check of overflow is one, those of other checks are not.
func TestOverflowTrap(t *testing.T) {
	for check, want := range map[verdict.Check]bool{verdict.SignedOverflow: true, verdict.Shift: true,
		verdict.DivByZero: false, verdict.Memory: false} {
		blk := &ir.Block{Instrs: []*ir.Instr{{Op: ir.OpTrap, Check: check}}}
		if got := overflowTrap(blk); got != want {
			t.Errorf("%s: %v, want %v", check, got, want)
		}
	}
	if overflowTrap(&ir.Block{Instrs: []*ir.Instr{{Op: ir.OpBr, Check: verdict.Shift}}}) {
		t.Error("a jump is a trap")
	}
}

// Numbers that are only compared and divided as unsigned ones are read so; a signed use wins.
func TestReadings(t *testing.T) {
	for use, want := range map[string]rep{"icmp ult i32 %x, 9": unsigned, "icmp uge i32 %x, %b": unsigned,
		"udiv i32 %x, 3": unsigned, "lshr i32 %x, 3": unsigned, "zext i32 %x to i64": unsigned,
		"icmp slt i32 %x, 9": signed, "sdiv i32 %x, 3": signed, "sext i32 %x to i64": signed,
		"add nsw i32 %x, 1": signed, "icmp eq i32 %x, 9": anyRep, "add i32 %x, 1": anyRep,
		"icmp ult i32 %x, 9\n %t = icmp sgt i32 %x, 2": signed} {
		m, err := frontend.Parse("t.ll", []byte("target triple = \"x86_64-unknown-linux-gnu\"\n"+
			"define void @main(i32 %a, i32 %b) {\n %x = xor i32 %a, %b\n %u = "+use+"\n ret void\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		b := testBuilder(t)
		b.m, b.facts = m, map[*ir.Func]*funcFacts{}
		if got := b.class(m.Func("main").Blocks[0].Instrs[0]); got != want {
			t.Errorf("%s: %v, want %v", use, got, want)
		}
	}
}

// Bounds widen to the constants that a program compares with, to their neighbours, and to those around 0.
func TestThresholds(t *testing.T) {
	m := compile(t, `int main(void) { int x = nondet_int(); return x == 10 || x < 11 || x > 70; }`)
	got := thresholdsOf(m)
	if !slices.IsSortedFunc(got, exact.Int.Cmp) {
		t.Errorf("not sorted: %v", got)
	}
	for c, want := range map[int64]int{-1: 1, 0: 1, 1: 1, 8: 0, 9: 1, 10: 1, 11: 1, 12: 1, 69: 1, 70: 1, 71: 1} {
		n := 0
		for _, v := range got {
			if v.Equal(exact.I(c)) {
				n++
			}
		}
		if n != want {
			t.Errorf("%d is there %d times, want %d", c, n, want)
		}
	}
}

// A new object is none that a pointer of a register or of memory led to and that is gone.
func TestNewObjectIsNew(t *testing.T) {
	for _, inMemory := range []bool{false, true} {
		b, s := testBuilder(t), emptyState()
		gone := b.newObject(s, "block", "block", exact.C(8))
		v := value{kind: ptrValue, obj: gone.id}
		if inMemory {
			node(b, s, v)
		} else {
			s.top().vals[&ir.Param{Name: "p", T: ir.Ptr(64)}] = v
		}
		s.drop(gone.id)
		if b.newObject(s, "block", "block", exact.C(8)).id == gone.id {
			t.Errorf("in memory %v: the new block is where a pointer to the old one leads", inMemory)
		}
	}
}

// An address behind a list without blocks is as far behind the list's end.
func TestUnfoldKeepsOffset(t *testing.T) {
	b, s := testBuilder(t), emptyState()
	first := node(b, s, null())
	ch, _ := b.follow(s, first, 8, never)
	id := b.fold(s, ch).obj
	s.object(id).list.length = exact.Lin{}
	p := &ir.Param{Name: "p", T: ir.Ptr(64)}
	s.top().vals[p] = value{kind: ptrValue, obj: id, lin: exact.C(4)}
	for _, u := range b.unfold(s, id, false) {
		if v := u.top().vals[p]; v.kind != intValue || !v.lin.Equal(exact.C(4)) {
			t.Errorf("p = %+v, want 4 behind null", v)
		}
	}
}

// The numbers that a relevant one is made of are relevant, in whatever order the path states it.
func TestFlows(t *testing.T) {
	b := testBuilder(t)
	x, y, z, other := b.newVar("x"), b.newVar("y"), b.newVar("z"), b.newVar("other")
	from := &cutPoint{st: emptyState()}
	for n, v := range []exact.Var{x, y, z, other} {
		from.slots = append(from.slots, slot{key: string(rune('x' + n)), v: v})
	}
	e := &edge{from: from, st: emptyState()}
	e.st.know.eq(exact.V(x).Sub(exact.V(y)).AddInt(3))
	e.st.know.eq(exact.V(y).Sub(exact.V(z)).AddInt(5))
	out := map[string]bool{}
	if !(&Graph{b: b}).flows(e, exact.V(z), out) || !out["x"] || !out["y"] || !out["z"] || len(out) != 3 {
		t.Errorf("relevant: %v, want x, y, z", out)
	}
}

// A wrap-around that occurs in its two rows alone excludes nothing; one that a third row speaks of does.
func TestVacuous(t *testing.T) {
	b := testBuilder(t)
	x, k := b.newVar("x"), b.newVar("wrap")
	b.fits[k] = true
	g := &Graph{b: b}
	e := &edge{from: &cutPoint{st: emptyState()}, st: emptyState()}
	r := exact.V(x).Sub(exact.V(k).Scale(exact.I(256)))
	e.st.know.ge(r)
	e.st.know.ge(r.Neg().AddInt(255))
	if rows := e.st.know.rows; !g.vacuous(e, rows[0]) || !g.vacuous(e, rows[1]) {
		t.Error("the rows of a wrap-around exclude values")
	}
	e.st.know.ge(r.AddInt(-7).Scale(exact.I(2)).Sub(exact.V(x)))
	if g.vacuous(e, e.st.know.rows[0]) {
		t.Error("a row on the wrapped number excludes nothing")
	}
}

// Of the bytes that were written, those that a copy takes lie where the copy puts them.
func TestWrittenMoves(t *testing.T) {
	w := written{spans: []span{{2, 6}, {10, 12}}}
	for _, c := range []struct {
		from, to, n int64
		want        []span
	}{{0, 100, 20, []span{{102, 106}, {110, 112}}}, {4, 0, 7, []span{{0, 2}, {6, 7}}}, {6, 50, 4, nil}} {
		if got := w.moved(c.from, c.to, c.n).spans; !slices.Equal(got, c.want) {
			t.Errorf("%d bytes from %d at %d: %v, want %v", c.n, c.from, c.to, got, c.want)
		}
	}
	if got := (written{all: true}).moved(4, 8, 3).spans; !slices.Equal(got, []span{{8, 11}}) {
		t.Errorf("of all bytes: %v", got)
	}
}

// A register is a local if it is its address or a cast of it, and no address within it.
func TestNames(t *testing.T) {
	a := &ir.Instr{Op: ir.OpAlloca}
	cast := &ir.Instr{Op: ir.OpBitcast, Args: []ir.Value{a}}
	for v, want := range map[*ir.Instr]bool{a: true, cast: true, {Op: ir.OpBitcast, Args: []ir.Value{cast}}: true,
		{Op: ir.OpGep, Args: []ir.Value{a}}: false, {Op: ir.OpLoad, Args: []ir.Value{a}}: false} {
		if got := names(v); got != want {
			t.Errorf("%s: %v, want %v", v.Op, got, want)
		}
	}
	if names(&ir.Param{}) {
		t.Error("a parameter is a local")
	}
}
