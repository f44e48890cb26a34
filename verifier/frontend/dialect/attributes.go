package dialect

import "slices"

// dropped are attributes that LLVM 14 does not have and that make nothing poison or undefined which C's own rules,
// checked elsewhere, leave defined; docs/LLVM.md has the reason of each.
var dropped = map[string]bool{
	"memory": true, "captures": true, "initializes": true, "nofpclass": true, "dead_on_unwind": true,
	"dead_on_return": true, "writable": true, "noext": true, "allockind": true, "allocalign": true, "allocptr": true,
	"fn_ret_thunk_extern": true, "nosanitize_bounds": true, "skipprofile": true, "presplitcoroutine": true,
	"coro_only_destroy_when_complete": true, "coro_elide_safe": true, "optdebug": true, "sanitize_realtime": true,
	"sanitize_realtime_blocking": true, "sanitize_numerical_stability": true, "sanitize_type": true,
	"sanitize_alloc_token": true, "hybrid_patchable": true, "nodivergencesource": true, "noipa": true,
	"nocreateundeforpoison": true, "nooutline": true,
}

// attributes leaves out attributes of functions, results and parameters that LLVM 14 does not have.
func (n *normaliser) attributes(ts []token) ([]token, bool) {
	changed := false
	isHead := ts[0].is("define") || ts[0].is("declare")
	if ts[0].is("define") {
		ts, changed = n.head(ts)
	}
	for i := 1; i < len(ts); i++ {
		if ts[i].kind != word {
			continue
		}
		called := i+1 < len(ts) && ts[i+1].is("(")
		end := i + 1
		if called {
			end = closing(ts, i+1) + 1
		}
		switch {
		case dropped[ts[i].text]:
		case ts[i].is("uwtable") && called: // which table it is
			i++
		case ts[i].is("range") && called && isHead && ts[0].is("declare") && intrinsic(ts): // follows from its model
		case ts[i].is("range") && called && isHead:
			n.refuse("the attribute range of a declaration")
			continue
		default:
			continue
		}
		ts, changed = slices.Delete(ts, i, end), true
		i--
	}
	if isHead && ts[0].is("declare") {
		var more bool
		ts, more = lifetime(ts)
		changed = changed || more
	}
	return ts, changed
}

// intrinsic reports whether a declaration is that of an intrinsic.
func intrinsic(ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.kind == global })
	return i >= 0 && len(ts[i].text) > 5 && ts[i].text[:6] == "@llvm."
}

// lifetime gives llvm.lifetime.start and llvm.lifetime.end the size that LLVM 22 leaves out: -1, which is all
// (LangRef of LLVM 14: llvm.lifetime.start).
func lifetime(ts []token) ([]token, bool) {
	i := slices.IndexFunc(ts, func(t token) bool { return t.kind == global })
	if i < 0 || i+1 >= len(ts) || !ts[i+1].is("(") {
		return ts, false
	}
	if name := ts[i].text; name != "@llvm.lifetime.start.p0" && name != "@llvm.lifetime.end.p0" {
		return ts, false
	}
	if end := closing(ts, i+1); len(split(ts[i+2:end])) != 1 {
		return ts, false
	}
	size := "i64 -1, "
	if ts[0].is("declare") {
		size = "i64, "
	}
	return slices.Insert(ts, i+2, lex(size)...), true
}
