package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

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

// techniqueFlags are those with which make ablate asks what techniques earn.
type techniqueFlags struct {
	engines []string
	tell    bool
}

func (t *techniqueFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&t.engines, "engines", nil, "techniques to leave out, e.g. -ellipse,-geometric")
	f.BoolVar(&t.tell, "techniques", false, "print which techniques had a part in the answer")
	_ = f.MarkHidden("engines")
	_ = f.MarkHidden("techniques")
}

// say prints the line that ablate reads, if that was asked for.
func (t *techniqueFlags) say(w io.Writer, by []string) {
	if t.tell {
		fmt.Fprintf(w, "techniques: %s\n", strings.Join(by, ", "))
	}
}

// sayOf prints who had a part in the claims that are settled.
func (t *techniqueFlags) sayOf(w io.Writer, claims []verdict.Claim) {
	var by []string
	for i := range claims {
		by = append(by, claims[i].Techniques()...)
	}
	slices.Sort(by)
	t.say(w, slices.Compact(by))
}
