package seg

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// paperStrlen is the function of Ströder et al., section 1, called as in section 2.3 on a block of any size with
// the given byte at its end.
const paperStrlen = `
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare i8* @malloc(i64)
define i64 @strlen(i8* %str) {
entry:
  %c0 = load i8, i8* %str
  %c0zero = icmp eq i8 %c0, 0
  br i1 %c0zero, label %done, label %loop
loop:
  %olds = phi i8* [ %str, %entry ], [ %s, %loop ]
  %s = getelementptr inbounds i8, i8* %olds, i64 1
  %c = load i8, i8* %s
  %czero = icmp eq i8 %c, 0
  br i1 %czero, label %done, label %loop
done:
  %sfin = phi i8* [ %str, %entry ], [ %s, %loop ]
  %e = ptrtoint i8* %sfin to i64
  %b = ptrtoint i8* %str to i64
  %size = sub i64 %e, %b
  ret i64 %size
}
define i64 @main(i64 %n) {
entry:
  %ok = icmp sgt i64 %n, 0
  br i1 %ok, label %go, label %out
go:
  %p = call i8* @malloc(i64 %n)
  %last = sub nsw i64 %n, 1
  %end = getelementptr inbounds i8, i8* %p, i64 %last
  store i8 LAST, i8* %end
  %r = call i64 @strlen(i8* %p)
  ret i64 %r
out:
  ret i64 0
}
`

func paperGraph(t *testing.T, last string) *Graph {
	t.Helper()
	m, err := frontend.Parse("strlen.ll", []byte(strings.ReplaceAll(paperStrlen, "LAST", last)))
	if err != nil {
		t.Fatal(err)
	}
	g, err := Build(context.Background(), m, Options{Semantics: ir.Semantics{MallocNeverFails: true}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The merge of the loop's states (state L of the paper): equations about the
// pointer weaken to olds >= str, the terminator stays known, and with the byte just
// read not 0 the pointer is before the end (AP-25 item 5, AP-61).
func TestStrlenMerge(t *testing.T) {
	g := paperGraph(t, "0")
	if !g.Complete || !g.Defined() {
		t.Fatalf("complete %v, memory safe %v", g.Complete, g.Defined())
	}
	loop := g.cuts[len(g.cuts)-1]
	st := loop.st
	var ptr value
	for v, x := range st.top().vals {
		if in, ok := v.(*ir.Instr); ok && in.Op == ir.OpPhi {
			ptr = x
		}
	}
	if ptr.kind != ptrValue {
		t.Fatalf("the loop's pointer is %+v", ptr)
	}
	o := st.objs[ptr.obj]
	ladder := linear.NewLadder(100)
	defer ladder.Close()
	ask := &oracle{ctx: context.Background(), ladder: ladder}
	if !ask.proves(st.know, ptr.lin) || ask.provesEq(st.know, ptr.lin) {
		t.Error("olds >= str is lost, or olds = str was kept")
	}
	if !ask.proves(st.know, o.size.Sub(ptr.lin).AddInt(-2)) {
		t.Error("olds is not known to be before the end")
	}
	end := o.size.AddInt(-1)
	found := false
	for _, c := range o.cells {
		found = found || ask.provesEq(st.know, c.off.Sub(end)) && ask.provesEq(st.know, c.val.lin)
	}
	if !found {
		t.Errorf("the terminator is not known: %+v", o.cells)
	}
}

// With another byte at the end the walk may leave the block.
func TestStrlenWithoutTerminator(t *testing.T) {
	if g := paperGraph(t, "1"); g.Defined() {
		t.Error("memory safe without a terminator")
	}
}
