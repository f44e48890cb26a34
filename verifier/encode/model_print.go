package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/ir/printf"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// printf has no effect that the program sees but its result, -1 or more, and what
// %n writes. Texts and formats are claimed to be strings, arguments to fit their
// conversions (C17 7.21.6.1).
func (c *modelCall) printf() memory.Val {
	c.checkShown(c.fr, c.st, c.in, c.args)
	c.printed(printf.ReadBy(c.name))
	if c.st.PC == nil {
		return memory.Val{}
	}
	v := c.Fresh(c.st, input.Nondet, c.in, c.in.T, c.name)
	if c.in.T.IsInt() {
		t := c.Num(v)
		c.st.PC = c.And(c.st.PC, c.s.Not(c.s.Slt(t, c.s.Int(c.s.Width(t), -1))))
	}
	return v
}

func (c *modelCall) printed(at printf.Reads) {
	asked := c.asks(c.in, verdict.Memory)
	switch {
	case at.Block && asked && len(c.args) >= 3:
		size, n := c.count(1), c.count(2)
		if c.st.PC != nil {
			all := c.s.Mul(size, n)
			c.checkAccess(c.fr, c.st, c.in, c.args[0], want{n: all, align: 1, what: "read"}, c.s.NonZero(all))
		}
	case at.Text >= 0 && at.Text < len(c.args) && asked && c.args[at.Text].Ptr != nil:
		text := c.args[at.Text]
		when := c.s.True()
		if at.Null {
			when = c.s.Not(c.ComparePtr(c.st, ir.EQ, text.Ptr, c.Null()))
		}
		c.readText(text, when, 0)
	case at.Format >= 0 && at.Format < len(c.args) && c.args[at.Format].Ptr != nil:
		c.formatted(at, asked)
	}
}

// readText claims that p leads to a string where when holds, or (limit not 0) to
// that many bytes.
func (c *modelCall) readText(p memory.Val, when, limit ilr.Term) {
	if p.Ptr == nil {
		return
	}
	c.split(when, func(*memory.State) memory.Val {
		c.length(p, limit)
		return memory.Val{}
	}, func(*memory.State) memory.Val { return memory.Val{} })
}

// formatted claims what a format asks of its arguments.
func (c *modelCall) formatted(at printf.Reads, asked bool) {
	format, constant := c.literal(c.args[at.Format])
	if !constant {
		if asked {
			c.readText(c.args[at.Format], c.s.True(), 0)
			if c.st.PC != nil {
				c.gap(c.st, c.in, verdict.Unsupported, "%s with a format that is not a literal", c.name)
			}
		}
		return
	}
	if at.List {
		if cs := printf.Conversions(format); asked && len(cs) > 0 {
			c.note("the arguments that %s takes from a va_list are not checked", c.name)
		}
		return
	}
	k := at.Format + 1
	next := func(conv printf.Conversion) (i int, ok bool) {
		why, known := "format "+conv.Text+" lacks its argument", true
		if k < len(c.args) {
			why, known = printf.Misfit(c.lay, conv, c.in.Args[k].Type())
		}
		k++
		switch {
		case !known && asked:
			c.gap(c.st, c.in, verdict.Unsupported, "conversion %s of %s", conv.Text, c.name)
		case known && why != "":
			c.claimNot(c.fr, c.st, c.in, verdict.Builtin, c.s.True(), false, why)
		case known:
			c.claim(c.fr, c.st, c.in, verdict.Builtin, c.s.False(), false, "arguments fit the format")
		}
		return k - 1, known && why == "" && c.st.PC != nil
	}
	for _, conv := range printf.Conversions(format) {
		c.converted(conv, asked, next)
		if c.st.PC == nil {
			return
		}
	}
}

// converted takes the arguments of one conversion from next.
func (c *modelCall) converted(conv printf.Conversion, asked bool, next func(printf.Conversion) (int, bool)) {
	number := printf.Conversion{Text: conv.Text, Verb: 'd'}
	if conv.StarWidth {
		if _, ok := next(number); !ok {
			return
		}
	}
	var limit ilr.Term
	unlimited := c.s.True()
	if conv.Precision >= 0 {
		limit, unlimited = c.s.Int(c.w, int64(conv.Precision)), c.s.False()
	}
	if conv.StarPrec {
		i, ok := next(number)
		if !ok {
			return
		}
		n := c.Num(c.args[i])
		limit, unlimited = c.signed(c.args[i], c.w), c.s.Slt(n, c.s.Int(c.s.Width(n), 0))
	}
	i, ok := next(conv)
	if !ok || !asked {
		return
	}
	switch conv.Verb {
	case 's':
		c.split(unlimited, func(*memory.State) memory.Val { c.length(c.args[i], 0); return memory.Val{} },
			func(*memory.State) memory.Val {
				if !c.s.IsTrue(unlimited) && !(conv.Precision == 0 && !conv.StarPrec) {
					c.length(c.args[i], limit)
				}
				return memory.Val{}
			})
	case 'n':
		t := printf.Stored(c.lay, conv)
		v := c.Fresh(c.st, input.Nondet, c.in, t, c.name)
		c.st.PC = c.And(c.st.PC, c.s.Not(c.s.Slt(c.Num(v), c.s.Int(t.Width, 0))))
		if c.st.PC != nil {
			c.store(c.fr, c.st, c.in, c.args[i], v, t, c.lay.AlignOf(t))
		}
	}
}

// literal is the constant string that p leads to, if it leads to one.
func (c *modelCall) literal(p memory.Val) (string, bool) {
	a, ok := p.Ptr.Only()
	off, known := c.ConstOf(a.Off)
	if !ok || !known || a.Object == nil || !a.Object.ReadOnly || a.Object.Init == nil ||
		a.Object.Init.Base.Kind != memory.BaseTable ||
		off > uint64(len(a.Object.Init.Base.Data)) {
		return "", false
	}
	for i, b := range a.Object.Init.Base.Data[off:] {
		if b == 0 {
			return string(a.Object.Init.Base.Data[off : int(off)+i]), true
		}
	}
	return "", false
}
