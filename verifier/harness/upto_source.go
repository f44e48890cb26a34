package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// upTo declares the arguments that lead into the block of g.
func (w *harnessText) upTo(g *upTo) {
	end := w.h.vars[g.end]
	block, count := w.ended(end.Name, w.h.elementOf(g.parts[0]), g.last)
	var starts []string
	for i, p := range g.parts {
		v, to := w.h.vars[p.arg], block
		w.done[v.Name] = true
		if len(g.parts) > 1 {
			to, starts = w.somewhere(block, count, i, starts)
		}
		if p.inner {
			held := fmt.Sprintf("%s_at%d", block, i)
			w.line("%s = (void *)(%s);", declaration(v.T.Elem, held), to)
			to = "&" + held
		}
		w.line("%s = (void *)(%s);", declaration(v.T, v.Name), to)
	}
	w.oneStarts(starts)
	w.done[end.Name] = true
	if g.last {
		count += " - 1"
	}
	w.line("%s = (void *)(%s + %s);", declaration(end.T, end.Name), block, count)
}

// ended declares a block of elements that pointers lead into, one of them to its end, or last: to its last one, and how many
// there are.
func (w *harnessText) ended(end string, elem *ir.DType, last bool) (block, count string) {
	w.blocks++
	block, count = fmt.Sprintf("block%d", w.blocks), fmt.Sprintf("count%d", w.blocks)
	most := policy.HarnessCount
	if needsFill(elem, 0) {
		most = policy.HarnessFilled
	}
	to := "end"
	if last {
		to = "last element"
	}
	w.line("/* pointers into one block of at most %d elements, %s to its %s */", most, end, to)
	w.sizeWithin(count, fmt.Sprintf("<= %d", most))
	if last {
		w.line("firmproof_assume(%s > 0);", count)
	}
	t := strings.TrimPrefix(elem.Name, "const ")
	if ir.IsVoid(elem) {
		t = "char"
	}
	w.block(t+" *"+block, block, count+" * sizeof *"+block)
	if needsFill(elem, 0) {
		w.each(block, count, elem, 1)
	}
	return block, count
}

// sizeWithin declares a number that keeps to a bound, such as `<= 64`.
func (w *harnessText) sizeWithin(name, bound string) {
	w.any("size_t "+name, name)
	w.line("firmproof_assume(%s %s);", name, bound)
}

// somewhere returns an address anywhere in a block, and adds that it is its start.
func (w *harnessText) somewhere(block, count string, i int, starts []string) (to string, all []string) {
	at := fmt.Sprintf("%s_%d", count, i)
	w.sizeWithin(at, "<= "+count)
	return block + " + " + at, append(starts, at+" == 0")
}

// oneStarts has one of several pointers lead to the start of their block.
func (w *harnessText) oneStarts(starts []string) {
	if len(starts) > 0 {
		w.line("firmproof_assume(%s);", strings.Join(starts, " || "))
	}
}

// left declares an argument that leads to a pointer to as many elements as parameter n says.
func (w *harnessText) left(v *ir.Var, i, n int) {
	w.blocks++
	block := fmt.Sprintf("block%d", w.blocks)
	elem := w.h.elementOf(upToPart{i, true})
	w.pointer(&ir.Var{Name: block, T: v.T.Elem}, w.h.countedBy("*"+v.Name, elem, n, false, 0))
	w.line("%s = %s;", declaration(v.T.Elem, block+"_at"), block) // the function may move it on
	w.line("%s = &%s_at;", declaration(v.T, v.Name), block)
}
