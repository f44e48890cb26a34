package cbmc

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/contract"
)

// invalidOperands matches clang's message about operators on structures, among others.
var invalidOperands = regexp.MustCompile(`^invalid operands to binary expression \((.*) and (.*)\)$`)

// compareStructures takes over where the compiler refused to compare structures, as CBMC does; false if there is no
// new place.
func compareStructures(err error, opts *compile.Options) bool {
	var be *compile.BuildError
	if !errors.As(err, &be) {
		return false
	}
	asked := contract.Options{}
	if opts.Contracts != nil {
		asked = *opts.Contracts
	}
	places := slices.Clone(asked.Structures)
	for _, d := range be.Diagnostics {
		at := contract.Place{File: filepath.Base(d.File), Line: d.Line, Column: d.Column}
		m := invalidOperands.FindStringSubmatch(d.Message)
		if m != nil && unqualified(m[1]) == unqualified(m[2]) && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	if len(places) == len(asked.Structures) {
		return false
	}
	asked.Structures = places
	opts.Contracts = &asked
	return true
}

// unqualified is a type without const and volatile.
func unqualified(typ string) string {
	return strings.NewReplacer("const ", "", "volatile ", "").Replace(typ)
}
