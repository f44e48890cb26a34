package policy

// What is read of programs.
const (
	AssertionTests  = 16       // blocks of an assertion
	FailingDepth    = 4        // jumps and calls that lead to a failure
	SiteDepth       = 24       // of expressions in the name of a place, in which phis may even turn in circles
	ChosenValues    = 200      // that are looked at to tell where the bits of one come from
	ExpressionSteps = 16       // how far expressions, addresses and tests are followed
	AsmShown        = 60       // characters of assembly in messages
	UnsetRanges     = 32       // of an initialiser that may have any value; those of larger ones are zero
	GuardDisjuncts  = 256      // of the disjunctive normal form of a guard
	SystemBytes     = 64 << 20 // of a file with a transition system
	SystemDepth     = 1000     // of its brackets and signs
	SystemMonomials = 2000     // of a polynomial
	SystemPower     = 64       // degree of a monomial
	SystemBits      = 1 << 16  // of a coefficient, roughly
)

// Pointers to what was freed, followed by the texts of where they were read.
const (
	FreedRounds = 4   // over all functions
	FreedVisits = 12  // of a block
	FreedCopies = 48  // pointers that are copies of others, at one place
	FreedNames  = 12  // texts for one pointer
	FreedKey    = 120 // characters of one
)

// Pointers that meet objects of another type.
const (
	MetRounds  = 12 // over all functions; where more is to be found, nothing is said
	MetTargets = 12 // of one pointer
)

// Flow analyses: where pointers lead, and ranges of numbers.
const (
	FlowCells      = 48   // of an object, and locations of an address; beyond, all is one
	FlowCopies     = 3    // local variables that a pointer is followed through
	FlowChoices    = 6    // choices and loads that an address is followed through
	LeadsFollowed  = 256  // steps, from an address in a handler back to variables
	EnumeratorRuns = 8    // that are told apart; beyond, those between the least and the greatest count
	FilledLoads    = 3    // between what holds a pointer and the numbers that are written
	RangePlain     = 3    // rounds, before bounds that grow go to the next constant of functions that store there
	RangeRounds    = 24   // before what still grows is any number
	RangeTable     = 4096 // elements of a table that are looked at
	WordGrowth     = 3    // visits of a block, before bounds of a variable that still grow go to their ends
	CheckGrowth    = 4    // passes over a function before what still grows goes to the end of its type
	CheckPasses    = 24   // before nothing is shown of what a function stores
	WordVisits     = 200  // of a block, before nothing is said of the function
)

// Generated harnesses.
const (
	HarnessCalled    = 12   // functions that an entry of calls calls beside its own
	MadeBy           = 4    // functions that make what another is handed
	MadeBetween      = 6    // functions of which one is called in between
	HarnessBeside    = 400  // functions of a program that is read once more for what is written beside
	HarnessFunctions = 6    // that one pointer may lead to
	HarnessFar       = 4096 // bytes that accesses by bounded indices reach, to be what a pointer leads to
	HarnessCount     = 64   // elements behind a pointer with a length
	HarnessString    = 16   // bytes of a string
	HarnessFurther   = 16   // words of arguments without a name
	HarnessDepth     = 2    // levels of pointers in what a pointer leads to
	HarnessFields    = 64   // pointers in one block that lead to blocks of their own
	HarnessSlots     = 256  // pointers in one variable that are looked at for functions
	HarnessElements  = 256  // of an array that are filled one by one
	HarnessHinted    = 16   // of an array of numbers in a structure that are told apart where a violation depends on them
	HarnessFilled    = 4    // elements that hold pointers or truth values, behind a pointer with a length
	HarnessPiece     = 16   // bytes that the parts of a structure may reach past its end
	HarnessTables    = 16   // constants that one pointer may lead to
	ApartPairs       = 24   // of pointers that a harness names where it says that they do not overlap
	ApartRows        = 16   // places in one object where a pointer may lead
	ApartTogether    = 4    // parameters that may lead into one block of numbers
	ApartHosts       = 4    // single objects that bytes may lie over
	HarnessTruths    = 4    // truth values in unions of one harness
	WideCount        = 1024 // elements behind a pointer with a length, in runs: what is longer costs them little
	WideString       = 384  // bytes of a string, likewise
	LongerFirst      = 300  // of an array, or a number of the code, that strings and lengths get past
	LongerMost       = 4200 // likewise, where there are such
	HeldBlocks       = 8    // structures with a member that a function is told from
	HeldMembers      = 64   // of them
	HeldDepth        = 8    // of members in members
	ReadFromDepth    = 4    // variables that an address goes through from where it is read to where it is compared
)

// What is woven into programs.
const (
	MainArguments     = 4   // strings of argv; runs that look into longer vectors are beyond a bound
	MainEnvironment   = 2   // strings of envp, likewise
	AssignsLocals     = 8   // local variables that an assigns clause is followed through
	AssignsLeft       = 3   // loops that one write can be on the way out of
	CaseValues        = 17  // of an input whose values are told apart
	StartsDeep        = 3   // pointers from an argument to where a function may be named
	DeclaredTruths    = 256 // truth values of variables that nothing defines
	RaceFits          = 8   // instructions that are followed to tell whether a value fits
	RaceCompared      = 40  // bytes of two accesses whose addresses are compared byte by byte
	TearParts         = 16  // of an access
	TearTable         = 64  // parts times phases
	TearWords         = 4   // words up to which an aligned copy goes by words, as compilers do it in place
	TearPhases        = 16  // of a large copy
	PairEvents        = 16  // that are noted, a power of two
	PairWords         = 8   // noted of each: which it is, and numbers
	PairBytes         = 64  // that a pointer leads to, at most
	PairTurns         = 4   // loops of two versions that turn together
	PairUnrolled      = 16  // turns of a loop that one version alone has
	PairParts         = 256 // pieces of memory of another layout that are carried from one version to the other
	PairFew           = 4   // elements of another layout that a pointer leads to, where their number is computed
	PairFirstPercent  = 15  // of the time of a comparison, for one version after the other
	PairWiderPercent  = 60  // of what is left then, where that shows that they are the same for careful callers
	PairTurnsPercent  = 60  // of what is left then, for turns of both versions together
	PairEndPercent    = 20  // of what is left then, for an execution that both end
	PairsPart         = 3   // comparisons of a change take such a part of the processor time of its verification: a third, as reports say
	PairsAhead        = 3   // times the time for one if all took the same, that those may take that are compared first
	SketchSize        = 32  // numbers that tell which function of another version is like one
	SketchInstrs      = 3   // instructions that are looked at together
	SketchCaller      = 8   // of them that a caller in common is worth
	SketchLeast       = 12  // that have to be in common
	PairCalleePercent = 30  // of what is left, for each changed function that is called, where nobody asked before
)

// Machine code whose cycles are bounded.
const (
	FollowedSteps        = 4_000_000 // instructions that are followed
	FollowedCombinations = 1 << 13   // of the bytes that operands may be; beyond, nothing is learnt of an operation
	FollowedChain        = 4         // operations that took the carry of each other before a branch: a comparison of 32 bits
)
