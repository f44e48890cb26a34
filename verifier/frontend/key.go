package frontend

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// key returns a text for where a value is from, in the function at hand; empty where that is not followed.
//
//	$2;               parameter 2                  #7;    the result of the call with this number
//	&5;               the address of the local     &name; that of a variable or function
//	*(KEY)            what is read there
//	KEY+8, KEY[I*4]   a place further on
func key(v ir.Value) string {
	switch x := v.(type) {
	case *ir.Param:
		return fmt.Sprintf("$%d;", x.Index)
	case *ir.Const:
		switch {
		case x.Kind == ir.ConstAddr && x.Global != nil:
			return further("&"+x.Global.Name+";", x.Off)
		case x.Kind == ir.ConstInt && !x.T.IsPtr():
			return x.Bits.String()
		}
	case *ir.Instr:
		switch x.Op {
		case ir.OpAlloca:
			return fmt.Sprintf("&%d;", x.ID)
		case ir.OpCall:
			return fmt.Sprintf("#%d;", x.ID)
		case ir.OpLoad:
			return read(key(x.Args[0]))
		case ir.OpBitcast, ir.OpFreeze, ir.OpSext, ir.OpZext, ir.OpTrunc:
			return key(x.Args[0])
		case ir.OpGep:
			return element(x)
		}
	}
	return ""
}

func element(gep *ir.Instr) string {
	k := key(gep.Args[0])
	for i, scale := range gep.Scales {
		index := key(gep.Args[i+1])
		if index == "" || k == "" {
			return ""
		}
		k += fmt.Sprintf("[%s*%d]", index, scale)
	}
	return further(k, gep.Off)
}

// further returns the key of a place off bytes behind another.
func further(k string, off int64) string {
	if k == "" || off == 0 {
		return k
	}
	return fmt.Sprintf("%s+%d", k, off)
}

// read returns the key of what is read at an address.
func read(address string) string {
	if address == "" {
		return ""
	}
	return "*(" + address + ")"
}

// local reports whether k is an address of a local.
func local(k string) bool { return len(k) > 1 && k[0] == '&' && k[1] >= '0' && k[1] <= '9' }

// outside reports whether k says what it says to callers, too: it begins at a parameter or a global, and no local or
// result is in it.
func outside(k string) bool {
	at := strings.TrimLeft(k, "*(")
	if !strings.HasPrefix(at, "$") && !strings.HasPrefix(at, "&") || strings.Contains(k, "#") {
		return false
	}
	for i := range k {
		if local(k[i:]) {
			return false
		}
	}
	return true
}

// handed returns the key that one of a callee has at a call; empty if there is none.
func handed(k string, args []ir.Value) string {
	var pairs []string
	for i, a := range args {
		p, as := fmt.Sprintf("$%d;", i), key(a)
		if as == "" && strings.Contains(k, p) {
			return ""
		}
		pairs = append(pairs, p, as)
	}
	return strings.NewReplacer(pairs...).Replace(k)
}
