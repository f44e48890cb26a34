package compile

import (
	"fmt"
	"slices"
	"strings"
)

// machineFlags are the flags of the form -m... that are known. Those that choose a processor, or how code is
// made, change no value: the target brings its own. Those that change layouts are seen by asking the compiler
// (compareABI), and are refused if it cannot be asked.
var machineFlags = struct{ processor, layout []string }{
	processor: []string{
		"-march", "-mcpu", "-mtune", "-mthumb", "-marm", "-mno-thumb", "-mfloat-abi", "-mfpu", "-mfpmath",
		"-m32",
		"-m64", "-msoft-float", "-mhard-float", "-mno-soft-float", "-msse", "-mno-sse", "-mssse", "-mno-ssse", "-mavx",
		"-mno-avx",
		"-mmmx", "-mno-mmx", "-m3dnow", "-mno-3dnow", "-mfma", "-mno-fma", "-mbmi", "-maes", "-mpclmul", "-mpopcnt",
		"-mrdrnd",
		"-mrdseed", "-mcx16", "-mlzcnt", "-mmovbe", "-mxsave", "-mno-80387", "-m80387", "-mieee-fp", "-mfancy-math",
		"-mred-zone", "-mno-red-zone", "-mcmodel", "-mpreferred-stack-boundary", "-mincoming-stack-boundary",
		"-mstackrealign",
		"-maccumulate-outgoing-args", "-momit-leaf-frame-pointer", "-mno-omit-leaf-frame-pointer", "-mregparm", "-mrtd",
		"-mtls", "-mgeneral-regs-only", "-mindirect-branch", "-mfunction-return", "-mretpoline", "-mskip-rax",
		"-mrecord-mcount",
		"-mfentry", "-mno-fentry", "-mstack-protector", "-mbranch-protection", "-mbranch-cost", "-mcall-prologues",
		"-mno-interrupts",
		"-mrelax", "-mno-relax", "-mstrict-X", "-mtiny-stack", "-maccumulate-args", "-mgas-isr-prologues",
		"-mmain-is-OS_task",
		"-mabsdata", "-mshort-calls", "-mn-flash", "-mfract-convert", "-mnodevicelib", "-mlong-calls",
		"-mno-long-calls",
		"-mslow-flash-data", "-mpure-code", "-mpoke-function-name", "-mtpcs", "-mapcs", "-mno-apcs", "-mno-tpcs",
		"-msched-prolog",
		"-mno-sched-prolog", "-mthumb-interwork", "-mno-thumb-interwork", "-munaligned-access", "-mno-unaligned-access",
		"-mword-relocations", "-mfix-", "-mno-fix-", "-mcmse", "-mflip-thumb", "-mrestrict-it", "-mno-restrict-it",
		"-mpic-", "-mno-pic-", "-msingle-pic-base", "-mno-single-pic-base", "-mneon", "-masm", "-mvectorize",
		"-mprint-tune", "-mtext-section-literals",
		"-mno-text-section-literals", "-mlongcalls", "-mno-longcalls", "-mserialize-volatile",
		"-mno-serialize-volatile",
		"-mforce-no-pic", "-mcode-region", "-mdata-region", "-mhwmult", "-msilicon-errata", "-mno-warn", "-mwarn",
		"-mdisable",
		"-mstrict-align", "-mno-strict-align", "-msave-restore", "-mno-save-restore", "-mdiv", "-mno-div", "-mfdiv",
		"-mno-fdiv",
		"-msmall-data-limit", "-mexplicit-relocs", "-mno-explicit-relocs", "-mcsr-check", "-misa-spec", "-mplt",
		"-mno-plt",
		"-minline", "-mno-inline", "-mips", "-mno-mips16", "-mmips16", "-mmicromips", "-mno-micromips", "-mno-abicalls",
		"-mabicalls", "-mdsp", "-mno-dsp", "-mshared", "-mno-shared", "-mllsc", "-mno-llsc", "-mgpopt", "-mno-gpopt",
		"-mlocal-sdata", "-mextern-sdata", "-membedded-data", "-mno-check-zero-division", "-mcheck-zero-division",
		"-mfp32", "-mfp64",
		"-mfpxx", "-mnan", "-moutline", "-mno-outline", "-mharden", "-mno-implicit-float", "-mimplicit-float", "-mllvm",
	},
	layout: []string{
		"-malign-double", "-mno-align-double", "-malign-data", "-mlong-double", "-m96bit-long-double",
		"-m128bit-long-double",
		"-mms-bitfields", "-mno-ms-bitfields", "-mdouble=", "-mint8", "-mno-int8", "-mint16", "-mint32", "-mint64",
		"-mlong32", "-mlong64",
		"-mstructure-size-boundary", "-mlarge", "-msmall", "-mabi=", "-mbig-endian", "-mlittle-endian", "-mbig",
		"-mlittle",
		"-meb", "-mel", "-mEB", "-mEL", "-m16", "-mx32", "-mshort", "-mno-short", "-mno-bit-align", "-mbit-align",
	},
}

// unsupported are the flags whose meaning cannot be had, and why. They are refused.
var unsupported = map[string]string{
	"-fshort-double": "double is as the target has it",
}

// notFollowed are the flags that add to what a program does, and what is verified.
var notFollowed = map[string]string{
	"-finstrument-functions": "calls of __cyg_profile_func_enter and __cyg_profile_func_exit are not part of what is verified",
	"-fopenmp":               "the pragmas are read as comments, and the program as one thread",
	"-fopenacc":              "the pragmas are read as comments",
	"-fgnu-tm":               "transactions are not part of what is verified",
	"-fsplit-stack":          "the stack is taken to be one",
}

// deviceFlag begins the flag that names a device of AVR or MSP430, whose headers its macro chooses by.
const deviceFlag = "-mmcu="

// namesDevices reports whether the target's devices are named by deviceFlag.
func (r *Request) namesDevices() bool {
	return strings.HasPrefix(r.Target.Triple, "avr") || strings.HasPrefix(r.Target.Triple, "msp430")
}

// machineFlag sorts in a flag of the form -m....
func (c *call) machineFlag(a string) {
	known := func(list []string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(a, p) })
	}
	switch {
	case strings.HasPrefix(a, deviceFlag):
		c.flags = append(c.flags, a)
	case !known(machineFlags.layout) && !known(machineFlags.processor):
		c.unknown = append(c.unknown, a)
	}
}

// changesLayout reports whether a flag may change the layout of data in a way that clang is not told of.
func changesLayout(a string) bool {
	return slices.ContainsFunc(machineFlags.layout, func(p string) bool { return strings.HasPrefix(a, p) }) &&
		!strings.HasPrefix(a, "-mabi=") && !strings.HasPrefix(a, "-mlittle") // the usual ones, which the target has
}

// layoutWords returns the words of a call that may change the layout of data.
func layoutWords(args []string) []string {
	var out []string
	for _, a := range args {
		if changesLayout(a) {
			out = append(out, a)
		}
	}
	return out
}

// charset refuses character sets other than UTF-8, which clang has alone.
func (c *call) charset(a string) error {
	flag, set, _ := strings.Cut(a, "=")
	switch strings.ToUpper(set) {
	case "UTF-8", "UTF8", "ASCII", "US-ASCII":
		return nil
	}
	return fmt.Errorf("`%s` is not followed: characters are UTF-8 here (take `%s` away, or say UTF-8)", a, flag)
}

// vendorWords returns the words of a call on which the compiler's ABI depends.
func vendorWords(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-target" && i+1 < len(args):
			out = append(out, a, args[i+1])
			i++
		case withArg[a] || hasArg(a):
			i++
		case strings.HasPrefix(a, "-m") && a != "-mllvm", strings.HasPrefix(a, "--target="), a == "-EB", a == "-EL",
			isABIWord(a):
			out = append(out, a)
		}
	}
	return out
}

// hasArg reports whether the flag's argument is the next word.
func hasArg(a string) bool {
	_, two := withArg[a]
	return two || a == "-I" || a == "-D" || a == "-U"
}

// abiWords returns those of clang's flags on which its ABI depends.
func abiWords(flags []string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		a := flags[i]
		switch {
		case a == "-Xclang" && i+1 < len(flags):
			out = append(out, a, flags[i+1])
			i++
		case hasArg(a):
			i++
		case a == "-w", strings.HasPrefix(a, "-m"), strings.HasPrefix(a, "-D__"), strings.HasPrefix(a, "-U__"),
			isABIWord(a):
			out = append(out, a)
		}
	}
	return out
}

func isABIWord(a string) bool {
	switch {
	case a == "-ansi", strings.HasPrefix(a, "-std="), strings.HasPrefix(a, "-fpack-struct="),
		strings.HasPrefix(a, "-fexcess-precision="), isFastMath(a), a == "-fshort-double", a == "-fsigned-bitfields":
		return true
	}
	return keptFlags[a] && strings.HasPrefix(a, "-f")
}

// isFastMath reports a flag by which arithmetic need not be as IEEE 754 says: clang has them, and results are any value.
func isFastMath(a string) bool {
	return slices.Contains([]string{"-ffast-math", "-fno-fast-math", "-funsafe-math-optimizations",
		"-fno-unsafe-math-optimizations", "-ffinite-math-only", "-fno-finite-math-only", "-fassociative-math",
		"-fno-associative-math", "-freciprocal-math", "-fno-reciprocal-math", "-fno-signed-zeros", "-fsigned-zeros"}, a)
}
