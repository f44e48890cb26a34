package ir_test

import (
	"bytes"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

const stored = `target datalayout = "e-m:e-p:32:32-i64:64-n32-S64"
target triple = "thumbv7m-none-eabi"
%node = type { i32, %node* }
@head = global %node { i32 7, %node* @tail }
@tail = internal constant %node { i32 8, %node* @head }
@wide = constant i128 -3
@text = constant [4 x i8] c"abc\00"
@jump = constant [2 x i32 (i32)*] [i32 (i32)* @main, i32 (i32)* @other]
define i32 @main(i32 %n) {
entry:
  %s = alloca i32, align 4
  store i32 %n, i32* %s, align 4
  %c = icmp slt i32 %n, 10
  br i1 %c, label %a, label %b
a:
  %r = call i32 @other(i32 -1)
  br label %b
b:
  %x = phi i32 [ 1, %entry ], [ %r, %a ]
  switch i32 %x, label %e [ i32 5, label %b2 ]
b2:
  %f = fadd double 1.5, 2.0
  ret i32 3
e:
  %sum = add nsw i32 %x, 7
  ret i32 %sum
}
define i32 @other(i32 %a) { ret i32 %a }
`

// TestCodec: a stored module reads back as it was, with shared parts shared again.
func TestCodec(t *testing.T) {
	m := parse(t, stored)
	var b, again bytes.Buffer
	if err := m.Encode(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ir.Decode(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != m.String() {
		t.Errorf("got %s\nwant %s", got, m)
	}
	if err := got.Encode(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("another form the second time: %v", err)
	}
	main := got.Func("main")
	if phi := main.Blocks[2].Instrs[0]; phi.Incoming[0] != main.Blocks[0] ||
		phi.Args[1] != ir.Value(main.Blocks[1].Instrs[0]) || phi.Block.Func != main {
		t.Error("references lead to copies")
	}
	if got.Globals[0].Init.Elems[1].Global != got.Globals[1] {
		t.Error("a global was copied")
	}
}

// TestDecodeHostile: bytes of anyone's making are an error or a module, never a panic.
func TestDecodeHostile(t *testing.T) {
	var b bytes.Buffer
	if err := parse(t, stored).Encode(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	for n := range whole {
		if _, err := ir.Decode(whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", n, len(whole))
		}
	}
	refused := 0
	for i := range whole {
		for _, x := range []byte{0x01, 0x80, 0xff} {
			bad := bytes.Clone(whole)
			bad[i] ^= x
			if _, err := ir.Decode(bad); err != nil {
				refused++
			}
		}
	}
	if refused < len(whole)/4 {
		t.Errorf("only %d of %d changes are refused", refused, 3*len(whole))
	}
}
