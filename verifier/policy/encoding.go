package policy

// Bit-precise formulas of programs.
const (
	CutTurns          = 40      // walked of a loop with a constant trip count, before it is cut
	CutPlace          = 16      // bytes of the longest range that a cut keeps apart from the rest of its object
	ConstantCalls     = 120     // of a recursive function, where nothing depends on inputs, before it is cut
	ConstantNesting   = 20      // of these in each other
	CutCells          = 6       // arrays that have a ghost cell at one header
	CutStems          = 16      // offsets that are remembered of an array
	UnknownElements   = 15      // of an array, each by itself
	UndefinedElements = 7       // likewise, of indeterminate ones
	StillMembers      = 6       // members and elements, read and not changed by a loop, that candidates speak about
	StillBelow        = 6       // variables that functions read which a loop calls, and do not change: likewise
	BoundConstants    = 24      // of a function, that bounds are tried with
	DefaultBytes      = 1 << 20 // of an array's default value that are written out
	ConstantTurns     = 1 << 22 // of a loop whose trip count is constant; nobody waits for more
	CallNesting       = 1024    // depth of calls; constant recursion may go deeper
	UnrolledBytes     = 4096    // of a range with a constant length that is written byte by byte
	GuardedBytes      = 128     // the same with a symbolic length
	ScanBytes         = 1 << 12 // that a string function looks at, before the rest of its paths is given up
	ScanFar           = 16      // the same, in objects whose end is far or unknown; more in rounds with a larger bound
	OffsetDepth       = 7       // of terms that analyses of offsets look at: they visit shared ones more than once
	Places            = 256     // in a list of them
	AccessCells       = 64      // places of an access at an unknown offset, before it goes through an array
	LiteralCells      = 1024    // the same in literals and tables of pointers, which are worth more
	Designated        = 128     // objects that an access observes, because its address may be any of theirs
	NarrowLook        = 24      // decisions back that a new one is compared with
	DecisionsLook     = 1024    // the same, where several alternatives of a pointer are compared with them all
	GuardSteps        = 256     // terms of a pointer's guard that are looked at where another one is known to hold
	ExclusiveKept     = 16      // pointers, newest first, that a guard is known to be one of
)

// Solvers, and what simplifies their questions.
const (
	QuestionTerms  = 4_000_000 // of a question that a certificate has
	LatelyFrom     = 1 << 10   // terms asked for before what the simplifier made of them is kept
	LatelyMost     = 1 << 16   // answers of the simplifier that are kept, 48 bytes each
	SweepAfter     = 8000      // conflicts of a question, before bits that are always equal are looked for in it
	SweepConflicts = 1000      // of a comparison of two bits
	SweepFailures  = 40        // comparisons that were given up, before the rest is
	SweepWords     = 1 << 17   // of a question; more are not looked at
	SampledCalls   = 64        // calls of the simplifier for one that is timed: a clock costs as much as a rule
	LazyRounds     = 4         // of a question that state only what models violate, before each states twice as much
	TableBlock     = 1024      // elements of a table that one lemma describes
	CutLeafs       = 32        // inputs of a node with more than one gate
	PartnerBytes   = 1 << 30   // of the process that joins our own solver: what needs more is left to that
	PrintedTerms   = 1 << 20   // for the partner; text of more takes minutes and gigabytes, which no time limit ends
	WideCoef       = 40        // digits of coefficients that Z3's cuts make ever longer
	RenewBits      = 2000      // of terms, before a solver that knows too much is begun anew
	RenewRatio     = 4         // what it knows to what the question needs
	TableLeast     = 6         // elements of a table; shorter ones are chains of comparisons
	TableMost      = 4096      // elements of a table; longer ones are several
	TableIndexBits = 6         // of the index, within a block
	ExpandedReads  = 1 << 17   // each goes through all the writes before it, whatever they are of
	MuxElements    = 4096      // of the longest table that becomes a tree of if-then-elses
)
