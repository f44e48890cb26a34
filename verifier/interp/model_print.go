package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir/printf"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// printf has no effect that the program sees but its result, -1 or more, and what
// %n writes. It reads its texts, and its arguments have to fit (C17 7.21.6.1).
func (c *call) printf() {
	if !c.decideShown(c.in, c.args) {
		return
	}
	if c.printed(printf.ReadBy(c.name)); c.Outcome != nil {
		return
	}
	if !c.in.T.IsInt() {
		return
	}
	v := c.inputs(input.Nondet, c.in.T)
	if bits.Slt(v.Bits, bits.Ones(v.Bits.Width())) {
		c.EndRun(AssumeFailed, "", "result below -1 of "+c.name)
	}
	c.result(v)
}

func (c *call) printed(at printf.Reads) {
	memory := c.asks(c.in, verdict.Memory)
	switch {
	case at.Block && memory && len(c.args) >= 3:
		size, ok := c.count(1)
		n, ok2 := c.count(2)
		if ok && ok2 && size*n != 0 {
			c.reach(c.args[0], access{size: size * n, align: 1})
		}
	case at.Text >= 0 && at.Text < len(c.args) && memory && c.in.Args[at.Text].Type().IsPtr():
		if !at.Null || !c.isFalse(at.Text) {
			c.strlen(c.args[at.Text])
		}
	case at.Format >= 0 && at.Format < len(c.args) && c.in.Args[at.Format].Type().IsPtr():
		c.formatted(at, memory)
	}
}

// formatted reads what a format asks for.
func (c *call) formatted(at printf.Reads, memory bool) {
	if memory {
		if _, ok := c.strlen(c.args[at.Format]); !ok {
			return
		}
	}
	format, ok := c.peek(c.args[at.Format])
	if !ok || at.List {
		return
	}
	k := at.Format + 1
	next := func(conv printf.Conversion) (int, bool) {
		why, known := "format "+conv.Text+" lacks its argument", true
		if k < len(c.args) {
			why, known = printf.Misfit(c.Layout, conv, c.in.Args[k].Type())
		}
		k++
		switch {
		case !known && memory:
			c.EndRun(Unsupported, "", fmt.Sprintf("conversion %s of %s", conv.Text, c.name))
		case known && why != "":
			c.violate(verdict.Builtin, "%s", why)
		}
		return k - 1, known && why == "" && c.Outcome == nil
	}
	for _, conv := range printf.Conversions(format) {
		if c.converted(conv, memory, next); c.Outcome != nil {
			return
		}
	}
}

// peek is the string that p leads to, if there is one; nothing is claimed of it.
func (c *call) peek(p Value) (string, bool) {
	if p.Object == nil || p.Object.Func != nil || p.Object.Block != nil || p.Object.Dead != "" {
		return "", false
	}
	var out []byte
	for off := p.Bits.Low64(); off < uint64(p.Object.Size); off++ {
		c.spend(1)
		b, _ := p.Object.ByteAt(int64(off))
		if b == 0 {
			return string(out), true
		}
		out = append(out, b)
	}
	return "", false
}

// converted takes the arguments of one conversion from next.
func (c *call) converted(conv printf.Conversion, memory bool, next func(printf.Conversion) (int, bool)) {
	number := printf.Conversion{Text: conv.Text, Verb: 'd'}
	if conv.StarWidth {
		if _, ok := next(number); !ok {
			return
		}
	}
	limit := int64(conv.Precision)
	if conv.StarPrec {
		i, ok := next(number)
		if !ok {
			return
		}
		limit, _ = c.args[i].Bits.Int64()
	}
	i, ok := next(conv)
	if !ok || !memory {
		return
	}
	switch conv.Verb {
	case 's':
		for k := int64(0); limit < 0 || k < limit; k++ {
			if b, ok := c.byteOf(c.args[i], k); !ok || b == 0 {
				return
			}
		}
	case 'n':
		t := printf.Stored(c.Layout, conv)
		v := c.inputs(input.Nondet, t)
		if v.Bits.Sign() {
			c.EndRun(AssumeFailed, "", "negative count of "+c.name)
			return
		}
		o, off, ok := c.reach(c.args[i], access{size: uint64(t.Width / 8), align: c.Layout.AlignOf(t), write: true})
		if ok {
			c.Put(o, off, t, v)
		}
	}
}
