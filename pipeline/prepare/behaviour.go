package prepare

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// What changed functions do takes a part of the time that their verification may take, at most: pairShare of that of an
// entry for each, and for all of them as much as pairsTime have. Those that nobody needs have what LetGo gives them of it.
const (
	pairShare = 3
	pairsTime = 8
)

// Pair asks what two versions of a function do (change.Compare). Its job's program is the old one.
type Pair struct {
	Renewed
	Names map[string]string `json:"names,omitempty"` // of functions with another name, that of the old version
	// it has to do the same: it is compared whatever was verified; others wait until LetGo has time for them
	Needed bool          `json:"needed,omitempty"`
	Turn   int           `json:"turn,omitempty"`  // of those that wait, the lower ones go first
	Since  string        `json:"since,omitempty"` // the tag that the old version is of; empty: that of the base
	Now    *ir.Module    `json:"-"`               // in the process that built it
	known  *change.Known // likewise
}

// comparesBehaviour reports whether a build keeps the whole program beside what is verified.
func (b *preparation) comparesBehaviour(m *manifest.Manifest) bool {
	return b.req.Outline && (m.Report.Behaviour || b.req.Behaviour)
}

// keepVersion keeps the whole program of a target.
func (b *preparation) keepVersion(t targets.Target, img *compile.Image, m *manifest.Manifest) error {
	if !b.comparesBehaviour(m) {
		return nil
	}
	v, err := b.version(t, img)
	if err != nil {
		return err
	}
	if b.versions == nil {
		b.versions = map[string]*Version{}
	}
	v.Frozen = FrozenBy(m)
	v.whole(append(slices.Clone(v.Frozen.Functions), b.req.Frozen...))
	b.versions[t.Name] = v
	return nil
}

// behaviours makes the jobs that ask what the functions that changed do, and says for each target which functions only
// one commit has.
func behaviours(now, before *Built) ([]Job, map[string]reports.Behaviour) {
	var jobs []Job
	asked := map[string]reports.Behaviour{}
	for target, is := range now.Versions {
		was := before.Versions[target]
		if was == nil { // a new target, or nothing was built
			continue
		}
		list, added, gone := Renewals(&was.Bodies, &is.Bodies)
		asked[target] = reports.Behaviour{Asked: true, Added: added, Gone: gone, Unchanged: is.Frozen.asBase()}
		jobs = append(jobs, pairs(now, target, was, list, func(p *Pair) {
			p.Needed = is.Frozen.All || reports.MatchesAny(is.Frozen.asBase(), was.shown(p.Old))
		})...)
	}
	slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Plan.Target, b.Plan.Target) })
	return jobs, asked
}

// pairs makes a job for each function of list, which the head (now) has and an older version of its program. complete
// completes what it asks.
func pairs(now *Built, target string, was *Version, list []Renewed, complete func(*Pair)) []Job {
	var jobs []Job
	is := now.Versions[target]
	limit := entryTime(now.Jobs, target) / pairShare
	limit = max(leastTime, min(limit, limit*pairsTime/time.Duration(max(1, len(list)))))
	names := NamesBefore(list)
	known := change.NewKnown(names)
	for _, r := range list {
		p := &Pair{Renewed: r, Names: names, Turn: is.Bodies.Turns[r.New], Now: is.Module, known: known}
		complete(p)
		label := "behaviour of " + r.New
		if p.Since != "" {
			label += " since " + p.Since
		}
		jobs = append(jobs, Job{Plan: was.Plan, Timeout: limit, Label: label, Base: true, Program: was.Module,
			Module: VersionFile, Pair: p})
	}
	return jobs
}

// shown returns the name of a function in C.
func (v *Version) shown(name string) string { return cmp.Or(v.Bodies.Shown[name], name) }

// entryTime returns the longest time of a job of a target.
func entryTime(jobs []Job, target string) time.Duration {
	var out time.Duration
	for i := range jobs {
		if jobs[i].Plan.Target == target {
			out = max(out, jobs[i].Timeout)
		}
	}
	return cmp.Or(out, EachTimeout)
}

// Behaviour answers a job with a pair in the process that built both programs.
func (j *Job) Behaviour(ctx context.Context) *verdict.Result {
	return j.Pair.answer(ctx, j.Program, j.Plan)
}

// answer compares the versions of a function, of the programs was and p.Now.
func (p *Pair) answer(ctx context.Context, was *ir.Module, plan verifier.Plan) *verdict.Result {
	if p.known == nil {
		p.known = change.NewKnown(p.Names)
	}
	c := change.Compare(ctx, was, p.Now, p.Old, p.New, plan, p.known)
	c.Since = p.Since
	return &verdict.Result{Target: plan.Target, Claims: []verdict.Claim{}, ProcessorMS: c.ProcessorMS,
		Change: &verdict.Change{Behaviour: c}}
}

// complete gives a result a comparison where nobody came to one.
func (p *Pair) complete(j *Job, res *verdict.Result) {
	res.Entry = j.Name()
	if res.Change == nil || res.Change.Behaviour == nil {
		why := res.Reason
		if why == nil {
			why = &verdict.Reason{Kind: verdict.Internal, Detail: "there is no answer"}
		}
		res.Change = &verdict.Change{Behaviour: &verdict.Comparison{Function: p.New, Since: p.Since,
			Target: j.Plan.Target, Status: verdict.SameOpen, Reason: why}}
	}
}

// Behaviours takes what functions do out of a report about the base of a change: it is about both commits. r may be
// nil.
func Behaviours(r *verdict.Report) (out []verdict.Comparison) {
	if r == nil {
		return nil
	}
	r.Results = slices.DeleteFunc(r.Results, func(res verdict.Result) bool {
		if res.Change == nil || res.Change.Behaviour == nil {
			return false
		}
		out = append(out, *res.Change.Behaviour)
		return true
	})
	return out
}

// JoinVersions makes one file of what Store left of the whole programs of two commits.
func JoinVersions(was, is []byte) []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(len(was)))
	return append(append(out, was...), is...)
}

// read reads the programs that JoinVersions joined, the old one first.
func (p *Pair) read(data []byte) (was *ir.Module, err error) {
	if len(data) < 8 {
		return nil, errors.New("no programs to compare")
	}
	n := binary.BigEndian.Uint64(data)
	if data = data[8:]; n > uint64(len(data)) {
		return nil, errors.New("the programs to compare are cut off")
	}
	if was, err = ir.Decode(data[:n]); err == nil {
		p.Now, err = ir.Decode(data[n:])
	}
	return was, err
}
