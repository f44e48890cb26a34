package main

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// A program of steps on three shared bytes, g[0] to g[2], each at most 3, and three locals: enough for lost updates,
// torn sections and handlers that wait for each other. All its runs are enumerated.

// irqOp is a step: an access of shared memory, or what is between two of them.
type irqOp struct {
	kind    string // load, store, add, test, mask, open
	local   int
	global  int
	value   int
	skipped int // steps that test passes over where the local has another value
}

// irqState is where a run is.
type irqState struct {
	pc     int
	global [3]int
	local  [3]int
	masked bool
	left   [2]int // runs that each handler still has
}

// irqProgram is a main program, two handlers and how often each runs at most.
type irqProgram struct {
	main     []irqOp
	handlers [2][]irqOp
	most     [2]int
	nests    bool // the second preempts the first
	onEntry  bool // a handler begins masked
}

func randomOps(r *rand.Rand, n int, masks bool) []irqOp {
	var ops []irqOp
	for range n {
		v := irqOp{local: r.Intn(3), global: r.Intn(3), value: r.Intn(4)}
		kinds := []string{"load", "load", "store", "store", "increment", "add", "test"}
		if masks {
			kinds = append(kinds, "mask", "open")
		}
		switch v.kind = kinds[r.Intn(len(kinds))]; v.kind {
		case "increment": // a read and a write
			ops = append(ops, irqOp{kind: "load", local: v.local, global: v.global},
				irqOp{kind: "add", local: v.local, value: 1}, irqOp{kind: "store", local: v.local, global: v.global})
		case "test":
			v.skipped = 1
			ops = append(ops, v, irqOp{kind: "store", local: r.Intn(3), global: r.Intn(3)})
		default:
			ops = append(ops, v)
		}
	}
	return ops
}

// cOps is C for steps.
func cOps(ops []irqOp, mask, open string) string {
	var b strings.Builder
	for i := 0; i < len(ops); i++ {
		switch o := ops[i]; o.kind {
		case "load":
			fmt.Fprintf(&b, " r%d = g%d;\n", o.local, o.global)
		case "store":
			fmt.Fprintf(&b, " g%d = r%d;\n", o.global, o.local)
		case "add":
			fmt.Fprintf(&b, " r%d = (r%d + %d) & 3;\n", o.local, o.local, o.value)
		case "test":
			i++
			fmt.Fprintf(&b, " if (r%d == %d) g%d = r%d;\n", o.local, o.value, ops[i].global, ops[i].local)
		case "mask":
			fmt.Fprintf(&b, " __asm volatile(\"%s\" ::: \"memory\");\n", mask)
		case "open":
			fmt.Fprintf(&b, " __asm volatile(\"%s\" ::: \"memory\");\n", open)
		}
	}
	return b.String()
}

// step runs one step of ops.
func (s irqState) step(ops []irqOp) irqState {
	o := ops[s.pc]
	s.pc++
	switch o.kind {
	case "load":
		s.local[o.local] = s.global[o.global]
	case "store":
		s.global[o.global] = s.local[o.local]
	case "add":
		s.local[o.local] = (s.local[o.local] + o.value) & 3
	case "test":
		if s.local[o.local] != o.value {
			s.pc += o.skipped
		}
	case "mask":
		s.masked = true
	case "open":
		s.masked = false
	}
	return s
}

// ends enumerates all states in which the main program can end.
func (p *irqProgram) ends() []irqState {
	first := irqState{left: p.most}
	seen, todo := map[irqState]bool{first: true}, []irqState{first}
	var out []irqState
	visit := func(s irqState) {
		if !seen[s] {
			seen[s] = true
			todo = append(todo, s)
		}
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for h, ops := range p.handlers {
			if s.left[h] > 0 && !s.masked {
				p.handle(h, ops, s, visit)
			}
		}
		if s.pc < len(p.main) {
			visit(s.step(p.main))
		} else {
			out = append(out, s)
		}
	}
	return out
}

// handle visits the states in which a handler that interrupts s can leave it.
func (p *irqProgram) handle(h int, ops []irqOp, s irqState, visit func(irqState)) {
	first := irqState{global: s.global, left: s.left, masked: p.onEntry}
	first.left[h]--
	for todo := []irqState{first}; len(todo) > 0; {
		in := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.nests && h == 0 && in.left[1] > 0 && !in.masked {
			p.handle(1, p.handlers[1], in, func(after irqState) { todo = append(todo, after) })
		}
		if in.pc < len(ops) {
			todo = append(todo, in.step(ops))
			continue
		}
		after := s
		after.global, after.left, after.masked = in.global, in.left, false
		visit(after)
	}
}

// interrupts asks about the values of all locals at the end: such as some run has, and such as none has.
func (a *attributes) interrupts(t *testing.T, seed int64) {
	t.Helper()
	r := a.r
	p := &irqProgram{main: randomOps(r, 3+r.Intn(6), true), most: [2]int{1 + r.Intn(2), r.Intn(2)}}
	target := []string{"cortex-m3", "avr", "riscv32", "msp430"}[r.Intn(4)]
	p.nests, p.onEntry = r.Intn(2) == 0 && p.most[1] > 0, target != "cortex-m3"
	for h := range p.handlers {
		p.handlers[h] = randomOps(r, 1+r.Intn(3), p.nests && h == 0)
	}
	reached := map[[3]int]bool{}
	for _, s := range p.ends() {
		reached[s.local] = true
	}
	var yes, no [][3]int
	for i := range 64 {
		v := [3]int{i & 3, i >> 2 & 3, i >> 4}
		if reached[v] {
			yes = append(yes, v)
		} else {
			no = append(no, v)
		}
	}
	// what is not reached, but differs from what is in one value only, is the sharper question
	near := slices.DeleteFunc(slices.Clone(no), func(v [3]int) bool {
		return !slices.ContainsFunc(yes, func(w [3]int) bool {
			return v[0] == w[0] && v[1] == w[1] || v[0] == w[0] && v[2] == w[2] || v[1] == w[1] && v[2] == w[2]
		})
	})
	if len(near) > 0 {
		no = near
	}
	ways := map[string][2]string{"cortex-m3": {"cpsid i", "cpsie i"}, "avr": {"cli", "sei"},
		"riscv32": {"csrci mstatus, 8", "csrsi mstatus, 8"}, "msp430": {"dint", "eint"}}[target]
	text := "#include \"firmproof.h\"\nunsigned char g0, g1, g2;\n"
	locals := " unsigned char r0 = 0, r1 = 0, r2 = 0;\n"
	manifest := "version: 1\ntargets: [" + target + "]\nbuild: {sources: [main.c]}\ninterrupts:\n"
	for h, ops := range p.handlers {
		if p.most[h] > 0 {
			text += fmt.Sprintf("void tick%d(void) {\n%s%s}\n", h, locals, cOps(ops, ways[0], ways[1]))
			preempts := ""
			if h == 1 && p.nests {
				preempts = ", preempts: [tick0]"
			}
			manifest += fmt.Sprintf("  - {handler: tick%d, max: %d%s}\n", h, p.most[h], preempts)
		}
	}
	text += "void check(void) {\n" + locals + cOps(p.main, ways[0], ways[1])
	manifest += "harnesses: [{entry: check, checks: [assert]}]\n"
	ask := func(v [3]int, want verdict.Status) {
		dir := writeTree(t, map[string]string{".firmproof.yml": manifest, "main.c": text +
			fmt.Sprintf(" firmproof_assert(!(r0 == %d && r1 == %d && r2 == %d), \"\");\n}\n", v[0], v[1], v[2])})
		_, rep, errs := checkJSON(t, dir)
		got := verdict.Status(0)
		for _, c := range rep.Results[0].Claims {
			if c.Check == verdict.Assert {
				if got = c.Status; c.Always() { // but for how often handlers run, which is what is asked
					got = verdict.Proved
				}
			}
		}
		a.answer(t, fmt.Sprintf("interrupts seed %d %s %v, most %v, nests %v\n%s%s", seed, target, v, p.most, p.nests,
			text, errs), want, got)
	}
	if len(yes) > 0 {
		ask(yes[r.Intn(len(yes))], verdict.Violated)
	}
	if len(no) > 0 {
		ask(no[r.Intn(len(no))], verdict.Proved)
	}
}
