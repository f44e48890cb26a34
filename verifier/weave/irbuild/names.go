package irbuild

import "github.com/firmproof/firmproof/verifier/ir"

// Names of what interrupt.PointSource defines. All begin with PointPrefix, and traces leave them out.
const (
	PointPrefix = ir.PointPrefix
	Point       = ir.Point
)

// Unsupported starts the names of functions that our C library calls where it does not know
// what happens.
const Unsupported = "firmproof_unsupported_"
