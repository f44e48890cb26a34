package harness

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/harness/uses"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// flexible is a structure that ends in an array of numbers without a length (C17 6.7.2.1p18), of which another member says
// how many there are: `struct msg { uint8_t type, len; uint8_t data[]; }`.
type flexible struct {
	count *ir.DField
	elem  int64 // bytes of an element
	start int64 // where they begin
	most  int64 // that count says
}

// flexibleOf returns the flexible structure that t is, nil if it is none. A member that the program itself stores may say
// how many elements are in use, and not how many there are.
func (h *harness) flexibleOf(t *ir.DType) *flexible {
	if !ir.IsStruct(t) || !uses.EndsOpen(t) {
		return nil
	}
	last := &t.Fields[len(t.Fields)-1]
	if !ir.IsNumber(last.T.Elem) {
		return nil
	}
	x := &flexible{elem: ir.SizeInC(last.T.Elem), start: last.BitOff / 8, most: h.limit(policy.HarnessCount, policy.WideCount)}
	for i := range t.Fields {
		f := &t.Fields[i]
		if !ir.IsNumber(f.T) || f.IsBits || !isLength(f.Name) {
			continue
		}
		if x.count != nil || h.p.storesNumber(t, f) || x.elem > 1 && saysBytes(f.Name) {
			return nil
		}
		x.count = f
	}
	if x.count == nil {
		return nil
	}
	x.most = fitting(x.most, x.count.T.Bits)
	return x
}

// flexible makes a block of a t with as many elements at its end as it says itself, for the pointer of a name.
func (h *harness) flexible(name string, t *ir.DType, x *flexible) ir.Value {
	member, width := name+"."+x.count.Name, ir.Int(x.count.T.Bits)
	number := h.any(member, width)
	n := h.Resize(number, h.Word())
	brings(h.note(member, verdict.Limit, verdict.Chosen, "%s", limitText(member, x.most, x.count.T.Signed)),
		h.Assume(h.Compare(ir.ULE, n, h.Int(h.Word(), x.most))))
	total := h.Binary(ir.OpAdd, h.Binary(ir.OpMul, n, h.Int(h.Word(), x.elem)), h.Int(h.Word(), max(x.start, ir.SizeInC(t))))
	block := h.blockOf(name, t, total)
	h.Store(number, h.Gep(block, x.count.BitOff/8, nil, 0), 1)
	return block
}

// note says how much a flexible structure that a pointer leads to holds.
func (x *flexible) note(name string, t *ir.DType) string {
	return fmt.Sprintf("%s leads to one %s with as many elements at its end as %s.%s says", name, t.Name, name, x.count.Name)
}

// flexible writes the same as C.
func (w *harnessText) flexible(v string, declared string, x *flexible, t *ir.DType) {
	last := t.Fields[len(t.Fields)-1].Name
	count := v + "_" + x.count.Name
	w.any(x.count.T.Name+" "+count, count)
	w.line("firmproof_assume(0 <= %s && %s <= %d);", count, count, x.most)
	w.block(declared, v, fmt.Sprintf("sizeof *%s + %s * sizeof %s->%s[0]", v, count, v, last))
	w.line("%s->%s = %s;", withoutConst(v, t), x.count.Name, count)
}
