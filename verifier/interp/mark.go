package interp

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// While a program runs, heap blocks stand in the texts of a trace as marks. At the end of the run unmark replaces
// them: by the variable or member that holds the block and held no other, else by the call that allocated it.
const (
	markBegin = "\x02"
	markEnd   = "\x03"
)

// plainMarks writes what a text of the program has of the characters of marks: they stand for no block.
var plainMarks = strings.NewReplacer(markBegin, `\x02`, markEnd, `\x03`)

// BlockMark stands for a heap block.
func BlockMark(o *Object) string { return markBegin + strconv.Itoa(o.Number) + markEnd }

// BlockName holds the texts that may stand for a block.
type BlockName struct {
	site  string // "(malloc at list.c:12, 2nd call)"
	Held  string // the expression that holds it; "" if there is none
	Since int    // the step that stored it there
	Busy  bool   // being found
	Done  bool   // was found
}

// siteOf says which call allocated o.
func siteOf(o *Object) string {
	name, made := strings.CutPrefix(o.Born.Name, ir.BehindPointer)
	switch {
	case made:
		return "block for " + name
	case o.Owner == ir.OwnerNew:
		name = "new"
	case o.Owner == ir.OwnerNewArray:
		name = "new[]"
	default:
		name = o.Born.CalledName()
	}
	if o.Born.Pos.Line > 0 {
		name += fmt.Sprintf(" at %s:%d", path.Base(o.Born.Pos.File), o.Born.Pos.Line)
	}
	return name
}

// ordinal is n as a word of English: 1st, 2nd, 11th.
func ordinal(n int) string {
	end := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end
}

func (x *Machine) marked(num string) *Object {
	n, err := strconv.Atoi(num)
	if err != nil || n < 0 || n >= len(x.Objects) || x.Objects[n] == nil {
		panic("interp: no block has the mark " + num)
	}
	return x.Objects[n]
}

// Part returns the expression of what rest (members, elements) selects in the block o behind the pointer base.
func Part(base string, o *Object, rest string) string {
	switch {
	case strings.HasPrefix(rest, "."):
		return base + "->" + rest[1:]
	case strings.HasPrefix(rest, "[") && o.Guessed == nil:
		return "((char *)" + base + ")" + rest
	case strings.HasPrefix(rest, "["):
		return base + rest
	case o.Guessed != nil && o.Guessed.Kind == ir.DArray && rest == "":
		return fmt.Sprintf("%s[0..%d]", base, o.Guessed.Count-1)
	}
	return "*" + base + rest
}

// Unmark replaces the marks in a text of a step. place is what the text is the value of.
func (x *Machine) Unmark(text string, step int, place string, names map[*Object]*BlockName) string {
	if !strings.Contains(text, markBegin) {
		return text
	}
	var out strings.Builder
	for {
		before, rest, marked := strings.Cut(text, markBegin)
		if !marked {
			return out.String() + text
		}
		num, rest, _ := strings.Cut(rest, markEnd)
		o := x.marked(num)
		n := names[o]
		base := n.Held
		if base == "" {
			base = n.site
		}
		before, pointer := strings.CutSuffix(before, "&")
		out.WriteString(before)
		end := selectors(rest)
		switch {
		case pointer && end > 0:
			out.WriteString("&" + Part(base, o, rest[:end]))
		case pointer && (step <= n.Since || n.Held == place || strings.HasSuffix(out.String(), n.Held+" = ")):
			out.WriteString(n.site) // the step that stores it: not "list = list"
		case pointer:
			out.WriteString(base)
		default:
			out.WriteString(Part(base, o, rest[:end]))
		}
		text = rest[end:]
	}
}

// selectors is the length of the members and elements that a text begins with.
func selectors(text string) int {
	end := 0
	for end < len(text) {
		c := text[end]
		if c != '.' && c != '[' && c != ']' && c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'a' || c > 'z') &&
			(c < 'A' || c > 'Z') {
			break
		}
		end++
	}
	return end
}

// nameBlocks replaces the marks of blocks in how the run ended, as far as no observer did.
func (x *Machine) nameBlocks() {
	x.UnmarkEnd(0, x.BlockNames())
}

// UnmarkEnd replaces the marks in how the run ended, behind so many steps.
func (x *Machine) UnmarkEnd(step int, names map[*Object]*BlockName) {
	x.Outcome.Message = x.Unmark(x.Outcome.Message, step, "", names)
	if o := x.Outcome.Object; o != nil {
		o.Name = x.Unmark(o.Name, step, "", names)
	}
}

// BlockNames names heap blocks by the calls that allocated them.
func (x *Machine) BlockNames() map[*Object]*BlockName {
	calls, last := map[string]int{}, map[*Object]int{}
	names := map[*Object]*BlockName{}
	for _, o := range x.Objects {
		if o != nil && o.Kind == HeapObject {
			n := &BlockName{site: siteOf(o)}
			calls[n.site]++
			last[o], names[o] = calls[n.site], n
		}
	}
	for o, n := range names {
		if calls[n.site] > 1 {
			n.site += ", " + ordinal(last[o]) + " call"
		}
		n.site = "(" + n.site + ")"
	}
	return names
}
