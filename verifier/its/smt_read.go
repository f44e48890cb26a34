package its

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
)

// sexp is a symbolic expression: an atom, or a list when atom is empty.
type sexp struct {
	atom string
	list []sexp
	line int
}

func (e sexp) head() string { return e.at(0).atom }

// at is an element of a list, or an empty one behind its end: what strangers wrote may be shorter than it should.
func (e sexp) at(i int) sexp {
	if i < len(e.list) {
		return e.list[i]
	}
	return sexp{line: e.line}
}

// from lists the elements from the i-th on.
func (e sexp) from(i int) []sexp { return e.list[min(i, len(e.list)):] }

func parseSexps(text string) ([]sexp, error) {
	stack := [][]sexp{nil}
	starts := []int{0}
	line := 1
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(':
			stack, starts = append(stack, nil), append(starts, line)
			if err := nested(len(stack)); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			i++
		case c == ')':
			n := len(stack) - 1
			if n == 0 {
				return nil, fmt.Errorf("line %d: unexpected )", line)
			}
			done := sexp{list: stack[n], line: starts[n]}
			stack, starts = stack[:n], starts[:n]
			stack[n-1] = append(stack[n-1], done)
			i++
		default:
			j := i
			if c == '|' {
				for j++; j < len(text) && text[j] != '|'; j++ {
				}
				j++
			} else {
				for j < len(text) && !strings.ContainsRune(" \t\r\n();", rune(text[j])) {
					j++
				}
			}
			j = min(j, len(text))
			stack[len(stack)-1] = append(stack[len(stack)-1], sexp{atom: text[i:j], line: line})
			i = j
		}
	}
	if len(stack) != 1 {
		return nil, fmt.Errorf("line %d: missing )", line)
	}
	return stack[0], nil
}

// smtReader reads TermComp's SMT-LIB form: define-fun init_main and next_main
// over cfg_init and cfg_trans2.
type smtReader struct {
	b        *Builder
	start    Loc
	declared bool
	pre      map[string]exact.Var
	count    int
}

// ReadSMT reads a system in TermComp's SMT-LIB form, or in the ARI form of
// rules over integers (format, fun, entrypoint, rule).
func ReadSMT(name, text string) (*System, error) {
	top, err := parseSexps(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range top {
		if e.head() == "format" {
			return readARI(name, top)
		}
	}
	r := &smtReader{b: NewBuilder(name), start: -1, pre: map[string]exact.Var{}}
	for _, e := range top {
		if e.head() != "define-fun" || len(e.list) != 5 {
			continue
		}
		switch e.at(1).atom {
		case "init_main":
			err = r.initMain(e)
		case "next_main":
			err = r.nextMain(e)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, e.line, err)
		}
	}
	if r.start < 0 {
		return nil, fmt.Errorf("%s: no init_main", name)
	}
	return r.b.System(r.start)
}

// params splits the parameters into blocks, one per Loc parameter.
func params(e sexp) ([][]string, error) {
	var out [][]string
	for _, p := range e.at(2).list {
		if len(p.list) != 2 {
			return nil, fmt.Errorf("parameter without sort")
		}
		switch p.at(1).atom {
		case "Loc":
			out = append(out, nil)
		case "Int":
			if len(out) == 0 {
				return nil, fmt.Errorf("parameter %s before the location", p.at(0).atom)
			}
			out[len(out)-1] = append(out[len(out)-1], p.at(0).atom)
		default:
			return nil, fmt.Errorf("parameter %s of sort %s", p.at(0).atom, p.at(1).atom)
		}
	}
	return out, nil
}

func (r *smtReader) initMain(e sexp) error {
	blocks, err := params(e)
	if err != nil {
		return fmt.Errorf("init_main: parameters: %w", err)
	}
	if len(blocks) != 1 {
		return fmt.Errorf("init_main: %d locations among its parameters, want one", len(blocks))
	}
	body := e.at(4)
	if body.head() != "cfg_init" || len(body.list) != 4 {
		return fmt.Errorf("init_main: %q where cfg_init should stand", body.head())
	}
	if err := r.declare(blocks[0]); err != nil {
		return fmt.Errorf("init_main: %w", err)
	}
	entry := r.b.Loc(body.at(2).atom)
	r.start = r.b.Loc("__start")
	bind := map[string]exact.Var{}
	for i, n := range blocks[0] {
		bind[n] = exact.Var(i)
	}
	return r.relation(r.start, entry, body.at(3), bind, nil)
}

// declare names the variables, without the suffix that marks the state before.
func (r *smtReader) declare(names []string) error {
	if r.declared {
		if len(names) != len(r.b.sys.Vars) {
			return fmt.Errorf("%d variables here, %d elsewhere", len(names), len(r.b.sys.Vars))
		}
		return nil
	}
	r.declared = true
	for _, n := range names {
		short := strings.TrimSuffix(strings.Trim(n, "|"), "^0")
		if _, dup := r.b.vars[short]; dup {
			short = n
		}
		r.b.Var(short)
	}
	return nil
}

func (r *smtReader) nextMain(e sexp) error {
	blocks, err := params(e)
	if err != nil {
		return fmt.Errorf("next_main: parameters: %w", err)
	}
	if len(blocks) != 2 || len(blocks[0]) != len(blocks[1]) {
		return errors.New("next_main: parameters do not pair up")
	}
	if err := r.declare(blocks[0]); err != nil {
		return fmt.Errorf("next_main: %w", err)
	}
	bind := map[string]exact.Var{}
	for i, n := range blocks[0] {
		bind[n] = exact.Var(i)
	}
	parts := []sexp{e.at(4)}
	if parts[0].head() == "or" {
		parts = parts[0].from(1)
	}
	for _, p := range parts {
		if p.head() != "cfg_trans2" || len(p.list) != 6 {
			return fmt.Errorf("line %d: %q is not modelled", p.line, p.head())
		}
		from, to := r.b.Loc(p.at(2).atom), r.b.Loc(p.at(4).atom)
		if err := r.relation(from, to, p.at(5), bind, blocks[1]); err != nil {
			return fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	return nil
}

// relation adds the transitions of a relation between the state before (bind)
// and after (post, nil for "unchanged").
func (r *smtReader) relation(from, to Loc, rel sexp, pre map[string]exact.Var, post []string) error {
	env := &smtEnv{names: map[string]exact.Var{}}
	for n, v := range pre {
		env.names[n] = v
	}
	posts := make([]exact.Var, len(post))
	for i, n := range post {
		posts[i] = env.temp()
		env.names[n] = posts[i]
	}
	f, err := env.formula(rel, false)
	if err != nil {
		return err
	}
	cases, err := f.dnf()
	if err != nil {
		return err
	}
	r.count++
	for k, guard := range cases {
		tag := "relation " + strconv.Itoa(r.count-1)
		if len(cases) > 1 {
			tag += "." + strconv.Itoa(k)
		}
		t := r.b.Trans(from, to)
		if post == nil {
			t.Cost(exact.Poly{})
		}
		t.t.Temps, t.t.Guard = env.temps, guard
		for i, v := range posts {
			t.Set(exact.Var(i), exact.V(v))
		}
		t.Exact(tag)
	}
	return nil
}
