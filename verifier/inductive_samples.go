package verifier

import (
	"context"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Executions on tried inputs say which lemmas about recursive functions are not
// worth a question, and which constants are worth one. Nothing rests on them.

const (
	sampleSteps = 40_000  // instructions of one execution
	sampleTotal = 600_000 // of all
	sampleSeeds = 60
	maxSamples  = 120 // of one header
)

// sample is the numbers of a header in one execution: width 0 where nothing is known.
type sample struct {
	vals, entry []ilr.Term // 0 where nothing is known
	nums        []bits.Vec
}

// sampler collects samples of the headers of functions.
type sampler struct {
	f      *encode.Formula
	watch  *interp.Watch
	places map[encode.Origin]int // by the origin of before
	out    map[int][]sample
	seen   map[string]bool
}

// collect executes the program on tried inputs.
func (p *prover) collect(ctx context.Context) map[int][]sample {
	s := &sampler{f: p.f, places: map[encode.Origin]int{}, out: map[int][]sample{}, seen: map[string]bool{}}
	s.watch = &interp.Watch{Funcs: map[*ir.Func]bool{}, Call: s.take}
	for i := range p.f.Headers {
		h := &p.f.Headers[i]
		if h.Call == nil {
			continue
		}
		s.watch.Funcs[h.Func] = true
		for _, v := range h.Vars {
			s.place(v)
		}
	}
	if len(s.watch.Funcs) == 0 {
		return nil
	}
	consts := constantsIn(p.m)
	left := int64(sampleTotal)
	for seed := uint64(0); seed < sampleSeeds && left > 0 && ctx.Err() == nil; seed++ {
		opts := p.interpOptions(min(left, sampleSteps))
		opts.Watch, opts.MaxDepth = s.watch, 400
		rec := &interp.Recorder{Source: &tries{seed: seed*0x9e3779b97f4a7c15 + 1, mode: seed % 5, consts: consts}}
		out, err := interp.Run(ctx, p.m, opts, rec)
		if err != nil {
			break
		}
		left -= out.Executed + 1000
		if len(rec.Inputs) == 0 {
			break
		}
	}
	return s.out
}

// place has the global of v watched.
func (s *sampler) place(v encode.Var) {
	o := v.From
	if o.After = false; o.Global == nil || o.Global.Extern || o.Global.Unsupported != "" {
		return
	}
	if _, had := s.places[o]; !had {
		s.places[o] = len(s.watch.Places)
		s.watch.Places = append(s.watch.Places, interp.Place{Global: o.Global, Off: o.Off, N: int64(v.Width / 8)})
	}
}

// take makes samples of a call that came back.
func (s *sampler) take(c *interp.Call) {
	for i := range s.f.Headers {
		h := &s.f.Headers[i]
		if h.Call == nil || h.Func != c.Func || h.Call != c.First.Instr || len(s.out[i]) >= maxSamples {
			continue
		}
		x := sample{nums: s.numbers(h, c)}
		key := h.Key
		for _, v := range x.nums {
			if key += ","; v.Width() > 0 {
				key += v.Hex()
			}
		}
		if s.seen[key] {
			continue
		}
		s.seen[key] = true
		x.vals = s.terms(x.nums)
		if h.Calls {
			x.entry = make([]ilr.Term, len(x.vals))
			for j, v := range h.Vars {
				if v.Before > 0 {
					x.entry[j] = x.vals[v.Before-1]
				}
			}
		} else {
			x.entry = s.terms(s.numbers(h, c.First))
		}
		s.out[i] = append(s.out[i], x)
	}
}

func (s *sampler) numbers(h *encode.Header, c *interp.Call) []bits.Vec {
	out := make([]bits.Vec, len(h.Vars))
	for i, v := range h.Vars {
		var n bits.Vec
		o := v.From
		switch {
		case o.Param > 0:
			n = c.Args[o.Param-1]
		case o.Result:
			n = c.Result
		case o.Global != nil:
			list := c.Before
			if o.After {
				list = c.After
			}
			o.After = false
			if k, ok := s.places[o]; ok && k < len(list) {
				n = list[k]
			}
		}
		if n.Width() == v.Width {
			out[i] = n
		}
	}
	return out
}

func (s *sampler) terms(nums []bits.Vec) []ilr.Term {
	out := make([]ilr.Term, len(nums))
	for i, n := range nums {
		if n.Width() > 0 {
			out[i] = s.f.Store.Const(n)
		}
	}
	return out
}

// speaksOf reports that x knows all that l is about.
func (x *sample) speaksOf(l *lemma) bool {
	for _, lit := range l.lits {
		for _, v := range lit.vars() {
			if x.vals[v] == 0 || lit.relative() && x.entry[v] == 0 {
				return false
			}
		}
	}
	return true
}

// refuted reports that l is false in some execution.
func refuted(s *ilr.Store, l *lemma, samples []sample) bool {
	for i := range samples {
		if x := &samples[i]; x.speaksOf(l) && s.IsFalse(l.term(s, x.vals, x.entry)) {
			return true
		}
	}
	return false
}
