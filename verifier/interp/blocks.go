package interp

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// While a program runs, heap blocks stand in the texts of a trace as marks. At the end of the run nameBlocks replaces
// them: by the variable or member that holds the block and held no other, else by the call that allocated it.
const (
	markBegin = "\x02"
	markEnd   = "\x03"
)

// plainMarks writes what a text of the program has of the characters of marks: they stand for no block.
var plainMarks = strings.NewReplacer(markBegin, `\x02`, markEnd, `\x03`)

// maxHolders bounds the pointers that lead from a variable to a block in its name: `list->next->next`.
const maxHolders = 3

// blockMark stands for a heap block.
func blockMark(o *object) string { return markBegin + strconv.Itoa(o.num) + markEnd }

// blocks holds the pointers to heap blocks that a trace has seen, and the names found from them.
type blocks struct {
	holders map[place]*holder
	of      map[*object][]*holder // by block
	untyped []untypedWrite
	names   map[*object]*blockName // at the end of the run
}

// place says where a pointer is: in a variable, by its name (any call's), or in a heap block, whose type may be found
// later.
type place struct {
	name string
	in   *object
	off  int64
}

// holder is a place of a pointer to the start of a block.
type holder struct {
	in     *object // where it was first
	off    int64
	name   string // "" in a heap block
	block  *object
	t      *ir.DType // of the pointer
	depth  int       // of the call that stored it; -1 in a global variable
	step   int       // that stored it first, counted from the start of the run
	shared bool      // it held other pointers, too
}

// blockName holds the texts that may stand for a block.
type blockName struct {
	site  string // "(malloc at list.c:12, 2nd call)"
	held  string // the expression that holds it; "" if there is none
	since int    // the step that stored it there
	busy  bool   // being found
	done  bool   // was found
}

// untypedWrite is a step that wrote to a block whose type was not known yet.
type untypedWrite struct {
	step int // counted from the start of the run
	show func(*verdict.Step)
}

// noteHolder notes that v was stored to o at off, or given to a parameter. The type of the place says what a block holds.
func (x *machine) noteHolder(o *object, off int64, v value) {
	if !x.o.Trace || v.obj == nil || o.variable == nil && o.kind == stackObject {
		return
	}
	name, t := x.placeName(o, off, int64(x.pw/8), nil)
	if v.bits.IsZero() {
		v.obj.guess(t, x.trace.writes[v.obj] != nil)
	}
	at := place{name: name}
	if o.kind == heapObject {
		at = place{in: o, off: off}
	}
	b := &x.trace.blocks
	if h := b.holders[at]; h != nil {
		h.shared = h.shared || h.block != v.obj || !v.bits.IsZero()
		return
	}
	if b.holders == nil {
		b.holders, b.of = map[place]*holder{}, map[*object][]*holder{}
	}
	h := &holder{in: o, off: off, name: at.name, block: v.obj, t: t, depth: len(x.frames),
		step:   x.trace.dropped + len(x.trace.steps),
		shared: v.obj.kind != heapObject || !v.bits.IsZero()}
	if o.kind == globalObject {
		h.depth = -1
	}
	b.holders[at] = h
	if !h.shared {
		b.of[v.obj] = append(b.of[v.obj], h)
	}
}

// notePointers notes the pointers among n bytes that were copied to o.
func (x *machine) notePointers(o *object, off, n int64) {
	for at := off; at < off+n && len(o.ptrs) > 0; at++ {
		if v, whole := o.ptrs[at]; whole {
			x.noteHolder(o, at, v)
		}
	}
}

// maxKept bounds the bytes of a write that are kept until the type of their block is known.
const maxKept = 256

// showLater keeps n bytes that the last step wrote to o: if o gets a type, the step is shown by it.
func (x *machine) showLater(o *object, off, n int64, show func(*object, *verdict.Step)) {
	if o.kind != heapObject || o.guessed != nil || n > maxKept || len(x.trace.steps) == 0 {
		return
	}
	then := &object{num: o.num, kind: o.kind, size: o.size, born: o.born, owner: o.owner}
	for at := off; at < off+n; at++ {
		b, undef := o.byteAt(at)
		then.setByte(at, b, undef)
		if v, whole := o.ptrs[at]; whole {
			if then.ptrs == nil {
				then.ptrs = map[int64]value{}
			}
			then.ptrs[at] = v
		}
	}
	b := &x.trace.blocks
	b.untyped = append(b.untyped, untypedWrite{x.trace.dropped + len(x.trace.steps) - 1, func(s *verdict.Step) {
		if then.guessed = o.guessed; then.guessed != nil {
			show(then, s)
		}
	}})
}

// nameBlocks replaces the marks of blocks in all that the run has to say.
func (x *machine) nameBlocks() {
	t := &x.trace
	x.guessLate()
	for _, u := range t.blocks.untyped {
		if i := u.step - t.dropped; i >= 0 && i < len(t.steps) {
			u.show(&t.steps[i])
		}
	}
	x.findBlockNames()
	for i := range t.steps {
		s, at := &t.steps[i], t.dropped+i
		place := x.unmark(s.What, at, "")
		s.What, s.Value = place, x.unmark(s.Value, at, place)
	}
	at := t.dropped + len(t.steps)
	x.out.Message = x.unmark(x.out.Message, at, "")
	if o := x.out.Object; o != nil {
		o.Name = x.unmark(o.Name, at, "")
	}
}

// maxPasses bounds how often all blocks are looked at for types.
const maxPasses = 8

// guessLate gives types to blocks by pointers in blocks whose own type was found after the pointer was stored.
func (x *machine) guessLate() {
	b := &x.trace.blocks
	changed := true
	for pass := 0; changed && pass < maxPasses; pass++ {
		changed = false
		for _, o := range x.objects {
			for _, h := range b.of[o] {
				if h.name != "" || h.t != nil {
					continue
				}
				if _, h.t = x.placeName(h.in, h.off, int64(x.pw/8), nil); h.t != nil {
					o.guess(h.t, o.guessed != nil)
					changed = true
				}
			}
		}
	}
}

// findBlockNames finds the names of all blocks.
func (x *machine) findBlockNames() {
	calls, last := map[string]int{}, map[*object]int{}
	names := map[*object]*blockName{}
	for _, o := range x.objects {
		if o != nil && o.kind == heapObject {
			n := &blockName{site: siteOf(o)}
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
	x.trace.blocks.names = names
	for _, o := range x.objects {
		if names[o] != nil {
			x.findHolder(o)
		}
	}
}

// siteOf says which call allocated o.
func siteOf(o *object) string {
	name, made := strings.CutPrefix(o.born.Name, ir.BehindPointer)
	switch {
	case made:
		return "block for " + name
	case o.owner == ir.OwnerNew:
		name = "new"
	case o.owner == ir.OwnerNewArray:
		name = "new[]"
	default:
		name = o.born.CalledName()
	}
	if o.born.Pos.Line > 0 {
		name += fmt.Sprintf(" at %s:%d", path.Base(o.born.Pos.File), o.born.Pos.Line)
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

// findHolder finds the expression that holds o: rather one with the type by which o is shown, rather a variable than
// what a block holds, rather of an outer call.
func (x *machine) findHolder(o *object) *blockName {
	b := &x.trace.blocks
	name := b.names[o]
	if name.busy || name.done {
		return name
	}
	name.busy = true
	defer func() { name.busy, name.done = false, true }()
	var best *holder
	rank := 0
	for _, h := range b.of[o] {
		if h.shared {
			continue
		}
		text := x.heldBy(h)
		if text == "" {
			continue
		}
		r := min(h.depth, 1<<16) + 1
		if h.name == "" {
			r += 1 << 17
		}
		if !h.leadsTo(o.guessed) {
			r += 1 << 18
		}
		if best == nil || r < rank {
			best, rank = h, r
			name.held, name.since = text, h.step
		}
	}
	return name
}

// leadsTo reports whether h is a pointer to a value of type t, or to its elements.
func (h *holder) leadsTo(t *ir.DType) bool {
	if h.t == nil || t == nil || h.t.Elem == nil {
		return false
	}
	to := h.t.Elem.String()
	return to == t.String() || t.Kind == ir.DArray && to == t.Elem.String()
}

// heldBy is the place h as an expression of C; "" if it lies in a block that nothing holds.
func (x *machine) heldBy(h *holder) string {
	if h.name != "" {
		return h.name
	}
	n := x.findHolder(h.in)
	if n.held == "" || n.busy || strings.Count(n.held, "->") >= maxHolders || h.in.guessed == nil {
		return ""
	}
	text, _ := x.placeName(h.in, h.off, int64(x.pw/8), nil)
	return part(n.held, h.in, strings.TrimPrefix(text, blockMark(h.in)))
}

func (x *machine) marked(num string) *object {
	n, err := strconv.Atoi(num)
	if err != nil || n < 0 || n >= len(x.objects) || x.objects[n] == nil {
		panic("interp: no block has the mark " + num)
	}
	return x.objects[n]
}

// part returns the expression of what rest (members, elements) selects in the block o behind the pointer base.
func part(base string, o *object, rest string) string {
	switch {
	case strings.HasPrefix(rest, "."):
		return base + "->" + rest[1:]
	case strings.HasPrefix(rest, "[") && o.guessed == nil:
		return "((char *)" + base + ")" + rest
	case strings.HasPrefix(rest, "["):
		return base + rest
	case o.guessed != nil && o.guessed.Kind == ir.DArray && rest == "":
		return fmt.Sprintf("%s[0..%d]", base, o.guessed.Count-1)
	}
	return "*" + base + rest
}

// unmark replaces the marks in a text of a step. place is what the text is the value of.
func (x *machine) unmark(text string, step int, place string) string {
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
		n := x.trace.blocks.names[o]
		base := n.held
		if base == "" {
			base = n.site
		}
		before, pointer := strings.CutSuffix(before, "&")
		out.WriteString(before)
		end := selectors(rest)
		switch {
		case pointer && end > 0:
			out.WriteString("&" + part(base, o, rest[:end]))
		case pointer && (step <= n.since || n.held == place || strings.HasSuffix(out.String(), n.held+" = ")):
			out.WriteString(n.site) // the step that stores it: not "list = list"
		case pointer:
			out.WriteString(base)
		default:
			out.WriteString(part(base, o, rest[:end]))
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
