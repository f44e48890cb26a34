package pair

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// pieceOf copies a piece of a version: the blocks from one on, up to paired headers. Short loops, which are not paired,
// are copied once for each turn. The last copy turns for the rest, and is asserted never to be entered.
type pieceOf struct {
	*turning
	side     int
	from     *ir.Block
	list     []copyOf // in the order of copying
	blocks   map[copyOf]*ir.Block
	values   map[valueOf]ir.Value
	arrivals map[int]*ir.Block // where the piece ends, by what it comes to
	copies   []copied
}

// copyOf names the copy of a block for a turn of the short loop that it is in; 0 where it is in none.
type copyOf struct {
	block *ir.Block
	turn  int
}

// valueOf names the copy of a value.
type valueOf struct {
	value ir.Value
	turn  int
}

// copied is a copy that has the operands of the original still.
type copied struct {
	in *ir.Instr
	of copyOf
}

// write appends the copies, and jumps to the first from the block at hand.
func (c *pieceOf) write() {
	c.Jump(c.block(copyOf{c.from, 0}))
	for i := 0; i < len(c.list); i++ {
		of := c.list[i]
		c.At(c.blocks[of])
		if l := c.shortLoop(of.block); l != nil && l.Header == of.block && of.turn == c.short[c.side][l] {
			c.claim(FactTurn, c.now.CName, c.Int(ir.Int(1), 0))
		}
		for _, in := range of.block.Instrs {
			if in.Op != ir.OpAlloca {
				c.instr(in, of)
			}
		}
	}
	for _, x := range c.copies {
		for i, a := range x.in.Args {
			x.in.Args[i] = c.value(a, x.of.turn)
		}
		if x.in.Callee != nil {
			x.in.Callee = c.value(x.in.Callee, x.of.turn)
		}
		if x.in.Op == ir.OpPhi {
			c.phi(x.in, x.of)
		}
	}
}

// block is the copy of a block.
func (c *pieceOf) block(of copyOf) *ir.Block {
	if c.blocks[of] == nil {
		c.blocks[of] = c.NewBlock(of.block.Name)
		c.list = append(c.list, of)
	}
	return c.blocks[of]
}

// after names the copy of a block that the end of a copy leads to.
func (c *pieceOf) after(of copyOf, to *ir.Block) copyOf {
	l := c.shortLoop(to)
	switch {
	case l == nil:
		return copyOf{to, 0}
	case l != c.shortLoop(of.block):
		return copyOf{to, 1}
	case l.Header == to:
		return copyOf{to, min(of.turn+1, c.short[c.side][l])}
	}
	return copyOf{to, of.turn}
}

// shortLoop returns the short loop that a block is in; nil: none.
func (c *pieceOf) shortLoop(b *ir.Block) *unwind.Loop {
	if l := c.graphs[c.side].Inner(b); l != nil && c.short[c.side][l] > 0 {
		return l
	}
	return nil
}

// header returns which paired header a block is; returned: none.
func (c *pieceOf) header(b *ir.Block) int {
	return slices.IndexFunc(c.headers, func(h [2]*ir.Block) bool { return h[c.side] == b })
}

// value is the copy of a value: of the same turn, or from outside of the loop.
func (c *pieceOf) value(v ir.Value, turn int) ir.Value {
	for _, at := range []int{turn, 0} {
		if copied := c.values[valueOf{v, at}]; copied != nil {
			return copied
		}
	}
	return v
}

// instr appends a copy, with the operands of the original.
func (c *pieceOf) instr(in *ir.Instr, of copyOf) {
	if in.Op == ir.OpRet {
		c.Pos = in.Pos
		if len(in.Args) > 0 {
			c.copies = append(c.copies, copied{c.Store(in.Args[0], c.gives[c.side], 1), of})
		}
		c.Jump(c.arrival(returned))
		return
	}
	out := *in
	out.Args, out.Targets, out.Incoming = slices.Clone(in.Args), slices.Clone(in.Targets), slices.Clone(in.Incoming)
	for i, to := range out.Targets {
		if at := c.header(to); at != returned {
			out.Targets[i] = c.arrival(at)
		} else {
			out.Targets[i] = c.block(c.after(of, to))
		}
	}
	c.values[valueOf{in, of.turn}] = &out
	c.copies = append(c.copies, copied{&out, of})
	c.Keep(&out)
}

// arrival is the block where the piece ends that comes to a header, or returns.
func (c *pieceOf) arrival(at int) *ir.Block {
	if c.arrivals[at] == nil {
		c.arrivals[at] = c.NewBlock("arrival")
	}
	return c.arrivals[at]
}

// phi leaves out the ways into a block that are not in the piece. Those that are come from the same turn: other blocks
// have none (turning.isShort, beginsAnew).
func (c *pieceOf) phi(in *ir.Instr, of copyOf) {
	args, from := in.Args, in.Incoming
	in.Args, in.Incoming = nil, nil
	for i, b := range from {
		turn := 0
		if c.shortLoop(b) != nil {
			turn = of.turn
		}
		if way := c.blocks[copyOf{b, turn}]; way != nil {
			in.Args, in.Incoming = append(in.Args, args[i]), append(in.Incoming, way)
		}
	}
}
