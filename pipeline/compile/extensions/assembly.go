package extensions

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// assembly makes a declaration of a function in assembly, and a statement of clang's of a block in it; it returns where
// to go on.
func (v *rewriter) assembly(i int) int {
	next := v.next(i)
	for v.is(next, "volatile", "inline") {
		next = v.next(next)
	}
	switch {
	case v.is(next, "{"):
		end := v.mate(next)
		v.statement(i, next+1, end)
		v.take(next, end+1)
		return end + 1
	case v.depth == 0 && next < len(v.tokens) && v.tokens[next].kind == ctoken.Name:
		open := next
		for open < len(v.tokens) && !v.is(open, "(", ";") {
			open = v.next(open)
		}
		body := v.next(v.mate(open))
		if !v.is(open, "(") || !v.is(body, "{") {
			return i + 1
		}
		end := v.mate(body)
		v.take(body, end+1)
		v.tokens[i].text, v.tokens[body].text = "", ";"
		v.start = end + 1
		return end + 1
	case v.depth > 0 && next < len(v.tokens) && v.tokens[next].kind == ctoken.Name && !v.is(next, "goto"):
		end := next
		for end < len(v.tokens) && !strings.Contains(v.tokens[end].text, "\n") {
			end++
		}
		v.statement(i, next, end)
		return end
	}
	return i + 1
}

// plainAssembly matches instructions that have no operand in C.
var plainAssembly = regexp.MustCompile(`(?i)^\s*(nop|wfi|wfe|sev|yield|clrex|(dmb|dsb|isb)(\s+sy)?|cpsi[de]\s+i)?\s*$`)

// statement makes a statement of the assembly in the tokens from lo to hi, which may change any memory. Instructions
// whose operands may be variables are marked, so that they are not taken for clang's.
func (v *rewriter) statement(i, lo, hi int) {
	var lines []string
	for lo < hi {
		end := lo
		for end < hi && !strings.Contains(v.tokens[end].text, "\n") {
			end++
		}
		for line := range strings.SplitSeq(v.take(lo, end), ";") {
			if !plainAssembly.MatchString(line) {
				line = "armcc: " + line
			}
			lines = append(lines, line)
		}
		lo = end + 1
	}
	text := strings.NewReplacer("%", "%%", `\`, `\\`, `"`, `\"`).Replace(strings.Join(lines, "\n"))
	v.tokens[i].text = `__asm__ volatile("` + strings.ReplaceAll(text, "\n", `\n`) + `" ::: "memory");`
}

// processorWords maps words for the memories of processors that no target has to these processors.
var processorWords = map[string]string{
	"sfr": "the 8051", "sfr16": "the 8051", "sbit": "the 8051", "__sfr": "the 8051", "__sbit": "the 8051",
	"__xdata": "the 8051", "__idata": "the 8051", "xdata": "the 8051", "idata": "the 8051", "bit": "the 8051",
	"__flash": "IAR's AVR", "__eeprom": "IAR's AVR", "__tinyflash": "IAR's AVR",
}

var unknownWord = regexp.MustCompile(`^(?:unknown type name|use of undeclared identifier) '(\w+)'`)

// Explain says what the word is that clang complains of, where it is one for processors that no target has.
func Explain(complaint string) string {
	m := unknownWord.FindStringSubmatch(complaint)
	if m == nil || processorWords[m[1]] == "" {
		return ""
	}
	return fmt.Sprintf(" (a word of compilers for %s, which no target is: `build.exclude` the file)",
		processorWords[m[1]])
}
