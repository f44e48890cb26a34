package rewrite

import "github.com/firmproof/firmproof/verifier/ilr"

// lift applies (R3), or returns 0: an operation whose arguments are constants but for one
// if-then-else of constants becomes an if-then-else of constants; a comparison with
// a constant moves into an if-then-else one of whose branches is constant.
func (m *match) lift(k ilr.Kind, imm uint64, args []ilr.Term) ilr.Term {
	s := m.s
	if k == ilr.KIte || k == ilr.KNot || k == ilr.KAnd || k >= ilr.KSelect || len(args) > 2 ||
		s.Sort(args[0]).Kind != ilr.SortBV {
		return 0
	}
	at := -1
	for i, a := range args {
		switch s.Kind(a) {
		case ilr.KConst:
		case ilr.KIte:
			if at >= 0 {
				return 0
			}
			at = i
		default:
			return 0
		}
	}
	if at < 0 {
		return 0
	}
	x, y := s.Arg(args[at], 1), s.Arg(args[at], 2)
	cx, cy := s.Kind(x) == ilr.KConst, s.Kind(y) == ilr.KConst
	comparison := k == ilr.KEq || k == ilr.KUlt || k == ilr.KSlt
	if !(cx && cy) && !(comparison && (cx || cy)) {
		return 0
	}
	c := s.Arg(args[at], 0)
	with := func(v ilr.Term) ilr.Term {
		moved := append([]ilr.Term(nil), args...)
		moved[at] = v
		return s.Make(k, m.sort, imm, moved)
	}
	return s.Ite(c, with(x), with(y))
}
