package prepare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// callers returns the names of the jobs for the functions that call f: those of list, and main, where the manifest has it
// for an entry; handlers run in main as well. nil: something else may call f.
func (b *preparation) callers(module *ir.Module, f *ir.Func, list []*ir.Func, all map[*ir.Func][]*ir.Func, m *manifest.Manifest) []string {
	if f.Addr {
		return nil
	}
	whole := slices.ContainsFunc(m.Harnesses, func(h manifest.Harness) bool { return h.Entry == "main" }) && len(b.req.Entries) == 0
	var out []string
	for _, c := range all[f] {
		name := AnyCall + shownName(module, c)
		if !slices.Contains(list, c) {
			handles := slices.ContainsFunc(m.Interrupts, func(x manifest.Interrupt) bool { return x.Handler == c.Name })
			if name = "main"; !whole || c.Name != name && !handles {
				return nil
			}
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// InContext takes back what no call in the program brings about: a violation in a call with any arguments, where
// every function that makes the call was verified itself, main or with any arguments, and the claim is proved there, whatever
// is behind pointers of which nothing says how much they lead to. results are those of jobs, in their order.
func InContext(jobs []Job, results []verdict.Result) {
	type key struct{ target, entry string }
	of := map[key]int{}
	for i := range results {
		of[key{results[i].Target, results[i].Entry}] = i
	}
	defer noteDirect(jobs, results)
	proved := make([][]int, len(results)) // first all, since what is taken back is no longer violated
	for i := range jobs {
		r := &results[i]
		for c := range r.Claims {
			if r.Claims[c].Status != verdict.Violated || len(jobs[i].Callers) == 0 {
				continue
			}
			if !slices.ContainsFunc(jobs[i].Callers, func(name string) bool {
				k, is := of[key{r.Target, name}]
				return !is || !ProvedIn(&results[k], r.Claims[c].ID) || jobs[k].guessesFor(&results[k], r.Claims[c].ID)
			}) {
				proved[i] = append(proved[i], c)
			}
		}
	}
	defer warnSuppressions(jobs, results)
	for i, list := range proved {
		for _, c := range list {
			var quiet []string
			for _, name := range jobs[i].Callers {
				quiet = append(quiet, jobs[of[key{results[i].Target, name}]].Quiet...)
			}
			takeBack(&results[i], &results[i].Claims[c], strings.TrimPrefix(results[i].Entry, AnyCall), jobs[i].Callers, quiet)
		}
		if len(list) > 0 {
			results[i].Summarise()
		}
	}
}

// noteDirect says of each violation that only the call of a static function itself finds, and none of its callers, what
// it takes for granted: that the program makes such a call.
func noteDirect(jobs []Job, results []verdict.Result) {
	for i := range jobs {
		r := &results[i]
		for c := range r.Claims {
			if r.Claims[c].Status != verdict.Violated || len(jobs[i].Static) == 0 ||
				slices.ContainsFunc(results, func(by verdict.Result) bool {
					return by.Target == r.Target && slices.Contains(jobs[i].Static, by.Entry) &&
						violatedIn(&by, r.Claims[c].ID)
				}) {
				continue
			}
			names := make([]string, len(jobs[i].Static))
			for k, n := range jobs[i].Static {
				names[k] = strings.TrimPrefix(n, AnyCall)
			}
			f := strings.TrimPrefix(r.Entry, AnyCall)
			a := verdict.Assume(f, verdict.Calls, verdict.Chosen, fmt.Sprintf(
				"only a call of %s itself shows it: no call by %s is found that brings it about", f,
				strings.Join(names, ", ")))
			r.Assumptions = verdict.AddAssumptions(r.Assumptions, a)
			r.Claims[c].Assumptions = append(r.Claims[c].Assumptions, a.ID)
		}
	}
}

// Settled reports whether a violation of results[i] is a finding whatever more time would show: the program's calls
// do not decide about it, or one of the functions that make them brings it about. results are those of jobs.
func Settled(jobs []Job, results []verdict.Result, i int, id string) bool {
	return broughtAbout(jobs, results, i, id, map[int]bool{})
}

func broughtAbout(jobs []Job, results []verdict.Result, i int, id string, seen map[int]bool) bool {
	if seen[i] {
		return false
	}
	seen[i] = true
	for k := range results {
		if results[k].Target == results[i].Target && slices.Contains(jobs[i].Callers, results[k].Entry) &&
			slices.ContainsFunc(results[k].Claims, func(c verdict.Claim) bool {
				return c.ID == id && c.Status == verdict.Violated
			}) && broughtAbout(jobs, results, k, id, seen) {
			return true
		}
	}
	return len(jobs[i].Callers) == 0
}

// guessesFor reports whether a claim of the job's result rests on how much a pointer leads to of which nothing says
// that: calls with more behind it may come to what these do not.
func (j *Job) guessesFor(r *verdict.Result, id string) bool {
	return slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
		return c.ID == verdict.Site(id) && slices.ContainsFunc(r.RestsOn(&c), func(a verdict.Assumption) bool {
			return a.Relation == verdict.Extent && a.Guessed() && slices.Contains(j.Plan.Guesses, a.Subject)
		})
	})
}

// ProvedIn reports whether a result proves a claim.
func ProvedIn(r *verdict.Result, id string) bool {
	return r != nil && slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
		return c.ID == verdict.Site(id) && c.Always()
	})
}

// violatedIn reports whether a result violates a claim.
func violatedIn(r *verdict.Result, id string) bool {
	return slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
		return c.ID == id && c.Status == verdict.Violated
	})
}

// takeBack makes a violation of what a function may be called with unknown, since its callers do not bring it about.
func takeBack(r *verdict.Result, c *verdict.Claim, function string, callers, quiet []string) {
	names := make([]string, len(callers))
	for i, n := range callers {
		names[i] = strings.TrimPrefix(n, AnyCall)
	}
	why := fmt.Sprintf("no call in the program brings it about: %s is called by %s, where it is proved", function,
		strings.Join(names, ", "))
	if len(quiet) > 0 {
		why += fmt.Sprintf(" (%s does not run there: `interrupts` of the manifest has handlers run)", strings.Join(quiet, ", "))
	}
	r.Withdraw(c, &verdict.Reason{Kind: verdict.Incomplete, Detail: why,
		Remedy: "--function " + function + " shows what other calls would bring about"})
}
