package encode

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Inputs returns what the environment decided in the model of ev, for the replay: the
// events that happen, in order, and the unknown bytes of the objects.
func (f *Formula) Inputs(ev *ilr.Evaluator) []input.Input {
	num := f.numbers(ev)
	mem := map[int]map[int64]byte{}
	names := map[int]string{}
	var out []input.Input
	for i := range f.Events {
		e := &f.Events[i]
		if !ev.Holds(e.Guard) {
			continue
		}
		in := input.Input{Kind: e.Kind, Instr: e.Instr, Name: e.Name, Pos: e.Pos}
		switch e.Kind {
		case input.Bytes:
			n, ok := num[e.Object]
			if !ok {
				continue
			}
			if mem[n] == nil {
				mem[n] = map[int64]byte{}
			}
			names[n] = e.Name
			f.bytesOf(ev, e, f.objs[e.Object], mem[n])
			continue
		case input.Base:
			n, ok := num[e.Object]
			if !ok {
				continue
			}
			in.Obj, in.Value = n, ev.Value(e.Value)
		case input.Havoc:
			in.Bytes = map[int64]byte{}
			f.blockBytes(ev, e.Block, in.Bytes)
		default:
			in.Value = ev.Value(e.Value)
		}
		out = append(out, in)
	}
	var objs []int
	for n := range mem {
		objs = append(objs, n)
	}
	sort.Ints(objs)
	for _, n := range objs {
		out = append(out, input.Input{Kind: input.Bytes, Obj: n, Bytes: mem[n], Name: names[n]})
	}
	return out
}

// numbers gives each object of the execution its number in interp: globals by
// their place in the module, then what came to life in order; functions and
// regions below zero.
func (f *Formula) numbers(ev *ilr.Evaluator) map[int]int {
	num := map[int]int{}
	globals := map[string]int{}
	for i, g := range f.m.Globals {
		globals[g.Name] = i
	}
	funcs := map[string]int{}
	for i, fn := range f.m.Funcs {
		funcs[fn.Name] = i
	}
	next := len(f.m.Globals)
	for _, o := range f.objs {
		switch o.Kind {
		case memory.ObjGlobal:
			num[o.ID] = globals[o.Name]
		case memory.ObjFunc:
			num[o.ID] = -1 - funcs[o.Name]
		case memory.ObjRegion:
			num[o.ID] = -1 - len(f.m.Funcs) - o.Region
		case memory.ObjStack, memory.ObjHeap:
			if ev.Holds(o.Born) {
				num[o.ID] = next
				next++
			}
		}
	}
	return num
}

// bytesOf adds what event e says about the bytes of its object.
func (f *Formula) bytesOf(ev *ilr.Evaluator, e *memory.Event, o *memory.Object, to map[int64]byte) {
	if e.Word == 0 {
		f.scalarBytes(e.Offset, ev.Value(e.Value), to)
		return
	}
	size := o.CSize
	if size < 0 {
		n, _ := ev.Value(o.Size).Uint64()
		size = int64(min(n, 1<<40))
	}
	f.arrayBytes(ev, e.Value, e.Word, size, to)
}

// blockBytes reads the bytes of a havocked block.
func (f *Formula) blockBytes(ev *ilr.Evaluator, b *memory.Base, to map[int64]byte) {
	b.Cells.Each(func(k int64, x *memory.Cell) {
		if k == x.Off {
			f.scalarBytes(x.Off, ev.Value(x.V.Term), to)
		}
	})
	if b.Array != nil {
		size := b.Object.CSize
		if size < 0 {
			size = 1 << 16
		}
		f.arrayBytes(ev, b.Array.Term, b.Array.Word, size, to)
	}
}

// scalarBytes splits v, stored at off, in the target's byte order.
func (f *Formula) scalarBytes(off int64, v bits.Vec, to map[int64]byte) {
	n := v.Width() / 8
	for i := 0; i < n; i++ {
		at := off + int64(i)
		if f.m.Layout.BigEndian {
			at = off + int64(n-1-i)
		}
		if b := byte(bits.Extract(v, 8*i+7, 8*i).Low64()); b != 0 {
			to[at] = b
		}
	}
}

// arrayBytes adds the elements of an array variable, up to size bytes.
func (f *Formula) arrayBytes(ev *ilr.Evaluator, t ilr.Term, word, size int64, to map[int64]byte) {
	a := ev.Array(t)
	if a == nil {
		return
	}
	if !a.Default.IsZero() {
		for i := int64(0); i < min(size, policy.DefaultBytes)/word; i++ {
			f.scalarBytes(i*word, a.Default, to)
		}
	}
	for i, v := range a.Elems {
		k, ok := i.Uint64()
		if !ok || k >= uint64(size/word) {
			continue
		}
		for b := int64(0); b < word; b++ {
			delete(to, int64(k)*word+b)
		}
		f.scalarBytes(int64(k)*word, v, to)
	}
}
