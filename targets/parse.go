package targets

import (
	"regexp"
	"sort"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/targets/strict"
)

var targetKeys = []string{
	"name", "description", "extends", "triple", "cpu", "data_layout", "pointer_bits", "endian", "char", "types",
	"cflags", "headers", "package", "cxx_headers", "cxx_package", "own_assert",
	"defines", "memory_map", "address0", "run", "stack_size", "hosted", "malloc", "leak",
}

// Keys lists the keys of a target file.
func Keys() []string { return append([]string(nil), targetKeys...) }

var targetName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}$`)

// Parse reads a target file. The error is a *strict.Error that names each wrong
// field with its line and the nearest known key.
func Parse(text []byte) (Target, error) {
	var r strict.Reader
	root := r.Parse(text, strict.DefaultLimits())
	if root == nil {
		return Target{}, r.Err()
	}
	t := ParseNode(&r, root, "")
	return t, r.Err()
}

// ParseNode reads a target that is part of a larger document, at the dotted path.
// Problems go to r; the target is meaningful only if there were none.
func ParseNode(r *strict.Reader, n *yaml.Node, path string) Target {
	m := r.Map(n, path, targetKeys)
	if m == nil {
		return Target{}
	}
	t := Target{Malloc: MallocMayFail, Run: Run{Kind: RunNone}}
	m.Require("name")
	if base, ok := m.String("extends"); ok {
		b, err := Load(base)
		if err != nil {
			m.Bad("extends", strict.DidYouMean(base, Names()), "unknown target `%s`", base)
			return t
		}
		t = b
		t.Alias = ""
	} else if !m.Has("extends") {
		m.Require("triple", "data_layout", "pointer_bits", "endian", "char", "types", "headers")
	}
	readCompiler(m, &t)
	readMachine(m, &t)
	checkLayout(m, &t)
	return t
}

func readCompiler(m *strict.Map, t *Target) {
	set(&t.Name)(m.String("name"))
	if t.Name != "" && !targetName.MatchString(t.Name) {
		m.Bad("name", "use letters, digits, `-`, `_`, `.` and `+`", "`%s` cannot be the name of a target", t.Name)
	}
	set(&t.Description)(m.String("description"))
	set(&t.Triple)(m.String("triple"))
	set(&t.CPU)(m.String("cpu"))
	set(&t.DataLayout)(m.String("data_layout"))
	if v, ok := m.Int("pointer_bits", 8, 64); ok {
		if v%8 != 0 {
			m.Bad("pointer_bits", "16, 32 or 64", "`%s` is %d: it must be a multiple of 8", m.Field("pointer_bits"), v)
		}
		t.PointerBits = int(v)
	}
	if v, ok := m.Enum("endian", "little", "big"); ok {
		t.BigEndian = v == "big"
	}
	if v, ok := m.Enum("char", "signed", "unsigned"); ok {
		t.CharSigned = v == "signed"
	}
	readTypes(m, t)
	set(&t.CFlags)(m.Strings("cflags"))
	set(&t.Headers)(m.Strings("headers"))
	set(&t.Package)(m.String("package"))
	set(&t.CXXHeaders)(m.Strings("cxx_headers"))
	set(&t.CXXPackage)(m.String("cxx_package"))
	set(&t.OwnAssert)(m.Bool("own_assert"))
	set(&t.Defines)(m.Strings("defines"))
}

// set stores a value that was there and right, and leaves what was before otherwise.
func set[T any](p *T) func(T, bool) {
	return func(v T, ok bool) {
		if ok {
			*p = v
		}
	}
}

func readTypes(m *strict.Map, t *Target) {
	if !m.Has("types") {
		return
	}
	at := map[string]*CType{
		"char": &t.Types.Char, "short": &t.Types.Short, "int": &t.Types.Int, "long": &t.Types.Long,
		"long_long": &t.Types.LongLong,
		"pointer":   &t.Types.Pointer, "size_t": &t.Types.SizeT, "wchar": &t.Types.WChar, "float": &t.Types.Float,
		"double": &t.Types.Double, "long_double": &t.Types.LongDouble,
	}
	var keys []string
	for _, n := range (CTypes{}).Named() {
		keys = append(keys, n.Key)
	}
	types := m.R.Map(m.Value("types"), m.Field("types"), keys)
	if types == nil {
		return
	}
	if !m.Has("extends") {
		types.Require(keys...)
	}
	for _, key := range types.Keys() {
		ct := m.R.Map(types.Value(key), types.Field(key), []string{"size", "align"})
		if ct == nil {
			continue
		}
		ct.Require("size", "align")
		size, ok1 := ct.Int("size", 1, 16)
		align, ok2 := ct.Int("align", 1, 16)
		if ok1 && ok2 && (align&(align-1) != 0 || size%align != 0) {
			ct.Bad("align", "", "`%s` is %d: it must be a power of two that divides the size", ct.Field("align"), align)
		}
		*at[key] = CType{Size: int(size), Align: int(align)}
	}
}

func readMachine(m *strict.Map, t *Target) {
	if m.Has("memory_map") {
		t.Memory = ParseRegions(m.R, m.List("memory_map"), m.Field("memory_map"))
	}
	set(&t.Address0)(m.Bool("address0"))
	if m.Has("run") {
		t.Run = readRun(m.R, m.Value("run"), m.Field("run"))
	}
	if v, ok := m.Size("stack_size"); ok {
		if v == 0 {
			m.Bad("stack_size", "leave it out if it is not known", "`%s` is 0", m.Field("stack_size"))
		}
		t.StackSize = v
	}
	set(&t.Hosted)(m.Bool("hosted"))
	if v, ok := m.Enum("malloc", mallocNames[1:]...); ok {
		t.Malloc = MallocMayFail
		if v == MallocNeverFails.String() {
			t.Malloc = MallocNeverFails
		}
	}
	set(&t.Leak)(m.Bool("leak"))
}

// ParseRegions reads a memory map, which may not overlap itself, and sorts it by
// space and base.
func ParseRegions(r *strict.Reader, list []*yaml.Node, path string) []Region {
	var out []Region
	var nodes []*yaml.Node
	for i, n := range list {
		m := r.Map(n, path+"["+strconv.Itoa(i)+"]", []string{"name", "base", "size", "access", "space"})
		if m == nil {
			continue
		}
		m.Require("name", "base", "size", "access")
		if reg, ok := parseRegion(m); ok {
			out = append(out, reg)
			nodes = append(nodes, n)
		}
	}
	for i := range out {
		for j := range i {
			if out[i].overlaps(out[j]) {
				r.Add(nodes[i], path, "", "memory region `%s` overlaps `%s`", out[i].Name, out[j].Name)
			}
		}
	}
	SortRegions(out)
	return out
}

// SortRegions orders regions by space and base.
func SortRegions(list []Region) {
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Space != list[j].Space {
			return list[i].Space < list[j].Space
		}
		return list[i].Base < list[j].Base
	})
}

func (a Region) overlaps(b Region) bool {
	return a.Space == b.Space && a.Base <= b.Base+(b.Size-1) && b.Base <= a.Base+(a.Size-1)
}

func parseRegion(m *strict.Map) (Region, bool) {
	var reg Region
	name, ok1 := m.String("name")
	base, ok2 := m.Size("base")
	size, ok3 := m.Size("size")
	acc, ok4 := m.Enum("access", accessNames[1:]...)
	reg.Name, reg.Base, reg.Size = name, base, size
	for i, w := range accessNames {
		if i > 0 && w == acc {
			reg.Access = Access(i)
		}
	}
	if v, ok := m.Int("space", 0, 255); ok {
		reg.Space = int(v)
	}
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return reg, false
	}
	if size == 0 {
		m.Bad("size", "", "memory region `%s` has size 0", name)
		return reg, false
	}
	if base+(size-1) < base {
		m.Bad("size", "", "memory region `%s` goes past the end of a 64-bit address space", name)
		return reg, false
	}
	return reg, true
}

func readRun(r *strict.Reader, n *yaml.Node, path string) Run {
	m := r.Map(n, path, []string{"kind", "arch", "program", "machine", "cpu", "rom", "ram"})
	if m == nil {
		return Run{}
	}
	m.Require("kind")
	run := Run{Kind: RunNone}
	kind, ok := m.Enum("kind", runNames[1:]...)
	if !ok {
		return run
	}
	switch kind {
	case "native":
		run.Kind = RunNative
		set(&run.Arch)(m.String("arch"))
	case "qemu":
		run.Kind = RunQEMU
		m.Require("program", "machine", "rom", "ram")
		set(&run.Program)(m.String("program"))
		set(&run.Machine)(m.String("machine"))
		set(&run.CPU)(m.String("cpu"))
		run.ROM = readBlock(m, "rom", ROM)
		run.RAM = readBlock(m, "ram", RAM)
	}
	return run
}

func readBlock(m *strict.Map, key string, a Access) Region {
	if !m.Has(key) {
		return Region{}
	}
	b := m.R.Map(m.Value(key), m.Field(key), []string{"base", "size"})
	if b == nil {
		return Region{}
	}
	b.Require("base", "size")
	base, _ := b.Size("base")
	size, _ := b.Size("size")
	return Region{Name: key, Base: base, Size: size, Access: a}
}

// checkLayout holds the fields of a target to each other.
func checkLayout(m *strict.Map, t *Target) {
	if t.DataLayout != "" && t.DataLayout[0] != 'e' && t.DataLayout[0] != 'E' {
		m.Bad("data_layout", "copy it from `clang --target=... -S -emit-llvm`", "`%s` must start with `e-` or `E-`",
			m.Field("data_layout"))
		return
	}
	if t.DataLayout != "" && (t.DataLayout[0] == 'E') != t.BigEndian {
		m.Bad("endian", "", "`%s` does not agree with the data layout, which starts with `%c`", m.Field("endian"),
			t.DataLayout[0])
	}
	if p := t.Types.Pointer.Size; p != 0 && p*8 != t.PointerBits {
		m.Bad("pointer_bits", "", "`%s` is %d but a pointer has %d bytes", m.Field("pointer_bits"), t.PointerBits, p)
	}
	limit := ^uint64(0)
	if t.PointerBits > 0 && t.PointerBits < 64 {
		limit = 1<<t.PointerBits - 1
	}
	for _, reg := range t.Memory {
		if reg.Space == 0 && reg.Base+(reg.Size-1) > limit {
			m.Bad("memory_map", "", "memory region `%s` ends above the target's %d-bit address space", reg.Name,
				t.PointerBits)
		}
	}
}
