package ir

// Endless lists the functions of m that are declared not to return. Clang with
// -fsanitize=unreachable takes the attribute off, and puts a trap behind each call, at its position.
func Endless(m *Module) map[*Func]bool {
	out := map[*Func]bool{}
	for _, f := range m.Funcs {
		out[f] = out[f] || f.NoReturn
		for _, b := range f.Blocks {
			if n := len(b.Instrs); n > 1 && CalledFunc(b.Instrs[n-2]) != nil && trapsAfter(b.Instrs[n-2], b) {
				out[CalledFunc(b.Instrs[n-2])] = true
			}
		}
	}
	return out
}

// trapsAfter tells whether b, which ends with a call and a branch, only goes on to unreachable code, and
// a trap at the place of the call says so.
func trapsAfter(call *Instr, b *Block) bool {
	trap := false
	for _, s := range b.Succs() {
		if s.Instrs[len(s.Instrs)-1].Op != OpUnreachable {
			return false
		}
		first := s.Instrs[0]
		trap = trap || first.Op == OpTrap && first.Pos != nil && call.Pos != nil && *first.Pos == *call.Pos
	}
	return trap
}
