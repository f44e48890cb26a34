package compile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

// call is a compiler call brought into clang's terms.
type call struct {
	files []string // inputs, as given
	flags []string // for clang; -I and -D in one word
	notes []string
	// flags that are neither known nor followed
	unknown []string

	level, aliasing string // the last flags of optimisation, and about the rule on types
}

// withArg lists flags whose argument is the next word: kept (true) or dropped.
var withArg = map[string]bool{
	"-include": true, "-imacros": true, "-isystem": true, "-iquote": true, "-idirafter": true,
	"-o": false, "-MF": false, "-MT": false, "-MQ": false, "-T": false, "-Xlinker": false, "-Xassembler": false,
	"-Xpreprocessor": false,
	"-L":             false, "-l": false, "-z": false, "-u": false, "-aux-info": false, "--param": false,
	"-arch":    false,
	"-target":  false,
	"-wrapper": false, "-specs": false, "-dumpbase": false, "-mllvm": false, "-Xclang": false, "-iprefix": false,
	"-isysroot": false,
	"--sysroot": false, "-x": false, "-G": false, "-A": false, "-e": false, "-Xarch": false,
}

// keptFlags change what the C means, and clang has them.
var keptFlags = map[string]bool{
	"-ansi": true, "-funsigned-char": true, "-fsigned-char": true, "-fno-signed-char": true, "-fno-unsigned-char": true,
	"-fshort-enums": true, "-fno-short-enums": true, "-fshort-wchar": true, "-fno-short-wchar": true,
	"-fpack-struct": true, "-fno-pack-struct": true, "-fwrapv": true, "-fno-wrapv": true, "-fno-strict-overflow": true,
	"-fcommon": true, "-fno-common": true, "-ffreestanding": true, "-fhosted": true, "-fms-extensions": true,
	"-fplan9-extensions": true,
	"-fgnu89-inline":     true, "-fno-gnu89-inline": true, "-fno-asm": true, "-undef": true, "-trigraphs": true,
	"-nostdinc":                    true,
	"-fdelete-null-pointer-checks": true, "-fno-delete-null-pointer-checks": true, "-fdollars-in-identifiers": true,
	"-fsingle-precision-constant": true, "-fno-math-errno": true, "-fmath-errno": true,
	"-fsigned-bitfields": true,
}

// quietFlags are dropped without a note: they steer optimisation, warnings,
// output and linking, and do not change what the C means.
var quietFlags = []string{
	"-g", "-W", "-w", "-M", "-pipe", "-pedantic", "-c", "-S", "-E", "-v", "-s", "-Q", "-fdiagnostics",
	"-fmessage", "-fcolor",
	"-ffunction-sections", "-fdata-sections", "-fno-function-sections", "-fno-data-sections", "-fomit-frame-pointer",
	"-fno-omit-frame-pointer",
	"-fstack-usage", "-fcallgraph-info", "-fno-exceptions", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
	"-fno-rtti", "-fpermissive", "-fno-use-cxa-atexit", "-fuse-cxa-atexit", "-fno-sized-deallocation",
	"-fsized-deallocation", "-fPI", "-fpi",
	"-fno-pi", "-fno-PI", "-fmacro-prefix-map", "-fdebug-prefix-map", "-ffile-prefix-map", "-flto", "-fno-lto",
	"-ffat-lto", "-fno-fat-lto", "-fuse-l", "-nostd", "-nodefaultlibs",
	"-nostartfiles", "-static", "-shared", "-rdynamic", "-save-temps", "-P", "-C", "-dD", "-dM", "-L", "-l",
	"-fno-builtin", "-fbuiltin",
	"-finline", "-fno-inline", "-funroll", "-fno-unroll", "-ftree", "-fno-tree", "-fipa", "-fno-ipa", "-fmax-errors",
	"-ftemplate", "-falign", "-fno-align",
	"-fmerge", "-fno-merge", "-fverbose-asm", "-fno-ident", "-fident",
	"-fstack-protector", "-fno-stack-protector",
	"-fno-plt", "-fvisibility", "-fno-semantic", "-fgcse", "-fno-gcse", "-fno-jump-tables", "-fjump-tables",
	"-freorder", "-fno-reorder", "-fsched", "-fno-sched", "-fkeep", "-fno-keep",
	"-fno-zero-initialized", "-fsection-anchors", "-fno-section-anchors",
	"-fanalyzer", "-fno-common-", "-fuse-linker-plugin", "-fno-use-linker-plugin",
	"-fno-toplevel-reorder", "-fno-threadsafe", "-fstack-clash", "-fcf-protection", "-fno-var-tracking",
	"-fvar-tracking", "-fno-caller", "-fexcess-precision=", "-ffloat-store", "-fno-float-store", "-frounding-math",
	"-fno-rounding-math", "-fno-trapping-math", "-ftrapping-math", "-fsignaling-nans", "-fno-signaling-nans",
	"-fcx-limited-range", "-fcx-fortran-rules", "-fstrict-volatile-bitfields", "-fno-strict-volatile-bitfields",
	"-freg-struct-return",
	"-fpcc-struct-return", "-fstrict-overflow", "-fno-stack-limit", "-fstack-limit", "-fstack-check",
	"-fno-stack-check",
	"-ftrivial-auto-var-init=", "-fzero-call-used-regs", "-fprofile", "-fno-profile", "-ftest-coverage", "-fdump",
	"-fopt-info",
	"-foptimize", "-fno-optimize", "-fexpensive", "-fno-expensive", "-fcse", "-fno-cse", "-fforward-propagate",
	"-fno-forward-propagate",
	"-fif-conversion", "-fno-if-conversion", "-floop", "-fno-loop", "-fpeel", "-fno-peel", "-fpeephole",
	"-fno-peephole", "-fprefetch", "-fno-prefetch",
	"-fsplit-paths", "-fno-split-paths", "-fsplit-wide", "-fno-split-wide", "-fsplit-loops", "-fno-split-loops",
	"-fthread-jumps", "-fno-thread-jumps",
	"-fcode-hoisting", "-fno-code-hoisting", "-fcrossjumping", "-fno-crossjumping", "-fdce", "-fno-dce", "-fdse",
	"-fno-dse", "-fdefer-pop", "-fno-defer-pop",
	"-fshrink-wrap", "-fno-shrink-wrap", "-fselective", "-fno-selective", "-fdelayed-branch", "-fno-delayed-branch",
	"-fcombine", "-fpartial", "-fno-partial",
	"-fcprop", "-fno-cprop", "-fstore-merging", "-fno-store-merging", "-fvect-cost", "-fno-vect", "-fauto-inc",
	"-fno-auto-inc", "-fcompare-elim",
	"-fno-compare-elim", "-fisolate", "-fno-isolate", "-fhoist", "-fno-hoist", "-frerun", "-fno-rerun", "-fconserve",
	"-fno-conserve", "-fcallee",
	"-fno-local-ivars", "-fno-ivopts", "-fivopts", "-flive-range", "-fno-live-range", "-fssa", "-fno-ssa",
	"-fstdarg-opt", "-fno-stdarg-opt", "-fsemantic",
	"-fsched", "-fsplit-ivs", "-fno-split-ivs", "-ftls-model", "-fdebug", "-fno-debug", "-fdwarf", "-fno-dwarf",
	"-feliminate", "-fno-eliminate",
	"-femit", "-frecord-gcc", "-fno-record-gcc", "-fshow", "-fno-show", "-fextended-identifiers",
	"-fno-extended-identifiers", "-ftabstop", "-fworking-directory",
	"-fno-working-directory", "-fpch", "-fno-unsigned-bitfields", "-fsanitize", "-fno-sanitize", "-fstrict-flex",
	"-fallow-store-data-races", "-fno-allow-store-data-races",
	"-fno-semantic-interposition", "-fasynchronous-unwind-tables", "-funwind-tables", "-fexceptions",
	"-fcompare-debug", "-fno-lifetime-dse", "-flifetime-dse",
	"-fno-ira", "-fira", "-fno-ira", "-fweb", "-frename", "-ftrack", "-B",
}

// foreignCompilers are compilers of C whose command lines and dialects are their own, with who makes them.
var foreignCompilers = map[string]string{
	"iccarm": "IAR", "iccavr": "IAR", "icc430": "IAR", "iccrx": "IAR", "iccrl78": "IAR", "iccriscv": "IAR",
	"iccstm8": "IAR", "icc8051": "IAR", "iccv850": "IAR", "iccrh850": "IAR",
	"armcc": "Arm Compiler 5", "tcc": "Arm", "c51": "Keil", "cx51": "Keil", "c166": "Keil", "c251": "Keil",
	"cl430": "TI", "cl2000": "TI", "cl6x": "TI", "cl470": "TI", "armcl": "TI", "clpru": "TI", "clarp32": "TI",
	"ccrx": "Renesas", "ccrl": "Renesas", "ccrh": "Renesas", "shc": "Renesas", "sdcc": "SDCC", "xc8": "Microchip",
	"xc8-cc": "Microchip", "picc": "Microchip", "ccsc": "CCS", "cxstm8": "Cosmic", "cxcorm": "Cosmic",
	"mwccarm": "CodeWarrior", "chc12": "CodeWarrior", "ccarm": "Green Hills", "ccppc": "Green Hills",
	"dcc": "Wind River", "cctc": "Tasking", "ctc": "Tasking", "carm": "Tasking", "cl": "Microsoft",
}

// preprocessorWords puts what -Wp and -Xpreprocessor hand to the preprocessor in their place, if it is about macros,
// headers and folders (GCC: Preprocessor Options).
func preprocessorWords(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		words, given := strings.CutPrefix(args[i], "-Wp,")
		if args[i] == "-Xpreprocessor" && i+1 < len(args) {
			i, words, given = i+1, args[i+1], true
		}
		switch {
		case !given:
			out = append(out, args[i])
		case strings.HasPrefix(words, "-D"), strings.HasPrefix(words, "-U"), strings.HasPrefix(words, "-I"),
			strings.HasPrefix(words, "-i"):
			out = append(out, strings.Split(words, ",")...)
		}
	}
	return out
}

// translate reads a call of gcc, clang or a relative of theirs. Target flags (-m...,
// --target) go: the target brings its own, and adoptABI compares what both mean.
func translate(dir string, argv []string) (call, error) {
	var c call
	if maker := foreignCompilers[strings.TrimSuffix(filepath.Base(argv[0]), ".exe")]; maker != "" {
		return c, fmt.Errorf("%s (%s) is neither GCC nor clang, and its flags and extensions are not followed: "+
			"record a build with GCC or clang, or name files, folders and macros by `sources`, `include` and `defines` of `build`",
			filepath.Base(argv[0]), maker)
	}
	args, err := expandResponse(dir, argv[1:])
	if err != nil {
		return c, err
	}
	args = preprocessorWords(args)
	for i := 0; i < len(args); i++ {
		a := args[i]
		next := func() (string, bool) {
			if i+1 >= len(args) {
				return "", false
			}
			i++
			return args[i], true
		}
		if a == "-I" || a == "-D" || a == "-U" {
			v, ok := next()
			if !ok {
				return c, fmt.Errorf("`%s` is the last word of the call", a)
			}
			c.flags = append(c.flags, a+v)
			continue
		}
		if keep, two := withArg[a]; two {
			v, ok := next()
			if !ok {
				return c, fmt.Errorf("`%s` is the last word of the call", a)
			}
			if keep {
				c.flags = append(c.flags, a, v)
			} else if a == "-x" && v != "c" && v != "none" {
				c.notes = append(c.notes, fmt.Sprintf("files given as -x %s are not verified", v))
			}
			continue
		}
		if err := c.word(a); err != nil {
			return c, err
		}
	}
	if len(c.unknown) > 0 {
		c.notes = append(c.notes, fmt.Sprintf("flags are not followed, and not known to matter: %s",
			strings.Join(c.unknown, " ")))
	}
	if c.aliasing == noStrictAliasing || c.aliasing == "" && (c.level == "" || c.level == "-O0" || c.level == "-Og") {
		c.flags = append(c.flags, noStrictAliasing)
	}
	return c, nil
}

// word sorts in a flag or file that stands alone. The error says that a flag changes what the program means
// in a way that is not followed.
func (c *call) word(a string) error {
	switch {
	case a == "-" || a == "":
	case a[0] != '-':
		c.files = append(c.files, a)
	case a == "-xc", a == "-xnone":
	case strings.HasPrefix(a, "-I"), strings.HasPrefix(a, "-D"), strings.HasPrefix(a, "-U"), keptFlags[a],
		strings.HasPrefix(a, "-fpack-struct="), strings.HasPrefix(a, "-ffp-contract="),
		strings.HasPrefix(a, "-isystem"), strings.HasPrefix(a, "-iquote"),
		strings.HasPrefix(a, "-include"), isFastMath(a):
		c.flags = append(c.flags, a)
	case strings.HasPrefix(a, "-O"):
		c.level = a
	case a == noStrictAliasing, a == "-fstrict-aliasing":
		c.aliasing = a
	case strings.HasPrefix(a, "-std="), strings.HasPrefix(a, "--std="):
		c.flags = append(c.flags, "-std="+cStandard(a[strings.Index(a, "=")+1:]))
	case a == unsignedFields, a == "-fno-signed-bitfields":
		c.flags = append(c.flags, unsignedFields)
	case unsupported[a] != "":
		return fmt.Errorf("`%s` is not followed: %s", a, unsupported[a])
	case strings.HasPrefix(a, "-fexec-charset="), strings.HasPrefix(a, "-fwide-exec-charset="),
		strings.HasPrefix(a, "-finput-charset="):
		return c.charset(a)
	case notFollowed[a] != "":
		c.notes = append(c.notes, fmt.Sprintf("flag %s is not followed: %s", a, notFollowed[a]))
	case a == "-ftrapv":
		c.notes = append(c.notes, "flag -ftrapv is dropped: signed overflow is checked")
	case a == "-mfma", a == "-mfma4", fusingCPU(a): // flags drops it where the target is no x86
		c.flags = append(c.flags, "-mfma")
	case strings.HasPrefix(a, "-m"):
		c.machineFlag(a)
	case strings.HasPrefix(a, "--target="), strings.HasPrefix(a, "--sysroot"), a == "-EB", a == "-EL",
		strings.HasPrefix(a, "-specs="), strings.HasPrefix(a, "--specs="):
	case quiet(a):
	default:
		c.unknown = append(c.unknown, a)
	}
	return nil
}

// fusingCPU reports a flag that chooses an x86 processor which can round a product and a sum once.
func fusingCPU(a string) bool {
	cpu, ok := strings.CutPrefix(a, "-march=")
	for _, with := range []string{"native", "x86-64-v3", "x86-64-v4", "haswell", "core-avx2", "broadwell", "skylake",
		"cannonlake", "icelake", "cascadelake", "cooperlake", "tigerlake", "sapphirerapids", "alderlake", "rocketlake",
		"knl", "knm", "znver", "bdver"} {
		if ok && strings.HasPrefix(cpu, with) && cpu != "bdver1" {
			return true
		}
	}
	return false
}

func quiet(a string) bool {
	for _, q := range quietFlags {
		if strings.HasPrefix(a, q) {
			return true
		}
	}
	return false
}

// cStandard maps gcc's names for newer standards to what every clang knows.
func cStandard(s string) string {
	switch s {
	case "c18", "iso9899:2018":
		return "c17"
	case "gnu18":
		return "gnu17"
	case "c23":
		return "c2x"
	case "gnu23":
		return "gnu2x"
	}
	return s
}

// Limits on response files, which may name each other.
const (
	maxResponseDepth = 8
	maxResponseWords = 100_000
	maxResponseFiles = 1000
	maxResponseBytes = 16 << 20 // of one
)

// response expands response files.
type response struct {
	dir          string
	words, files int // so far
}

// expandResponse puts the words of @file in its place (GCC: Overall Options).
func expandResponse(dir string, args []string) ([]string, error) {
	r := response{dir: dir}
	return r.expand(args, 0)
}

func (r *response) expand(args []string, depth int) ([]string, error) {
	if depth > maxResponseDepth {
		return nil, fmt.Errorf("response files nested deeper than %d levels", maxResponseDepth)
	}
	var out []string
	for _, a := range args {
		if len(a) < 2 || a[0] != '@' {
			if r.words++; r.words > maxResponseWords {
				return nil, fmt.Errorf("response files: more than %d words", maxResponseWords)
			}
			out = append(out, a)
			continue
		}
		if r.files++; r.files > maxResponseFiles {
			return nil, fmt.Errorf("response files: more than %d, counted as often as they are named", maxResponseFiles)
		}
		path := a[1:]
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.dir, path)
		}
		data, err := files.Read(path, maxResponseBytes)
		if err != nil {
			return nil, fmt.Errorf("response file %s: %w", a, err)
		}
		words, err := SplitCommand(string(data))
		if err != nil {
			return nil, fmt.Errorf("response file %s: %w", a, err)
		}
		if words, err = r.expand(words, depth+1); err != nil {
			return nil, err
		}
		out = append(out, words...)
	}
	return out, nil
}

// SplitCommand splits a command line as a shell would, without expanding anything.
func SplitCommand(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case quote == '\'' && ch != '\'', quote == '"' && ch != '"' && ch != '\\':
			word.WriteByte(ch)
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote, open = ch, true
		case ch == '\\':
			if i+1 == len(s) {
				return nil, errors.New("a backslash at the end")
			}
			i++
			if quote == '"' && s[i] != '"' && s[i] != '\\' && s[i] != '$' && s[i] != '`' {
				word.WriteByte('\\')
			}
			word.WriteByte(s[i])
			open = true
		case strings.IndexByte(" \t\r\n", ch) >= 0:
			if open {
				out = append(out, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteByte(ch)
			open = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote that is not closed")
	}
	if open {
		out = append(out, word.String())
	}
	return out, nil
}
