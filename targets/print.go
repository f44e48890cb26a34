package targets

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Print writes the target as the YAML file that describes it, ready to be copied
// into a manifest and changed.
func (t Target) Print(w io.Writer) error {
	var b bytes.Buffer
	line := func(key, format string, args ...any) { fmt.Fprintf(&b, "%s: %s\n", key, fmt.Sprintf(format, args...)) }
	text := func(key, v string) {
		if v != "" {
			line(key, "%s", quote(v))
		}
	}
	text("name", t.Name)
	if t.Alias != "" {
		fmt.Fprintf(&b, "# stands for %s on this machine\n", t.Alias)
	}
	text("description", t.Description)
	text("triple", t.Triple)
	text("cpu", t.CPU)
	text("data_layout", t.DataLayout)
	line("pointer_bits", "%d", t.PointerBits)
	line("endian", "%s", pick(t.BigEndian, "big", "little"))
	line("char", "%s", pick(t.CharSigned, "signed", "unsigned"))
	b.WriteString("types:\n")
	for _, ty := range t.Types.Named() {
		fmt.Fprintf(&b, "  %s: {size: %d, align: %d}\n", ty.Key, ty.Size, ty.Align)
	}
	line("cflags", "%s", list(t.CFlags))
	line("headers", "%s", list(t.Headers))
	text("package", t.Package)
	line("cxx_headers", "%s", list(t.CXXHeaders))
	text("cxx_package", t.CXXPackage)
	line("own_assert", "%v", t.OwnAssert)
	line("defines", "%s", list(t.Defines))
	t.printMachine(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func (t Target) printMachine(b *bytes.Buffer) {
	if len(t.Memory) == 0 {
		b.WriteString("memory_map: []\n")
	} else {
		b.WriteString("memory_map:\n")
	}
	for _, r := range t.Memory {
		fmt.Fprintf(b, "  - {name: %s, base: 0x%x, size: 0x%x, access: %s", quote(r.Name), r.Base, r.Size, r.Access)
		if r.Space != 0 {
			fmt.Fprintf(b, ", space: %d", r.Space)
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(b, "address0: %v\n", t.Address0)
	fmt.Fprintf(b, "run: {kind: %s", t.Run.Kind)
	for _, f := range []struct{ key, v string }{{"arch", t.Run.Arch}, {"program", t.Run.Program},
		{"machine", t.Run.Machine}, {"cpu", t.Run.CPU}} {
		if f.v != "" {
			fmt.Fprintf(b, ", %s: %s", f.key, quote(f.v))
		}
	}
	if t.Run.Kind == RunQEMU {
		for _, r := range []Region{t.Run.ROM, t.Run.RAM} {
			fmt.Fprintf(b, ", %s: {base: 0x%x, size: 0x%x}", r.Name, r.Base, r.Size)
		}
	}
	b.WriteString("}\n")
	if t.StackSize != 0 {
		fmt.Fprintf(b, "stack_size: %d\n", t.StackSize)
	}
	fmt.Fprintf(b, "hosted: %v\nmalloc: %s\nleak: %v\n", t.Hosted, t.Malloc, t.Leak)
}

func pick(c bool, yes, no string) string {
	if c {
		return yes
	}
	return no
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func list(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = quote(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
