package ir

import (
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/verifier/policy"
)

// quietWords are the mnemonics of barriers, hints and interrupt masks of the
// supported processors: none of them changes memory or a register that the
// program can see, except the mask registers that mrs and the like read.
var quietWords = map[string]bool{
	"": true, "nop": true, "dmb": true, "dsb": true, "isb": true, "wfi": true, "wfe": true, "sev": true, "yield": true,
	"cpsid": true, "cpsie": true,
	"mfence": true, "lfence": true, "sfence": true, "pause": true, "cli": true, "sei": true, "sti": true,
	"sleep": true, "wdr": true,
	"fence": true, "fence.i": true, "bkpt": true, "mrs": true, "msr": true, "csrr": true, "csrw": true, "csrs": true,
	"csrc":  true,
	"csrrs": true, "csrrc": true, "csrrw": true, "csrrsi": true, "csrrci": true, "csrsi": true, "csrci": true,
	"csrwi": true, "csrrwi": true,
	"hlt": true, "pushf": true, "pushfl": true, "pushfq": true, "popf": true, "popfl": true, "popfq": true,
	"dint": true, "eint": true,
	"bset": true, "bclr": true, "in": true, "out": true, // AVR
	// ARM
	"clrex": true, "sevl": true, "csdb": true, "ssbb": true, "pssbb": true, "vmrs": true, "vmsr": true, "dbg": true,
	// MIPS
	"sync": true, "synci": true, "ehb": true, "ssnop": true, "di": true, "ei": true, "wait": true, "mfc0": true,
	"mtc0":  true,
	"rdtsc": true, "rdtscp": true, "cpuid": true, "rdmsr": true, "wrmsr": true, "rdpmc": true, "swapgs": true, // x86
}

// String returns the assembly as one line, cut where it is long.
func (a *Asm) String() string {
	var out []string
	for _, line := range strings.Split(lineComment.ReplaceAllString(a.Template, ""), "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	s := []rune(strings.Join(out, "; "))
	if len(s) > policy.AsmShown {
		return strings.TrimSpace(string(s[:policy.AsmShown])) + " ..."
	}
	return string(s)
}

// lineComment matches comments up to the end of a line that no supported assembler reads as anything else.
var lineComment = regexp.MustCompile(`(?m)(//|@[ \t]).*$`)

// WithoutBlockComments puts a space in the place of each comment between /* and */.
func WithoutBlockComments(s string) string {
	for {
		from := strings.Index(s, "/*")
		if from < 0 {
			return s
		}
		to := strings.Index(s[from+2:], "*/")
		if to < 0 {
			return s[:from]
		}
		s = s[:from] + " " + s[from+2+to+2:]
	}
}

// QuietAsm reports whether inline assembly changes nothing but its outputs:
// barriers, hints, interrupt masks and reads of special registers.
func QuietAsm(a *Asm) bool {
	text := lineComment.ReplaceAllString(WithoutBlockComments(a.Template), "")
	text = strings.ReplaceAll(text, "$(", ";") // how LLVM writes {, which separates instructions of the MSP430
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' || r == '{' }) {
		words := strings.Fields(strings.ToLower(line))
		if len(words) > 0 && !quietWords[words[0]] && !quietMove(a, words) && !quietFlags(a, words) {
			return false
		}
	}
	return true
}

// quietFlags reports whether words are a change of the status register of the MSP430, and the way of the
// flags through the stack on x86.
func quietFlags(a *Asm, words []string) bool {
	switch op, _, _ := strings.Cut(words[0], "."); op {
	case "bis", "bic", "mov":
		to := words[len(words)-1]
		return to == "sr" || to == "r2" || strings.HasSuffix(to, ",sr") || strings.HasSuffix(to, ",r2")
	case "push", "pushl", "pushq", "pop", "popl", "popq":
		t := strings.ToLower(a.Template)
		return strings.Contains(t, "pushf") || strings.Contains(t, "popf")
	}
	return false
}

// quietMove reports whether words are a move between registers, or of a number, other than to the
// program counter and the stack pointer.
func quietMove(a *Asm, words []string) bool {
	switch words[0] {
	case "mov", "movs", "movw", "mvn":
	default:
		return false
	}
	rest := strings.Join(words[1:], " ")
	return !strings.ContainsAny(rest, "[(") && !strings.Contains(rest, "pc") && !strings.Contains(rest, "sp") &&
		!strings.Contains(a.Constraints, "*m")
}
