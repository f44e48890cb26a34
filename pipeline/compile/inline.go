package compile

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// emitAll asks clang for static functions that nothing calls, too. With it clang 14 forgets the bodies of functions that
// are inline where they are defined and not so where they are declared again (C17 6.7.4).
const emitAll = "-femit-all-decls"

// forgetsInline reports whether the unit that was emitted lacks the body of a function that text defines for others, too.
func (c *compilation) forgetsInline(text []byte) (bool, error) {
	if !c.Static || !isC(c.File) || !bytes.Contains(text, []byte("inline")) {
		return false, nil
	}
	emitted, err := os.ReadFile(c.out)
	if err != nil {
		return false, &InfraError{"compile " + c.File, err}
	}
	declared := readDeclared(emitted)
	chunks, _ := cutChunks(text)
	defined, external := map[string]bool{}, map[string]bool{}
	for _, k := range chunks {
		name, inline := k.function()
		if !slices.Contains(declared, name) {
			continue
		}
		if k.tokens[len(k.tokens)-1].is("}") {
			defined[name] = true
		}
		external[name] = external[name] || !inline
	}
	for name := range defined {
		if external[name] {
			return true, nil
		}
	}
	return false, nil
}

// function returns the function that a chunk declares or defines, and whether this declaration is inline alone; "" where
// it is something else.
func (c *chunk) function() (name string, inline bool) {
	extern := false
	for i := range c.tokens {
		t := &c.tokens[i]
		switch {
		case t.is("typedef") || t.is("static") || t.is("{") || t.is("=") || t.is("gnu_inline") || t.is("__gnu_inline__"):
			return "", false
		case t.is("extern"):
			extern = true
		case strings.Trim(string(t.text), "_") == "inline":
			inline = true
		case t.is("(") && i > 0 && c.tokens[i-1].kind == ctoken.Name && !slices.Contains(notDeclared,
			string(c.tokens[i-1].text)):
			return string(c.tokens[i-1].text), inline && !extern
		}
	}
	return "", false
}

// notDeclared are words that an opening bracket follows before the name that is declared.
var notDeclared = []string{"__attribute__", "__attribute", "__declspec", "_Alignas", "__typeof__", "typeof", "__typeof"}
