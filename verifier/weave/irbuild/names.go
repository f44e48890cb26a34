package irbuild

// Names of what interrupt.PointSource defines. All begin with PointPrefix, and traces leave them out.
const (
	PointPrefix = "firmproof_irq_"
	Point       = PointPrefix + "point"
)

// Unsupported starts the names of functions that our C library calls where it does not know
// what happens.
const Unsupported = "firmproof_unsupported_"
