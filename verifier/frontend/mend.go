package frontend

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
)

// The lines that llir v0.3.6 does not parse although LLVM 14 writes them:
//
//	(P1) the return attribute `align N` of calls, declarations and definitions: a hint, dropped;
//	(P2) metadata attachments of `freeze`: dropped, its position is lost;
//	(P3) constant expressions as indices of getelementptr (container_of): a huge
//	     number stands for one, and a global behind the last line holds it;
//	(P4) labels' addresses in another address space than 0 (AVR): the same;
//	(P5) calls of a cast function in such an address space: the cast is in address space 0.
var (
	callHead = regexp.MustCompile(
		`^\s*(?:%\S+ = )?(?:(?:tail|musttail|notail) )?(?:call|invoke) |^(?:define|declare) `)
	retAlign  = regexp.MustCompile(`^((?:[a-z_]+(?:\(\d+\))? )*?)align \d+ `)
	indexExpr = regexp.MustCompile(
		`, (i\d+) ((?:add|sub|mul|[us]div|[us]rem|shl|[al]shr|and|or|xor|select|sext|trunc|zext|ptrtoint)(?: [a-z]+)* \()`)
	labelAddr = regexp.MustCompile(`(i8 addrspace\(\d+\)\*) blockaddress(\([^()]*\))`)
	freezeMD  = regexp.MustCompile(`^(\s*%\S+ = freeze [^!]*), ![a-zA-Z].*$`)
)

// mend rewrites such lines; the number of lines stays the same.
func mend(text string) string {
	lines := strings.Split(text, "\n")
	var held []string
	for i, l := range lines {
		if head := callHead.FindString(l); head != "" {
			lines[i] = head + retAlign.ReplaceAllString(plainCallee(l[len(head):]), "$1")
		} else if strings.Contains(l, " = freeze ") {
			lines[i] = freezeMD.ReplaceAllString(l, "$1")
		}
		if strings.Contains(l, "getelementptr ") {
			lines[i], held = hold(lines[i], held)
		}
		if strings.Contains(l, ")* blockaddress(") {
			lines[i] = labelAddr.ReplaceAllStringFunc(lines[i], func(s string) string {
				m := labelAddr.FindStringSubmatch(s)
				n := int64(len(held))
				held = append(held, fmt.Sprintf("@%s%d = private constant i8* blockaddress%s", heldName, n, m[2]))
				return fmt.Sprintf("%s inttoptr (i16 %s to %s)", m[1], new(big.Int).Add(heldBase, big.NewInt(n)), m[1])
			})
		}
	}
	return strings.Join(append(lines, held...), "\n")
}

// plainCallee returns what stands behind `call`, with the address spaces of a callee that is a cast left out (P5).
func plainCallee(call string) string {
	const cast = " bitcast ("
	at := strings.Index(call, cast)
	if at < 0 || !strings.Contains(call[:at], "addrspace(") {
		return call
	}
	end := closing(call, at+len(cast)-1)
	if end < 0 || !strings.HasPrefix(call[end:], "(") {
		return call // an argument
	}
	return call[:at] + otherSpace.ReplaceAllString(call[at:end], "") + call[end:]
}

// otherSpace matches the address space of a pointer type.
var otherSpace = regexp.MustCompile(` addrspace\(\d+\)`)

// heldName starts the names of the globals of (P3).
const heldName = ".firmproof.held."

// heldBase plus n stands for the constant expression in global heldName+n: wider than any integer that C has.
var heldBase = new(big.Int).Lsh(big.NewInt(1), 300)

// hold replaces the constant expressions of a line (P3).
func hold(line string, held []string) (string, []string) {
	var out strings.Builder
	for {
		m := indexExpr.FindStringSubmatchIndex(line)
		if m == nil {
			break
		}
		end := closing(line, m[5]-1)
		if end < 0 {
			break
		}
		n := int64(len(held))
		fmt.Fprintf(&out, "%s, %s %s", line[:m[0]], line[m[2]:m[3]], new(big.Int).Add(heldBase, big.NewInt(n)))
		held = append(held, fmt.Sprintf("@%s%d = private constant %s %s", heldName, n, line[m[2]:m[3]], line[m[4]:end]))
		line = line[end:]
	}
	return out.String() + line, held
}

// closing is the place behind the parenthesis that matches the one at open, or -1.
func closing(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// takeHeld removes the globals of (P3) from the module and notes what they hold.
func (t *translator) takeHeld(src *llir.Module) {
	var rest []*llir.Global
	for _, g := range src.Globals {
		n, ok := strings.CutPrefix(g.Name(), heldName)
		if !ok {
			rest = append(rest, g)
			continue
		}
		k, err := strconv.ParseInt(n, 10, 64)
		if err == nil {
			t.held[new(big.Int).Add(heldBase, big.NewInt(k)).String()] = g.Init
		}
	}
	src.Globals = rest
}

// unheld is c, or the constant that it stands for (P3, P4).
func (t *translator) unheld(c constant.Constant) constant.Constant {
	if p, ok := c.(*constant.ExprIntToPtr); ok && len(t.held) > 0 {
		if b, ok := t.unheld(p.From).(*constant.BlockAddress); ok {
			return b
		}
		return c
	}
	if i, ok := c.(*constant.Int); ok && len(t.held) > 0 && i.X.BitLen() > 300 {
		if e := t.held[i.X.String()]; e != nil {
			return e
		}
	}
	return c
}
