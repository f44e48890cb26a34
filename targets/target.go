// Package targets says what each machine is that firmware is verified for: triple,
// data layout, widths of C types, headers, memory map, how to run a program on it.
//
// A target is data: one YAML file in data/, held to what clang says by a test. Users
// add their own, inline in `.firmproof.yml` or in a file, with the same keys; with
// `extends` only what differs is written.
package targets

// Target is a machine as the compiler and the verifier see it.
type Target struct {
	Name        string
	Description string
	Alias       string // for `host`: the name of the target that it stands for
	Triple      string // for clang's --target
	CPU         string // for clang's -mcpu (-march on x86, -mmcu on AVR), or empty
	DataLayout  string // LLVM's data layout string
	PointerBits int    // width of a data pointer
	BigEndian   bool
	CharSigned  bool // plain char is signed
	Types       CTypes
	CFlags      []string // further flags for clang
	Headers     []string // candidates for the C library's headers, see HeaderDirs
	Package     string   // Debian package that has the headers
	CXXHeaders  []string // candidates for the C++ library's headers, see CXXHeaderDirs
	CXXPackage  string   // Debian package that has them
	OwnAssert   bool     // firmproof's assert.h goes before the library's, which loses the expression
	Defines     []string
	Memory      []Region // sorted by space and base; empty on hosted targets
	Address0    bool     // address 0 holds something that a program may access
	Run         Run
	StackSize   uint64 // bytes
	Hosted      bool   // there is an operating system and a whole C library
	Malloc      Malloc
	Leak        bool // the check `leak` is on unless said otherwise
}

// CType is the size and alignment of a C type, in bytes. The alignment is that of
// a struct member.
type CType struct{ Size, Align int }

// CTypes are the sizes and alignments of C's types.
type CTypes struct {
	Char, Short, Int, Long, LongLong, Pointer, SizeT, WChar, Float, Double, LongDouble CType
}

// Named lists the types with their names in C, in the order of C's ranks.
func (t CTypes) Named() []NamedCType {
	return []NamedCType{
		{"char", "char", t.Char}, {"short", "short", t.Short}, {"int", "int", t.Int}, {"long", "long", t.Long},
		{"long_long", "long long", t.LongLong}, {"pointer", "void *", t.Pointer}, {"size_t", "__SIZE_TYPE__", t.SizeT},
		{"wchar", "__WCHAR_TYPE__", t.WChar}, {"float", "float", t.Float}, {"double", "double", t.Double},
		{"long_double", "long double", t.LongDouble},
	}
}

// NamedCType is a C type with its key in a target file and its spelling in C.
type NamedCType struct {
	Key, C string
	CType
}

// Access says what a region of memory does with reads and writes.
type Access int

// The kinds of access.
const (
	InvalidAccess Access = iota
	RAM                  // reads give what was written
	ROM                  // read only; contents of constants, otherwise unknown but fixed
	Volatile             // device: every read is a fresh value, writes go away
	Constant             // read only, unknown but never changing
	WriteOnly            // writes go away, a read is a violation
)

var accessNames = [...]string{"invalid", "ram", "rom", "volatile", "constant", "write-only"}

// String returns the word used in target files and manifests.
func (a Access) String() string {
	if a < 0 || int(a) >= len(accessNames) {
		return accessNames[0]
	}
	return accessNames[a]
}

// Region is a range of addresses.
type Region struct {
	Name   string
	Space  int // address space as LLVM numbers them: 0 data, 1 program memory on AVR
	Base   uint64
	Size   uint64
	Access Access
}

// RunKind says how a program for a target can be executed here.
type RunKind int

// The ways to run a program.
const (
	InvalidRun RunKind = iota
	RunNone            // not at all
	RunNative          // as a process of this machine
	RunQEMU            // on an emulated board
)

var runNames = [...]string{"invalid", "none", "native", "qemu"}

// String returns the word used in target files.
func (k RunKind) String() string {
	if k < 0 || int(k) >= len(runNames) {
		return runNames[0]
	}
	return runNames[k]
}

// Run says how to execute a program for a target.
type Run struct {
	Kind    RunKind
	Arch    string // native: the machine that can, as Go names it; empty when any can
	Program string // qemu: the emulator
	Machine string // qemu: its -machine
	CPU     string // qemu: its -cpu, or empty for the machine's own
	ROM     Region // qemu: where code and constants go
	RAM     Region // qemu: where data and the stack go
}

// Malloc says what a failed allocation looks like.
type Malloc int

// What malloc may do.
const (
	InvalidMalloc Malloc = iota
	MallocMayFail        // any call may give a null pointer
	MallocNeverFails
)

var mallocNames = [...]string{"invalid", "may-fail", "never-fails"}

// String returns the word used in target files.
func (m Malloc) String() string {
	if m < 0 || int(m) >= len(mallocNames) {
		return mallocNames[0]
	}
	return mallocNames[m]
}

// Freestanding as an entry of Headers means that only the compiler's own headers exist.
const Freestanding = "freestanding"
