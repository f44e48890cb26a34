package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sources names the files below verifier that only one technique needs. An empty list is a technique whose code others
// need as well, or that is a few lines of a file.
var sources = map[string]string{
	"only execution":            "replay/only.go",
	"known inputs":              "replay/known.go",
	"unwinding":                 "bmc/*.go",
	"tried inputs":              "replay/execute.go",
	"graph":                     "seg/*.go seg/certify/*.go graphterm/*.go",
	"induction":                 "invariant/*.go",
	"several turns":             "invariant/turns.go",
	"several turns with lemmas": "",
	"cases":                     "race/cases.go",
	"long executions":           "replay/long.go",
	"states":                    "replay/states*.go",
	"guess":                     "replay/lasso.go",
	"all paths":                 "race/followed.go",
	"long runs":                 "bitterm/longrun.go",
	"recurrent bits":            "bitterm/recurrent.go bitterm/extreme.go",
	"ranked bits":               "bitterm/rank.go bitterm/measures.go bitterm/cases.go bitterm/distances.go",
	"traps":                     "bitterm/trap.go",
	"bounds":                    "graphterm/complexity.go graphterm/counted.go termination/bound*.go termination/size*.go",
	"calls":                     "calls/calls.go",
	"narrow":                    "harness/narrow.go replay/harmless.go",
	"stubs":                     "bodiless.go",
	"made":                      "harness/made.go",
	"longer":                    "harness/longer.go",

	"elements":   "invariant/elements.go",
	"intervals":  "invariant/floats.go",
	"pairs":      "",
	"limits":     "",
	"on entry":   "invariant/onentry.go",
	"suggested":  "invariant/suggestions.go invariant/hull.go",
	"twins":      "invariant/twins.go",
	"products":   "invariant/products.go invariant/callproducts.go invariant/field.go ring/*.go",
	"neighbours": "invariant/neighbours.go invariant/orders.go",
	"asserted":   "invariant/asserted.go invariant/generalise.go invariant/boundary.go",
	"control":    "invariant/control.go",
	"ellipse":    "invariant/ellipses.go ellipse/*.go",
	"tables":     "invariant/tabulate.go",
	"clauses":    "invariant/clauses.go invariant/block.go",

	"modular graph":  "graphterm/modular.go seg/shared.go",
	"nulls apart":    "",
	"wrap-around":    "",
	"no overflow":    "",
	"turns by bits":  "bitterm/turns.go seg/turns.go",
	"machine ranges": "",

	"invariants":      "termination/invariant.go termination/templates.go",
	"affine":          "",
	"nested":          "",
	"onward":          "",
	"phases":          "termination/phase.go",
	"relations":       "termination/closure.go termination/certify/closure.go",
	"entries":         "",
	"splits":          "termination/refine.go",
	"cycles":          "termination/lasso.go termination/recurrent.go",
	"walks":           "",
	"geometric":       "termination/geometric.go",
	"orbits":          "termination/orbit.go",
	"few turns":       "",
	"logarithms":      "termination/logarithm.go termination/digits.go",
	"amortised":       "termination/amortise.go",
	"resets":          "",
	"phase bounds":    "",
	"closed forms":    "termination/twn.go termination/closed.go termination/matrix.go",
	"forks":           "termination/fork.go",
	"widths":          "",
	"refinement":      "",
	"ranges of types": "",
}

// lines counts those of a technique's files; a dash where it has none of its own.
func lines(technique string) string {
	n := 0
	for _, pattern := range strings.Fields(sources[technique]) {
		files, _ := filepath.Glob(filepath.Join("verifier", pattern))
		for _, f := range files {
			if text, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, "_test.go") {
				n += bytes.Count(text, []byte("\n"))
			}
		}
	}
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
