package pipeline

import "github.com/firmproof/firmproof/verifier/verdict"

// EntryAnswer is how an entry came out, without its claims.
type EntryAnswer struct {
	Target, Entry string
	Status        verdict.Status
	Vacuous       bool `json:",omitempty"`
	Claims        int
	MS            int64
	Reused        string `json:",omitempty"`
}

// answersOf lists how the entries of a report came out.
func answersOf(r *verdict.Report) []EntryAnswer {
	var out []EntryAnswer
	for i := range r.Results {
		res := &r.Results[i]
		out = append(out, EntryAnswer{res.Target, res.Entry, res.Status, res.Vacuous != nil, len(res.Claims),
			res.DurationMS, res.Reused})
	}
	return out
}

// Outline returns the answers as results, whose claims say nothing.
func (c *Context) Outline() []verdict.Result {
	var out []verdict.Result
	for _, e := range c.Entries {
		r := verdict.Result{Target: e.Target, Entry: e.Entry, Status: e.Status, DurationMS: e.MS, Reused: e.Reused,
			Claims: make([]verdict.Claim, e.Claims)}
		if e.Vacuous {
			r.Vacuous = &verdict.Reason{Kind: verdict.Vacuous}
		}
		out = append(out, r)
	}
	return out
}
