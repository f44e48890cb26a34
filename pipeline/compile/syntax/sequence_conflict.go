package syntax

import (
	"fmt"
	"strings"
)

// conflict is a pair of accesses without an order.
type conflict struct {
	function string
	ordered  bool // one after the other, in an order that is not specified
	assumed  bool // no pair: what is assumed at the first access
	chosen   bool // likewise, of all that is done there; of a read: what is read and stored, not of calls
	what     string
	accesses [2]access
}

// maxConflicts limits the conflicts of a function that are followed; of one with more, the rest is an assumption.
const maxConflicts = 200

// compare notes the conflicts of an access of as with one of bs.
func (s *sequencer) compare(as, bs []access, ordered bool) {
	for _, a := range as {
		for _, b := range bs {
			call := a.lvalue == nil || b.lvalue == nil
			if !a.write && !b.write || len(s.found)-s.before > maxConflicts || !s.meet(a, b) {
				continue
			}
			s.note(conflict{function: s.function, ordered: call || ordered,
				what: sentence(a, b), accesses: [2]access{a, b}})
		}
	}
}

// note keeps a conflict, without its part of the syntax tree.
func (s *sequencer) note(c conflict) {
	for i := range c.accesses {
		a := &c.accesses[i]
		if a.call = a.lvalue == nil; !a.call {
			if v := a.lvalue.variable(); v != nil {
				a.variable = v.Referenced.Name
			}
		}
		a.lvalue = nil
	}
	s.found = append(s.found, c)
	if len(s.found)-s.before == maxConflicts {
		at := extent{file: c.accesses[0].at.file, line: c.accesses[0].at.line}
		s.found = append(s.found, conflict{function: s.function, assumed: true,
			what: "the function has more accesses and calls without an order than are followed: from here on they " +
				"do not meet",
			accesses: [2]access{{at: at, write: true, call: true}, {at: at, write: true, call: true}}})
	}
}

// outlives notes what is taken for granted of the address that an assignment keeps: what rests on it is conditional.
func (s *sequencer) outlives(n *node, what string) {
	at := access{at: within(n), lvalue: n}
	s.note(conflict{function: s.function, chosen: true, what: what, accesses: [2]access{at, at}})
}

func sentence(a, b access) string {
	if a.lvalue == nil || b.lvalue == nil {
		return ""
	}
	x, y := a.lvalue.text(), b.lvalue.text()
	of := "of '" + x + "'"
	if x != y {
		of = "of one object, '" + x + "' and '" + y + "'"
	}
	if a.write && b.write {
		return "unsequenced modifications " + of
	}
	return "unsequenced modification and access " + of
}

// meet reports whether two accesses may be of one object.
func (s *sequencer) meet(a, b access) bool {
	if a.lvalue == nil || b.lvalue == nil {
		for _, x := range []access{a, b} {
			if x.lvalue != nil && (!s.shared(x.lvalue) || strings.HasPrefix(x.lvalue.Type.Qual, "const ")) {
				return false
			}
		}
		return true
	}
	x, y := a.lvalue.variable(), b.lvalue.variable()
	switch {
	case x != nil && y != nil && x.Referenced.ID != y.Referenced.ID:
		return false
	case (x == nil || y == nil) && !(s.shared(a.lvalue) && s.shared(b.lvalue)):
		return false
	case x == nil || y == nil:
		if a.lvalue.object() != b.lvalue.object() {
			return false
		}
	}
	return !s.apart(a.lvalue, b.lvalue)
}

// shared reports whether others may reach the object: it is not a local variable whose address nobody takes.
func (s *sequencer) shared(n *node) bool {
	v := n.variable()
	return v == nil || s.global[v.Referenced.ID] || s.addressed[v.Referenced.ID]
}

// apart reports whether two accesses are of different elements or members of one object.
func (s *sequencer) apart(a, b *node) bool {
	a, b = a.plain(), b.plain()
	if a.Kind == "MemberExpr" && b.Kind == "MemberExpr" && a.Member != b.Member {
		return s.bitfields[a.Member] || s.bitfields[b.Member]
	}
	if a.Kind != b.Kind || len(a.Inner) == 0 || len(b.Inner) == 0 {
		return false
	}
	if a.Kind == "ArraySubscriptExpr" && len(a.Inner) == 2 && len(b.Inner) == 2 {
		i, j := literal(a.Inner[1].plain()), literal(b.Inner[1].plain())
		if i != nil && j != nil && i.Cmp(j) != 0 && a.Inner[0].variable() != nil && b.Inner[0].variable() != nil {
			return true
		}
	}
	return false
}

// fields returns the strings of the metadata.
func (c conflict) fields(shown func(string) string) []string {
	kind := "undefined"
	if c.ordered {
		kind = "unspecified"
	}
	switch {
	case c.assumed:
		kind = "assumed"
	case c.chosen:
		kind = "chosen"
	}
	out := []string{kind, shown(c.accesses[0].at.file), c.function, c.what}
	for _, a := range c.accesses {
		what, how := "read", []string{}
		if a.call {
			what = "call"
		} else if a.write {
			what = "write"
		}
		if a.conditional {
			how = append(how, "conditional")
		}
		if a.at.macro {
			how = append(how, "macro")
		}
		out = append(out, what, a.variable, fmt.Sprint(a.at.line), fmt.Sprint(a.at.col), fmt.Sprint(a.at.end),
			fmt.Sprint(a.at.to), strings.Join(how, " "))
	}
	return out
}
