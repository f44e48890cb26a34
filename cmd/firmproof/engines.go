package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// parseEngines reads what --engines leaves out: each word is the name of a technique behind a minus sign.
func parseEngines(words []string) (map[string]bool, error) {
	var off map[string]bool
	names := verifier.Techniques()
	for _, w := range words {
		name, minus := strings.CutPrefix(strings.TrimSpace(w), "-")
		if !minus || !slices.Contains(names, name) {
			e := fmt.Sprintf("--engines %q: write -NAME with one of %s", w, strings.Join(names, ", "))
			if near := verdict.Nearest(name, names); near != "" {
				e += fmt.Sprintf("; did you mean -%s?", near)
			}
			return nil, fmt.Errorf("%s", e)
		}
		if off == nil {
			off = map[string]bool{}
		}
		off[name] = true
	}
	return off, nil
}
