package compile

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// What the vendor's compiler and clang do not agree on: sizes, alignments, the places of members and
// bit-fields, the types behind macros such as __UINT_FAST8_TYPE__. The compiler that the build calls is
// asked (abi_probe.go), and clang with our flags. Flags that bring clang to the same answers are added
// to the unit; what no flag reaches is an error that names the fact.

// facts are the answers of a compiler, by what was asked.
type facts map[string]string

// abiFlags are the flags that are tried in this order where a fact differs whose name holds about. They
// are taken if fewer facts differ with them, and none that agreed before.
var abiFlags = []struct{ about, flags string }{
	{"enum", "-fshort-enums"}, {"enum", "-fno-short-enums"},
	{"plain char", "-funsigned-char"}, {"plain char", "-fsigned-char"},
	{"wchar_t", "-Xclang -fwchar-type=short -Xclang -fno-signed-wchar"},
	{"wchar_t", "-Xclang -fwchar-type=short -Xclang -fsigned-wchar"},
	{"wchar_t", "-Xclang -fwchar-type=int -Xclang -fno-signed-wchar"},
	{"wchar_t", "-Xclang -fwchar-type=int -Xclang -fsigned-wchar"},
	{"alignment of double", "-Xclang -malign-double"},
	{"size of double", "-mdouble=64"}, {"size of double", "-mdouble=32"},
	{"long double", "-mlong-double-64"}, {"long double", "-mlong-double-80"}, {"long double", "-mlong-double-128"},
	{"bit-fields", "-mms-bitfields"}, {"bit-fields", "-mno-ms-bitfields"},
	{plainStructure, "-fno-pack-struct"}, {plainStructure, "-fpack-struct=1"}, {plainStructure, "-fpack-struct=2"},
	{plainStructure, "-fpack-struct=4"},
}

// abiKey says which units have the same answers.
type abiKey struct{ tool, words, ours string }

// abi holds what was found out about the units of one key.
type abi struct {
	flags []string // that clang is given
	notes []string
	fault string // what cannot be followed; empty: everything can

	unlike []unlike // what cannot be followed in files that have it
}

// adoptABI gives each unit of a recorded build the flags that its compiler's ABI takes.
func (b *builder) adoptABI(ctx context.Context) error {
	known := map[abiKey]*abi{}
	for i := range b.specs {
		s := &b.specs[i]
		if len(s.tool) == 0 {
			continue
		}
		ours := abiWords(append(slices.Clone(s.cflags), "-w"))
		if s.spare {
			ours = slices.DeleteFunc(ours, isStandard) // the probes are C
		}
		words := append(vendorWords(s.tool[1:]), layoutWords(s.tool[1:])...)
		key := abiKey{s.tool[0], strings.Join(words, "\x00"), strings.Join(ours, "\x00")}
		found := known[key]
		if found == nil {
			var err error
			if found, err = b.compareABI(ctx, s, ours); err != nil {
				return err
			}
			known[key] = found
		}
		for _, n := range found.notes {
			b.note("%s", n)
		}
		if found.fault != "" {
			return b.fault("sources", b.display(s.dir, s.file), "%s", found.fault)
		}
		s.unlike = found.unlike
		adopted := found.flags
		if s.spare {
			adopted = slices.DeleteFunc(slices.Clone(adopted), isStandard)
		}
		s.cflags = slices.Insert(slices.Clone(s.cflags), s.ofCall, adopted...)
		s.abi = append(slices.Clone(s.abi), adopted...)
	}
	return nil
}

func isStandard(flag string) bool { return strings.HasPrefix(flag, "-std=") }

// compareABI asks both compilers, and looks for the flags that make clang agree.
func (b *builder) compareABI(ctx context.Context, s *unitSpec, ours []string) (*abi, error) {
	r := b.request(*s)
	base := append(append([]string{tools().Clang}, r.Target.Flags()...), "-std=gnu11") // the probes are C
	ask := func(more ...string) (*answers, error) {
		return b.askCompiler(ctx, append(append(slices.Clone(base), ours...), more...))
	}
	here, err := ask()
	if err != nil {
		return nil, err
	}
	if here.reason != "" { // what is wrong with the flags, the compilation says
		return &abi{notes: []string{fmt.Sprintf("the ABI of %s is not compared: clang: %s", s.tool[0], here.reason)}},
			nil
	}
	there, err := b.askVendor(ctx, s)
	if err != nil {
		return nil, err
	}
	if there.reason != "" {
		return b.unaskedABI(s, there.reason), nil
	}
	name := filepath.Base(s.tool[0])
	if m := there.machine(); m != here.machine() && !slices.Contains(unknownMachines(m), here.machine()) {
		return &abi{notes: []string{
			fmt.Sprintf("%s compiles for %s, target %s is %s: sizes and layouts are those of the target",
				name, m, b.img.Target.Name, here.machine())}}, nil
	}
	out := &abi{flags: there.macroFlags(here)}
	if len(out.flags) > 0 {
		if here, err = ask(out.flags...); err != nil {
			return nil, err
		}
	}
	for _, try := range abiFlags {
		left, flags := here.differing(there, false), strings.Fields(try.flags)
		if !slices.ContainsFunc(left, func(f string) bool { return strings.Contains(f, try.about) }) {
			continue
		}
		next, err := ask(append(slices.Clone(out.flags), flags...)...)
		if err != nil {
			return nil, err
		}
		if after := next.differing(there, false); next.reason == "" && len(after) < len(left) && subset(after, left) {
			out.flags, here = append(out.flags, flags...), next
		}
	}
	out.conclude(name, b.img.Target.Name, here, there)
	return out, nil
}

// conclude words what differs still.
func (a *abi) conclude(tool, target string, here, there *answers) {
	describe := func(list []string) string {
		var out []string
		for _, f := range list {
			out = append(out, fmt.Sprintf("%s is %s there and %s here", f, there.fact(f), here.fact(f)))
		}
		if n := len(out); n > 4 {
			out = append(out[:3], fmt.Sprintf("and %d more", n-3))
		}
		return strings.Join(out, "; ")
	}
	left := here.differing(there, false)
	if at := slices.Index(left, alignedMember); at >= 0 && here.layout["the size of a packed structure"] ==
		here.layout[plainStructure] {
		a.notes = append(a.notes, fmt.Sprintf("members of structures with `aligned` are packed, unlike with %s: %s", tool,
			describe(left[at:at+1])))
		left = slices.Delete(left, at, at+1)
	}
	if a.unlike = onlyUnlike(left, describe); a.unlike != nil {
		a.notes = append(a.notes, fmt.Sprintf("%s and clang for target %s differ in types that few programs have, and "+
			"files that have them are refused: %s", tool, target, describe(left)))
	} else if len(left) > 0 {
		a.fault = fmt.Sprintf(
			"%s with the flags of this file lays out data in a way that cannot be followed for target %s: %s "+
				"(verify for a target with that ABI, or compile without the flag that asks for it)", tool, target,
			describe(left))
		return
	}
	if left = here.differing(there, true); len(left) > 0 {
		a.notes = append(a.notes, fmt.Sprintf("%s and clang for target %s differ in what few programs look at: %s",
			tool,
			target, describe(left)))
	}
	if other := processorMacros(here, there); len(other) > 0 {
		a.notes = append(a.notes, fmt.Sprintf("%s compiles for another processor than that of target %s: %s; "+
			"code under such macros is verified as the target has it", tool, target, describe(other)))
	}
	if there.macros["__FLT_EVAL_METHOD__"] != "0" && there.macros["__FLT_EVAL_METHOD__"] != "" {
		a.notes = append(a.notes, fmt.Sprintf("%s computes floating point in a wider format than its type "+
			"(__FLT_EVAL_METHOD__ %s): results of its arithmetic and comparisons are taken to be any value", tool,
			there.macros["__FLT_EVAL_METHOD__"]))
	}
}

// unaskedABI returns the ABI where the compiler could not be asked: the target's flags follow GCC, and flags
// of the call that change layouts beyond what clang knows are refused.
func (b *builder) unaskedABI(s *unitSpec, reason string) *abi {
	name := filepath.Base(s.tool[0])
	if refused := layoutWords(s.tool[1:]); len(refused) > 0 {
		return &abi{fault: fmt.Sprintf("%s changes the layout of data, and %s cannot be asked how (%s): install it, "+
			"or compile without the flag", strings.Join(refused, " "), name, reason)}
	}
	known := b.img.Target.Compiler()
	if known == "" {
		known = "clang for the target"
	}
	return &abi{notes: []string{fmt.Sprintf("%s cannot be asked for its ABI (%s): it is taken to be that of %s", name,
		reason,
		known)}}
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// typeMacro matches the macros whose value is a type; the groups are the name and what comes behind it.
var typeMacro = regexp.MustCompile(
	`^__((?:U?INT(?:_LEAST|_FAST)?(?:8|16|32|64)|U?INTMAX|U?INTPTR|SIZE|PTRDIFF|WCHAR|WINT|CHAR16|CHAR32|SIG_ATOMIC)_)TYPE__$`)

// ownTypes are types that are clang's own: a macro would not change what sizeof gives.
var ownTypes = regexp.MustCompile(`^__(SIZE|PTRDIFF|WCHAR)_TYPE__$`)

// macroFlags returns the flags by which clang takes the other's macros and language standard.
func (there *answers) macroFlags(here *answers) []string {
	var flags []string
	for _, name := range there.macroNames() {
		m := typeMacro.FindStringSubmatch(name)
		if m == nil || ownTypes.MatchString(name) || plainType(there.macros[name]) == plainType(here.macros[name]) {
			continue
		}
		for _, suffix := range []string{"TYPE__", "MAX__", "MIN__", "WIDTH__"} {
			if v, ok := there.macros["__"+m[1]+suffix]; ok {
				flags = append(flags, "-U__"+m[1]+suffix, "-D__"+m[1]+suffix+"="+v)
			}
		}
	}
	if std := there.standard(); std != here.standard() && std != "" {
		flags = append(flags, "-std="+std)
	}
	if e := there.macros["__FLT_EVAL_METHOD__"]; e != here.macros["__FLT_EVAL_METHOD__"] && e != "" {
		flags = append(flags, "-U__FLT_EVAL_METHOD__", "-D__FLT_EVAL_METHOD__="+e)
		if e != "0" { // arithmetic that need not be as IEEE 754 says
			flags = append(flags, "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")
		}
	}
	return flags
}

func (there *answers) macroNames() []string {
	names := make([]string, 0, len(there.macros))
	for n := range there.macros {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// plainType spells an integer type in one way: `long unsigned int` and `unsigned long` are the same.
func plainType(s string) string {
	words := strings.Fields(s)
	var sign, rank string
	for _, w := range words {
		switch w {
		case "unsigned":
			sign = "unsigned "
		case "signed", "int":
		default:
			rank += w + " "
		}
	}
	if slices.Contains(words, "signed") && rank == "char " {
		sign = "signed "
	}
	if rank == "" {
		rank = "int "
	}
	return strings.TrimSpace(sign + rank)
}
