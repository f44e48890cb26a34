package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/calls"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A violation in a generated harness is repeated by C that makes what the harness made, and calls the function: driven is
// that text. It includes the file of the first function, so that static functions and variables are at hand.

// drivenName is the C function that makes the calls.
const drivenName = "firmproof_driven"

// drive has h make the calls of a violation in a generated harness, in the place of the file that it includes.
func (fl *replayFlags) drive(ctx context.Context, h *harness, paths []string) error {
	if slices.ContainsFunc(fl.sources, compile.IsCXX) {
		return errors.New("replay: calls of functions that have no harness are written in C alone")
	}
	d, err := fl.driven(ctx, h.result, h.claim, paths)
	if err != nil {
		return err
	}
	h.entry, h.inputs, h.driven = drivenName, d.inputs, d
	fl.sources = slices.DeleteFunc(fl.sources, func(s string) bool { return inFolder(fl.dir, s) == d.file })
	return nil
}

// driven writes these calls as C.
func (fl *replayFlags) driven(ctx context.Context, res *verdict.Result, c *verdict.Claim, paths []string) (*driven, error) {
	assume, err := parseAssume(fl.assume)
	if err != nil {
		return nil, err
	}
	stubs, err := parseStubs(fl.stubs)
	if err != nil {
		return nil, err
	}
	req := prepare.Request{Paths: paths, Targets: []string{res.Target}, Include: fl.include, Defines: fl.defines,
		CFlags: fl.cflags, Functions: []string{strings.TrimPrefix(res.Entry, prepare.AnyCall)}, Assume: assume,
		Stubs: stubs, Integers: defaultIntegers, Solver: defaultSolver, Checks: []string{"default", string(c.Check)}}
	jobs, err := prepare.Jobs(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	for i := range jobs {
		if j := &jobs[i]; j.Name() == res.Entry {
			if list := calls.Driven(ctx, j.Program, j.Plan, c); list != nil {
				d := &driven{objects: map[*interp.Object]string{}, dir: fl.dir}
				return d, d.write(list)
			}
		}
	}
	return nil, errors.New("replay: with these sources and options the generated harness does not come to the failure: " +
		"give those of the check (-I, -D, --assume, --stub)")
}

// inFolder returns the absolute path of a file of a folder.
func inFolder(dir, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// driven is such a text.
type driven struct {
	text    strings.Builder
	objects map[*interp.Object]string // the C expression of the address of each
	file    string                    // that it includes
	dir     string
	inputs  []verdict.Input // that the program asks for
}

// part returns the text as part of a program in which the harness has the memory.
func (d *driven) part() string {
	return fmt.Sprintf("#include %q\nvoid *firmproof_block(__SIZE_TYPE__);\nvoid firmproof_put(volatile void *, const char *, __SIZE_TYPE__);\n%s",
		d.file, d.text.String())
}

// emitted returns what --emit writes of a harness with that text: driven calls are a program of their own.
func (h *harness) emitted(text string) string {
	if h.driven != nil {
		return h.driven.program(h.claim)
	}
	return text
}

// program returns the text as a program of its own.
func (d *driven) program(c *verdict.Claim) string {
	return fmt.Sprintf(`/* Made by "firmproof replay --emit": %s: %s
 * With the other files of the program: cc -g -fsanitize=address,undefined THIS_FILE.c ...
 */
#include %q
#include <stdlib.h>
#include <string.h>

/* one of no bytes leads to the end of another */
static void *firmproof_block(size_t n)
{
    unsigned char *p = calloc(n ? n : 16, 1);
    return !p ? (abort(), p) : n ? p : p + 16;
}
static void firmproof_put(volatile void *to, const char *bytes, size_t n) { memcpy((void *)to, bytes, n); }

static %s
int main(void)
{
    %s();
    return 0;
}
`, comment(c.Pos.String()), comment(c.Message), d.file, d.text.String(), drivenName)
}

func (d *driven) line(format string, args ...any) { fmt.Fprintf(&d.text, "    "+format+"\n", args...) }

// write writes the calls.
func (d *driven) write(list []replay.Driven) error {
	f := list[0].Func
	d.file = inFolder(d.dir, f.Pos.File)
	fmt.Fprintf(&d.text, "void %s(void)\n{\n", drivenName)
	for _, c := range list {
		for _, m := range c.Memory {
			if m.New {
				name := fmt.Sprintf("block%d", len(d.objects)+1)
				d.line("unsigned char *%s = firmproof_block(%d); /* %s */", name, len(m.Bytes), comment(about(m.Object)))
				d.objects[m.Object] = name
			}
		}
		for _, m := range c.Memory {
			if err := d.contents(m); err != nil {
				return err
			}
		}
		if err := d.call(c); err != nil {
			return err
		}
		d.inputs = append(d.inputs, c.Inputs...)
	}
	d.text.WriteString("}\n")
	return nil
}

// about says what leads to a block.
func about(o *interp.Object) string {
	if name := o.HarnessPointer(); name != "" {
		return "what " + name + " leads to"
	}
	return "a block"
}

// contents writes what an object holds.
func (d *driven) contents(m replay.Memory) error {
	at, err := d.base(m.Object)
	if err != nil {
		return err
	}
	if end := len(strings.TrimRight(string(m.Bytes), "\x00")); !m.New || end > 0 {
		if m.New {
			m.Bytes = m.Bytes[:end]
		}
		d.line("firmproof_put(%s, %s, %d);", at, cBytes(fmt.Sprintf("%x", m.Bytes)), len(m.Bytes))
	}
	offs := make([]int64, 0, len(m.Pointers))
	for off := range m.Pointers {
		offs = append(offs, off)
	}
	slices.Sort(offs)
	for _, off := range offs {
		to, err := d.address(m.Pointers[off])
		if err != nil {
			return err
		}
		d.line("*(void **)((char *)%s + %d) = %s;", at, off, to)
	}
	return nil
}

// base returns the C expression of the address of an object.
func (d *driven) base(o *interp.Object) (string, error) {
	if at, ok := d.objects[o]; ok {
		return at, nil
	}
	switch g := o.Global; {
	case o.Func != nil && !o.Func.Made && !o.Func.Driven():
		return "(char *)" + o.Func.CName, nil
	case o.Func != nil:
		return "", fmt.Errorf("replay: %s is any function, which C does not have", o.Func.CName)
	case g != nil && g.Var != nil && !strings.Contains(ir.NameOf(g), "."):
		return "(char *)&" + g.Var.Name, nil
	case g != nil:
		return "", fmt.Errorf("replay: %s cannot be named outside of its function", ir.NameOf(g))
	}
	return "", errors.New("replay: a pointer leads to memory that the harness did not make")
}

// address returns the C expression of a pointer.
func (d *driven) address(v interp.Value) (string, error) {
	if v.Object == nil || v.IsBehindNull() {
		return fmt.Sprintf("(void *)0x%s", hexOrZero(v.Bits.Hex())), nil
	}
	at, err := d.base(v.Object)
	off := v.Bits.Signed().Int64()
	if err != nil || off == 0 {
		return "(void *)" + at, err
	}
	return fmt.Sprintf("(void *)(%s + %d)", at, off), err
}

// call writes a call.
func (d *driven) call(c replay.Driven) error {
	vars := ir.ParamVars(c.Func)
	if c.Extra > 0 {
		return fmt.Errorf("replay: %s takes a variable number of arguments: write a harness (`firmproof harness %[1]s`)", c.Func.CName)
	}
	var args []string
	for i, p := range c.Func.Params {
		v := c.Args[i]
		switch {
		case vars[i] == nil || p.ByVal != nil || p.SRet != nil:
			return fmt.Errorf("replay: %s takes or returns a structure by value: write a harness (`firmproof harness %[1]s`)", c.Func.CName)
		case p.T.IsPtr():
			to, err := d.address(v)
			if err != nil {
				return err
			}
			args = append(args, to)
		case p.T.Kind == ir.KindFloat:
			args = append(args, fmt.Sprintf("((union { __typeof__(%s) v; unsigned char b[%d]; }){.b = {%s}}).v", vars[i].T.Name,
				(p.T.Width+7)/8, byteList(v.Bits.Hex())))
		case p.T.Width > 64:
			return fmt.Errorf("replay: %s takes a number of more than 64 bits: write a harness (`firmproof harness %[1]s`)", c.Func.CName)
		default:
			args = append(args, "0x"+hexOrZero(v.Bits.Hex())+"ull")
		}
	}
	d.line("%s(%s);", c.Func.CName, strings.Join(args, ", "))
	return nil
}

// byteList returns a number as bytes for an initialiser, the lowest first: x86 and Cortex-M are little-endian.
func byteList(hex string) string {
	var out []string
	for i := len(hex); i > 0; i -= 2 {
		out = append(out, "0x"+hex[max(i-2, 0):i])
	}
	return strings.Join(out, ", ")
}
