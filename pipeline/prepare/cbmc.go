package prepare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/cbmc"
	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// cbmcProofs prepares the proofs written for CBMC in a folder and below it. One that
// cannot be built is an error when it is the only one, and an unknown result otherwise.
func (b *preparation) cbmcProofs(dir string) error {
	dirs, err := cbmc.Find(dir)
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return fmt.Errorf("--cbmc-proof %s: no proof there: no Makefile sets HARNESS_FILE, no Makefile.json or Configurations.json has OBJS", dir)
	}
	alone := len(dirs) == 1 && len(b.req.CBMCProofs) == 1 && len(b.req.Paths) == 0
	runner, err := b.makeRunner(dir)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		proofs, err := cbmc.Read(b.ctx, runner, d)
		if err != nil {
			if err := b.cbmcFault(filepath.Base(d), err, alone); err != nil {
				return err
			}
		}
		for _, p := range proofs {
			if err := b.cbmcProof(p); err != nil {
				if err := b.cbmcFault(p.Title(), err, alone && len(proofs) == 1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cbmcFault makes an unknown result of a proof that cannot be built. Where it is the
// only one, or the fault is this machine's, it gives the error back.
func (b *preparation) cbmcFault(name string, err error, only bool) error {
	var infra *compile.InfraError
	if only || errors.As(err, &infra) || b.ctx.Err() != nil {
		return err
	}
	b.jobs = append(b.jobs, settled(name, "", "does not build: "+err.Error()))
	return nil
}

// makeRunner runs the makefiles of proofs: in a sandbox as far as this machine has one,
// for no build of ours needs more of a makefile than the values of its variables.
func (b *preparation) makeRunner(dir string) (compile.Runner, error) {
	if _, direct := b.runner.(compile.Direct); !direct {
		return b.runner, nil
	}
	if os.Getuid() == 0 && !sandbox.Reachable(dir) {
		b.notes = append(b.notes,
			fmt.Sprintf("make ran outside of a sandbox: %s is closed to the user that the sandbox has", dir))
		return b.runner, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return sandbox.BuildRunner(b.ctx, sandbox.BestEffort, program, b.work)
}

// settled is a job whose result is known already: unknown, for a construct that is
// not modelled or a proof that does not build.
func settled(name, target, detail string) Job {
	res := &verdict.Result{Target: target, Entry: name, Claims: []verdict.Claim{},
		Reason: &verdict.Reason{Kind: verdict.Unsupported, Detail: detail}}
	res.Summarise()
	return Job{Label: name, Settled: res}
}

func (b *preparation) cbmcProof(p *cbmc.Proof) error {
	def := "x86_64"
	if p.Bits32 {
		def = "i386"
	}
	ts, err := load(b.req.Targets, []string{def})
	if err != nil {
		return err
	}
	for _, t := range ts {
		if len(p.Needs) > 0 {
			b.jobs = append(b.jobs, settled(p.Title(), t.Name, "the proof needs "+strings.Join(p.Needs, ", ")))
			continue
		}
		if err := b.cbmcJob(p, t); err != nil {
			return err
		}
	}
	return nil
}

// cbmcJob builds a proof for a target and makes its job. The meaning is CBMC's: a
// function without a body has any result and no effect, an uninitialised variable
// has any value, volatile objects behave like memory, accesses may have any alignment.
func (b *preparation) cbmcJob(p *cbmc.Proof, t targets.Target) error {
	img, err := p.Build(b.ctx, t, b.options(p.Checks()))
	if err != nil {
		return err
	}
	module, read, err := Read(img.IRPath)
	if err != nil {
		return err
	}
	kind := weave.StubNondet
	if p.BodylessFails {
		kind = weave.StubFail
	}
	stubs := map[string]string{}
	for _, f := range weave.Bodiless(module) {
		stubs[f.Name] = kind
	}
	assumptions, _, err := weave.Stubs(module, stubs, nil)
	if err != nil {
		return err
	}
	if p.NondetStatic {
		assumptions = append(assumptions, weave.NondetStatic(module))
	}
	if !p.Expect {
		img.Notes = append(img.Notes, "the proof says that it is meant to fail (EXPECTED)")
	}
	assumptions = append(assumptions, weave.Convert(module)...)
	assumptions = append(assumptions, weave.EnumConversions(module)...)
	weave.AnyAlignment(module)
	for _, text := range p.ContractNotes() {
		assumptions = append(assumptions, verdict.Assume("", verdict.Meaning, verdict.Declared, text))
	}
	weave.Assigns(module)
	if most := p.LargestObject(); weave.LimitAllocations(module, most) {
		assumptions = append(assumptions, verdict.Assume("", verdict.Limit, verdict.Declared, fmt.Sprintf(
			"no allocation of more than %d bytes succeeds, which CBMC's pointers have no offsets for (--object-bits %d)",
			most, p.ObjectBits)))
	}
	var pragmas []weave.CheckPragma
	for _, u := range img.Units {
		pragmas = append(pragmas, u.Pragmas...)
	}
	if i := slices.IndexFunc(pragmas, func(p weave.CheckPragma) bool { return p.Enable }); i >= 0 {
		b.jobs = append(b.jobs, settled(p.Title(), t.Name, fmt.Sprintf(
			"%s:%d: `#pragma CPROVER check enable` is not followed: enable the check for all of the proof",
			pragmas[i].File, pragmas[i].From-1)))
		return nil
	}
	assumptions = append(assumptions, weave.SwitchOff(module, pragmas)...)
	checks := p.Checks()
	if len(b.req.Checks) > 0 {
		if checks, err = verdict.ParseChecks(b.req.Checks); err != nil {
			return err
		}
	}
	set := cbmcLoops(module, p.Loops)
	for k, v := range b.req.UnwindSet {
		set[k] = v
	}
	j := b.base(t, append(stagesOf(img), read), slices.Concat(img.Notes, b.notes, b.described(checks, img, nil)))
	j.Program, j.Label, j.Pragmas = module, p.Title(), pragmas
	j.Plan.Entry, j.Plan.Checks, j.Plan.UnwindSet = p.Entry, checks, set
	j.Plan.Semantics = ir.Semantics{VolatileMemory: true, MallocNeverFails: p.MallocOK}
	j.Plan.Assumptions = append(assumptions,
		verdict.Assume("", verdict.Meaning, verdict.Declared, "meaning of CBMC: uninitialised variables have any value, "+
			"volatile objects behave like memory, accesses may have any alignment"))
	b.jobs = append(b.jobs, j)
	return nil
}
