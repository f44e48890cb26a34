package invariant

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
)

// Executions on tried inputs say which lemmas are not worth a question, and which constants are worth one. Nothing rests on them.

// sample is the numbers of a header in one execution: width 0 where nothing is known.
type sample struct {
	vals, entry []ilr.Term // 0 where nothing is known
	nums        []bits.Vec
	elems       map[int][]bits.Vec // of arrays with neighbours, by their cell
}

// sampler collects samples of the headers of functions.
type sampler struct {
	f      *encode.Formula
	watch  *interp.Watch
	places map[encode.Origin]int // by the origin of before
	out    map[int][]sample
	seen   map[string]bool
	run    map[int]int // arrivals at a header in this execution
	fresh  map[int]int // those of them that are samples
}

// collect executes p on tried inputs and returns the samples of each header of f.
func collect(ctx context.Context, p *problem.Problem, f *encode.Formula) map[int][]sample {
	s := &sampler{f: f, places: map[encode.Origin]int{}, out: map[int][]sample{}, seen: map[string]bool{}}
	s.watch = &interp.Watch{Funcs: map[*ir.Func]bool{}, Call: s.take}
	s.watch.Loops = map[*ir.Block][]*interp.Loop{}
	for i := range f.Headers {
		if h := &f.Headers[i]; h.Loop != nil {
			s.loop(i, h)
		} else {
			s.watch.Funcs[h.Func] = true
			for _, v := range h.Vars {
				s.place(v)
			}
		}
	}
	consts := replay.Constants(p.Module)
	left := int64(policy.SampleTotal)
	for seed := uint64(0); seed < policy.SampleSeeds && left > 0 && ctx.Err() == nil; seed++ {
		s.run, s.fresh = map[int]int{}, map[int]int{}
		opts := p.Execution(min(left, policy.SampleSteps))
		opts.Watch, opts.MaxDepth = s.watch, policy.SampleDepth
		rec := &input.Recorder{Source: replay.NewTried(seed, consts)}
		out, err := interp.Run(ctx, p.Module, opts, rec)
		if err != nil {
			break
		}
		left -= out.Executed + policy.ProbeOverhead
		if len(rec.Inputs) == 0 {
			break
		}
	}
	return s.out
}

// watched is where executions find the number of v; ok is false where they do not.
func watched(v encode.Var) (place interp.Place, ok bool) {
	o := v.From
	place = interp.Place{Global: o.Global, Slot: o.Slot, Off: o.Off, N: int64(v.Width / 8), Reg: o.Reg, Param: o.Param}
	if o.Global != nil && (o.Global.Extern || o.Global.Unsupported != "") {
		return place, false
	}
	return place, o.Global != nil || o.Slot != nil || o.Reg != nil || o.Param > 0
}

// place has the memory of v watched.
func (s *sampler) place(v encode.Var) {
	o := v.From
	o.After = false
	if p, ok := watched(v); ok && p.Param == 0 && p.Reg == nil {
		if _, had := s.places[o]; !had {
			s.places[o] = len(s.watch.Places)
			s.watch.Places = append(s.watch.Places, p)
		}
	}
}

// loop has the turns of header i watched.
func (s *sampler) loop(i int, h *encode.Header) {
	l := &interp.Loop{Latches: map[*ir.Block]bool{}}
	for _, b := range h.Loop.Latches {
		l.Latches[b] = true
	}
	at := make([]int, len(h.Vars))
	for j, v := range h.Vars {
		at[j] = -1
		if p, ok := watched(v); ok {
			at[j] = len(l.Places)
			l.Places = append(l.Places, p)
		}
	}
	arrays := map[int]int{} // cells of arrays with neighbours: the first of the array's places
	for _, v := range h.Vars {
		if v.Next == 0 {
			continue
		}
		first, x := len(l.Places), h.Vars[v.Next-1]
		x.From = x.Array
		for range policy.SampledElements {
			p, ok := watched(x)
			if !ok {
				break
			}
			arrays[v.Next-1] = first
			l.Places = append(l.Places, p)
			x.From.Off += p.N
		}
	}
	elements := func(list []bits.Vec) map[int][]bits.Vec {
		out := map[int][]bits.Vec{}
		for c, first := range arrays {
			if len(list) > 0 {
				out[c] = list[first : first+policy.SampledElements]
			}
		}
		return out
	}
	pick := func(list []bits.Vec) []bits.Vec {
		out := make([]bits.Vec, len(h.Vars))
		for j, v := range h.Vars {
			if k := at[j]; k >= 0 && k < len(list) && list[k].Width() == v.Width {
				out[j] = list[k]
			}
		}
		return out
	}
	l.Turn = func(entry, now []bits.Vec) {
		if n := s.run[i]; n < policy.SampleStretch || n&(n-1) == 0 {
			s.add(i, pick(now), elements(now), func([]ilr.Term) []ilr.Term { return s.terms(pick(entry)) })
		} else {
			s.run[i]++
		}
	}
	s.watch.Loops[h.Loop.Header] = append(s.watch.Loops[h.Loop.Header], l)
}

// add takes a sample of header i.
func (s *sampler) add(i int, nums []bits.Vec, elems map[int][]bits.Vec, entry func(vals []ilr.Term) []ilr.Term) {
	s.run[i]++
	if s.f.Headers[i].Loop == nil && (s.run[i] > policy.ArrivalsOfRun || s.fresh[i] >= policy.SamplesOfRun) ||
		len(s.out[i]) >= policy.MaxSamples {
		return
	}
	key := fmt.Sprint(i)
	all := slices.Clone(nums)
	for _, c := range slices.Sorted(maps.Keys(elems)) {
		all = append(all, elems[c]...)
	}
	for _, v := range all {
		if key += ","; v.Width() > 0 {
			key += v.Hex()
		}
	}
	if s.seen[key] {
		return
	}
	s.seen[key] = true
	s.fresh[i]++
	x := sample{nums: nums, vals: s.terms(nums)}
	x.entry = entry(x.vals)
	x.elems = elems
	s.out[i] = append(s.out[i], x)
}

// take makes samples of a call that came back.
func (s *sampler) take(c *interp.Call) {
	for i := range s.f.Headers {
		h := &s.f.Headers[i]
		if h.Call == nil || h.Func != c.Func || h.Call != c.First.Instr {
			continue
		}
		s.add(i, s.numbers(h, c), nil, func(vals []ilr.Term) []ilr.Term {
			if !h.Calls {
				return s.terms(s.numbers(h, c.First))
			}
			entry := make([]ilr.Term, len(vals))
			for j, v := range h.Vars {
				if v.Before > 0 {
					entry[j] = vals[v.Before-1]
				}
			}
			return entry
		})
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
		case o.Global != nil || o.Slot != nil:
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
func (x *sample) speaksOf(l *lemma.Lemma) bool {
	for _, lit := range l.Literals {
		for _, v := range lit.Vars() {
			if x.vals[v] == 0 || lit.Relative() && x.entry[v] == 0 {
				return false
			}
		}
	}
	return true
}

// refuted reports that l is false in some execution.
func refuted(s *ilr.Store, l *lemma.Lemma, samples []sample) bool {
	for i := range samples {
		if x := &samples[i]; x.speaksOf(l) && s.IsFalse(l.Term(s, x.vals, x.entry)) {
			return true
		}
	}
	return false
}
