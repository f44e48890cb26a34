package frontend

import (
	"strings"

	llir "github.com/llir/llvm/ir"

	"github.com/firmproof/firmproof/verifier/ir"
)

// fuses reports whether the machine that the function is compiled for can multiply and
// add with one rounding, in the width of t: only then may llvm.fmuladd do so (LangRef).
// What is not known of a machine counts as possible.
func (x *fn) fuses(t *ir.Type) bool {
	if t.Kind == ir.KindVector {
		t = t.Elem
	}
	features := features(x.src.FuncAttrs)
	has := func(names ...string) bool {
		for _, n := range names {
			if features[n] {
				return true
			}
		}
		return false
	}
	arch, _, _ := strings.Cut(x.m.Triple, "-")
	switch {
	case has("soft-float"), strings.HasPrefix(arch, "avr"), strings.HasPrefix(arch, "msp430"):
		return false
	case arch == "x86_64", arch == "i386", arch == "i486", arch == "i586", arch == "i686":
		return has("fma", "fma4", "avx512f")
	case strings.HasPrefix(arch, "aarch64"), strings.HasPrefix(arch, "arm64"):
		return true
	case strings.HasPrefix(arch, "arm"), strings.HasPrefix(arch, "thumb"):
		single := has("vfp4", "vfp4sp", "vfp4d16", "vfp4d16sp", "fp-armv8", "fp-armv8sp", "fp-armv8d16",
			"fp-armv8d16sp", "mve.fp")
		return single && (t.Width <= 32 || has("vfp4", "vfp4d16", "fp-armv8", "fp-armv8d16", "fp64"))
	case strings.HasPrefix(arch, "riscv"):
		return t.Width <= 32 && has("f") || has("d")
	case strings.HasPrefix(arch, "mips"):
		return has("mips32r6", "mips64r6", "msa")
	}
	return true
}

// textAttribute returns the value of an attribute of a function, or nothing.
func textAttribute(attrs []llir.FuncAttribute, key string) string {
	for _, a := range attrs {
		switch a := a.(type) {
		case llir.AttrPair:
			if a.Key == key {
				return a.Value
			}
		case *llir.AttrGroupDef:
			if v := textAttribute(a.FuncAttrs, key); v != "" {
				return v
			}
		}
	}
	return ""
}

// features are the machine's, as clang notes them ("+fma,-soft-float").
func features(attrs []llir.FuncAttribute) map[string]bool {
	out := map[string]bool{}
	for _, a := range attrs {
		switch a := a.(type) {
		case llir.AttrPair:
			for _, f := range strings.Split(a.Value, ",") {
				if name, on := strings.CutPrefix(f, "+"); on && a.Key == "target-features" {
					out[name] = true
				}
			}
		case *llir.AttrGroupDef:
			for name := range features(a.FuncAttrs) {
				out[name] = true
			}
		}
	}
	return out
}
