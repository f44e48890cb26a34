package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// observers are told one after the other.
type observers []Observer

func (s observers) Param(p *ir.Param, v Value) {
	for _, e := range s {
		e.Param(p, v)
	}
}

func (s observers) Enter(fr *Frame) {
	for _, e := range s {
		e.Enter(fr)
	}
}

func (s observers) Leave(fr *Frame, ret Value, hasRet bool) {
	for _, e := range s {
		e.Leave(fr, ret, hasRet)
	}
}

func (s observers) Jump(b *ir.Block) {
	for _, e := range s {
		e.Jump(b)
	}
}

func (s observers) Phis(fr *Frame) {
	for _, e := range s {
		e.Phis(fr)
	}
}

func (s observers) Begin(fr *Frame) {
	for _, e := range s {
		e.Begin(fr)
	}
}

func (s observers) Before(fr *Frame, in *ir.Instr) {
	for _, e := range s {
		e.Before(fr, in)
	}
}

func (s observers) After(fr *Frame, in *ir.Instr) {
	for _, e := range s {
		e.After(fr, in)
	}
}

func (s observers) Branch(in *ir.Instr, v Value, to *ir.Block) {
	for _, e := range s {
		e.Branch(in, v, to)
	}
}

func (s observers) Access(o *Object, off, n int64, write bool) {
	for _, e := range s {
		e.Access(o, off, n, write)
	}
}

func (s observers) Load(in *ir.Instr, o *Object, off int64, v Value) {
	for _, e := range s {
		e.Load(in, o, off, v)
	}
}

func (s observers) Fresh(in *ir.Instr, o *Object, off int64, v Value) {
	for _, e := range s {
		e.Fresh(in, o, off, v)
	}
}

func (s observers) Storing(in *ir.Instr, o *Object, off int64) {
	for _, e := range s {
		e.Storing(in, o, off)
	}
}

func (s observers) Store(in *ir.Instr, o *Object, off int64) {
	for _, e := range s {
		e.Store(in, o, off)
	}
}

func (s observers) Fill(in *ir.Instr, o *Object, off, n int64) {
	for _, e := range s {
		e.Fill(in, o, off, n)
	}
}

func (s observers) Local(in *ir.Instr, o *Object) {
	for _, e := range s {
		e.Local(in, o)
	}
}

func (s observers) Alloc(in *ir.Instr, o *Object, n uint64) {
	for _, e := range s {
		e.Alloc(in, o, n)
	}
}

func (s observers) Free(in *ir.Instr, o *Object) {
	for _, e := range s {
		e.Free(in, o)
	}
}

func (s observers) Input(in *ir.Instr, name string, v Value) {
	for _, e := range s {
		e.Input(in, name, v)
	}
}

func (s observers) Leaked(o *Object) {
	for _, e := range s {
		e.Leaked(o)
	}
}

func (s observers) Outside(o *Object, shown *verdict.Object) {
	for _, e := range s {
		e.Outside(o, shown)
	}
}

func (s observers) Skip(at *ir.Instr, turns int64) {
	for _, e := range s {
		e.Skip(at, turns)
	}
}

func (s observers) End(out *Outcome) {
	for _, e := range s {
		e.End(out)
	}
}

func (s observers) LastWrite(o *Object, off int64) *ir.Instr {
	for _, e := range s {
		if in := e.LastWrite(o, off); in != nil {
			return in
		}
	}
	return nil
}
