package ir

import (
	"slices"
	"strings"
)

// jumps are how the mnemonics begin that may go elsewhere than to the next instruction, on the supported
// processors: jumps, branches, calls, returns, traps.
var jumps = []string{
	"j", "b", "call", "c.j", "c.b", "cb", "tb", "loop", "ret", "rj", "ij", "eij", "rcall", "icall", "eicall", "svc",
	"swi",
	"ecall", "ebreak", "int", "iret", "syscall", "sysret", "sysenter", "sysexit", "eret", "mret", "sret", "uret",
	"dret",
	"tail", "hvc", "smc", "xbegin", "xabort", "vm", "ud", "trap", "tge", "tlt", "teq", "tne", "deret",
}

// stays are mnemonics that begin like a jump and are none.
var stays = map[string]bool{
	"bic": true, "bics": true, "bic.w": true, "bic.b": true, "bis": true, "bis.b": true, "bis.w": true, "bit": true,
	"bit.b": true,
	"bit.w": true, "bfi": true, "bfc": true, "bfxil": true, "bswap": true, "bswapl": true, "bswapq": true,
	"bset": true, "bclr": true,
	"bst": true, "bld": true, "bsf": true, "bsr": true, "bt": true, "bts": true, "btr": true, "btc": true,
	"bext": true, "bseti": true,
	"bclri": true, "bexti": true, "binv": true, "binvi": true, "cbi": true, "cbr": true, "cbw": true, "cbtw": true,
	"vmov": true, "vmrs": true, "vmsr": true, "vmul": true, "vmla": true, "vmls": true, "udiv": true, "bkpt": true,
}

// plainDirectives are those of an assembler that make no instruction.
var plainDirectives = []string{".syntax", ".align", ".balign", ".p2align", ".thumb", ".arm", ".cpu", ".fpu", ".arch",
	".option",
	".set", ".global", ".globl", ".type", ".size", ".loc", ".file", ".cfi"}

// waits are the instructions that wait for an interrupt or another event.
var waits = []string{"wfi", "wfe", "hlt", "sleep", "wait"}

// MayJump reports whether inline assembly may go elsewhere than to its end: back, so that it does not end, or away.
func MayJump(a *Asm) bool {
	return slices.ContainsFunc(asmLines(a), func(words []string) bool {
		op := words[0]
		switch {
		case strings.HasPrefix(op, "."):
			return !slices.Contains(plainDirectives, op)
		case strings.Contains(strings.Join(words, " "), "/*"):
			return true
		case slices.Contains(strings.FieldsFunc(strings.Join(words[1:], " "), func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9')
		}), "pc"):
			return true
		}
		return !stays[op] && slices.ContainsFunc(jumps, func(p string) bool { return strings.HasPrefix(op, p) })
	})
}

// Waits reports whether inline assembly waits for an interrupt or another event.
func Waits(a *Asm) bool {
	return slices.ContainsFunc(asmLines(a), func(words []string) bool { return slices.Contains(waits, words[0]) })
}

// asmLines returns the words of each instruction, without labels and lines that are comments.
func asmLines(a *Asm) [][]string {
	text := strings.ToLower(strings.ReplaceAll(a.Template, "$(", ";"))
	var out [][]string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' || r == '{' }) {
		for {
			label, rest, ok := strings.Cut(line, ":")
			if !ok || strings.ContainsAny(strings.TrimSpace(label), " \t,$") {
				break
			}
			line = rest
		}
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(words[0], "@") && !strings.HasPrefix(words[0], "//") {
			out = append(out, words)
		}
	}
	return out
}
