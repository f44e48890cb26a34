package reports

import (
	"path"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Rebase returns the report with prefix before the names of the files that inside accepts. The given report stays.
func Rebase(r *verdict.Report, prefix string, inside func(file string) bool) *verdict.Report {
	known := map[string]string{}
	at := func(p verdict.Pos) verdict.Pos {
		name, seen := known[p.File]
		if !seen {
			if name = p.File; name != "" && !path.IsAbs(name) && inside(name) {
				name = path.Join(prefix, name)
			}
			known[p.File] = name
		}
		p.File = name
		return p
	}
	reason := func(r *verdict.Reason) *verdict.Reason {
		if r == nil || r.Pos == nil {
			return r
		}
		out, pos := *r, at(*r.Pos)
		out.Pos = &pos
		return &out
	}
	out := *r
	out.Results = append([]verdict.Result(nil), r.Results...)
	for i := range out.Results {
		res := &out.Results[i]
		res.Reason = reason(res.Reason)
		res.Bounds.Loops = append([]verdict.LoopBound(nil), res.Bounds.Loops...)
		for j := range res.Bounds.Loops {
			res.Bounds.Loops[j].Pos = at(res.Bounds.Loops[j].Pos)
		}
		if res.Coverage != nil {
			c := *res.Coverage
			c.Functions = append([]verdict.CoveredFunction(nil), c.Functions...)
			for j := range c.Functions {
				c.Functions[j].Pos = at(c.Functions[j].Pos)
			}
			res.Coverage = &c
		}
		res.Claims = append([]verdict.Claim(nil), res.Claims...)
		for j := range res.Claims {
			c := &res.Claims[j]
			c.Pos, c.Reason = at(c.Pos), reason(c.Reason)
			c.Trace = append([]verdict.Step(nil), c.Trace...)
			for k := range c.Trace {
				c.Trace[k].Pos = at(c.Trace[k].Pos)
			}
			c.Inputs = append([]verdict.Input(nil), c.Inputs...)
			for k := range c.Inputs {
				c.Inputs[k].Pos = at(c.Inputs[k].Pos)
			}
		}
	}
	return &out
}
