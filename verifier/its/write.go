package its

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// ReadFile reads a system by the file's extension: .koat, .smt2 or .ari.
func ReadFile(path string) (*System, error) {
	if st, err := os.Stat(path); err == nil && (!st.Mode().IsRegular() || st.Size() > policy.SystemBytes) {
		return nil, fmt.Errorf("%s: not a file of at most %d bytes", path, policy.SystemBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch ext := filepath.Ext(path); ext {
	case ".koat":
		return ReadKoAT(filepath.Base(path), string(text))
	case ".smt2", ".ari":
		return ReadSMT(filepath.Base(path), string(text))
	default:
		return nil, fmt.Errorf("%s: a transition system ends in .koat, .smt2 or .ari, not %q", path, ext)
	}
}

// WriteKoAT prints the system in the KoAT format. Exactness and tags are lost.
func WriteKoAT(w io.Writer, s *System) error {
	var b strings.Builder
	goal := "TERMINATION"
	if s.Goal == Complexity {
		goal = "COMPLEXITY"
	}
	temps := 0
	for i := range s.Trans {
		temps = max(temps, s.Trans[i].Temps)
	}
	names := append([]string(nil), s.Vars...)
	if len(s.Trans) == 0 { // variables are arguments of rules
		names = nil
	}
	for i := 0; i < temps; i++ {
		names = append(names, s.VarName(exact.Var(len(s.Vars)+i)))
	}
	fmt.Fprintf(&b, "(GOAL %s)\n(STARTTERM (FUNCTIONSYMBOLS %s))\n(VAR %s)\n(RULES\n", goal, s.Locs[s.Start],
		strings.Join(names, " "))
	for i := range s.Trans {
		b.WriteString("  " + s.TransString(&s.Trans[i]) + "\n")
	}
	b.WriteString(")\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// TransString prints a transition as a KoAT rule.
func (s *System) TransString(t *Transition) string {
	var calls []string
	for _, target := range t.Targets() {
		var args []string
		for _, p := range target.Update {
			args = append(args, p.Format(s.VarName))
		}
		calls = append(calls, s.Locs[target.To]+"("+strings.Join(args, ", ")+")")
	}
	arrow := " -> "
	if cost, ok := t.Cost.Lin(); !ok || !cost.Equal(exact.C(1)) {
		arrow = " -{" + t.Cost.Format(s.VarName) + "}> "
	}
	out := fmt.Sprintf("%s(%s)%sCom_%d(%s)", s.Locs[t.From], strings.Join(s.Vars, ", "), arrow, len(calls),
		strings.Join(calls, ", "))
	var conds []string
	for _, a := range t.Guard {
		conds = append(conds, s.AtomString(a))
	}
	if len(conds) > 0 {
		out += " :|: " + strings.Join(conds, " && ")
	}
	return out
}

// WriteSMT prints the system in TermComp's SMT-LIB form. Costs are lost.
// Transitions with several successors become one each.
func WriteSMT(w io.Writer, s *System) error {
	var b strings.Builder
	b.WriteString("(declare-sort Loc 0)\n")
	for l := range s.Locs {
		fmt.Fprintf(&b, "(declare-const l%d Loc)\n", l)
	}
	b.WriteString("(assert (distinct")
	for l := range s.Locs {
		fmt.Fprintf(&b, " l%d", l)
	}
	b.WriteString("))\n")
	b.WriteString("(define-fun cfg_init ((pc Loc) (src Loc) (rel Bool)) Bool (and (= pc src) rel))\n")
	b.WriteString("(define-fun cfg_trans2 ((pc Loc) (src Loc) (pc1 Loc) (dst Loc) (rel Bool)) Bool (and (= pc src) (= pc1 dst) rel))\n")
	var pre, post strings.Builder
	for v := range s.Vars {
		fmt.Fprintf(&pre, " (v%d Int)", v)
		fmt.Fprintf(&post, " (w%d Int)", v)
	}
	fmt.Fprintf(&b, "(define-fun init_main ((pc Loc)%s) Bool (cfg_init pc l%d true))\n", pre.String(), s.Start)
	fmt.Fprintf(&b, "(define-fun next_main ((pc Loc)%s (pc1 Loc)%s) Bool (or\n", pre.String(), post.String())
	for i := range s.Trans {
		for _, target := range s.Trans[i].Targets() {
			fmt.Fprintf(&b, "  (cfg_trans2 pc l%d pc1 l%d %s)\n", s.Trans[i].From, target.To,
				smtRelation(s, &s.Trans[i], target))
		}
	}
	b.WriteString("))\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func smtRelation(s *System, t *Transition, target Target) string {
	parts := []string{"and", "true"}
	for _, a := range t.Guard {
		op := ">="
		if a.Rel == EQ {
			op = "="
		}
		parts = append(parts, fmt.Sprintf("(%s %s 0)", op, smtPoly(a.Poly)))
	}
	for v, p := range target.Update {
		parts = append(parts, fmt.Sprintf("(= w%d %s)", v, smtPoly(p)))
	}
	body := "(" + strings.Join(parts, " ") + ")"
	if t.Temps == 0 {
		return body
	}
	var bound []string
	for i := 0; i < t.Temps; i++ {
		bound = append(bound, fmt.Sprintf("(v%d Int)", len(s.Vars)+i))
	}
	return "(exists (" + strings.Join(bound, " ") + ") " + body + ")"
}

func smtPoly(p exact.Poly) string {
	out := "(+ 0"
	for _, m := range p.Monos {
		out += " (* " + smtInt(m.Coef)
		for _, v := range m.Vars {
			out += fmt.Sprintf(" v%d", v)
		}
		out += " 1)"
	}
	return out + ")"
}

func smtInt(c exact.Int) string {
	if c.Sign() < 0 {
		return "(- " + c.Neg().String() + ")"
	}
	return c.String()
}
