package irbuild

// Interrupt handlers run between the steps of a program. A handler changes the program
// only through memory that both touch, so it is enough to let handlers run in front of
// each step that the two do not do in either order:
//
//	(I1) an access of memory that a handler may write, and a write of memory that a
//	     handler may read (touched.go)
//	(I2) an assertion, an assumption, the end of the program
//	(I3) the jump back of a loop that can go round without any of these
//	(I4) inline assembly, and other instructions that change the interrupt mask (masks.go)
//
// At such a point stands a call of Point, a function in C (PointSource) that runs any
// handlers which have runs left, unless interrupts are masked or a handler runs already
// that they do not preempt. Which handlers preempt which is an assumption of the answer.

// Names of what PointSource defines. All begin with pointPrefix, and traces leave them out.
const (
	PointPrefix = "firmproof_irq_"
	Point       = PointPrefix + "point"
)

// Unsupported starts the names of functions that our C library calls where it does not know
// what happens.
const Unsupported = "firmproof_unsupported_"
