package policy

// Integer transition systems: edges between cut locations, and what holds there.
const (
	SystemChainGrowth = 1   // edges more that a removed location may cost
	ProductBits       = 12  // length of the bounds of variables whose products are looked at
	TemplateMoved     = 5   // variables of an edge that are related because they change together
	SystemTemplates   = 160 // directions of the invariants of a system
	WidenAfter        = 3   // rounds before bounds that still move are given up
	NarrowRounds      = 2   // rounds after that, which win some back
	InvariantRounds   = 40  // in all
)

// Ranking functions of a system.
const (
	NestedPhases       = 4          // of a multiphase ranking function
	RankEffort         = 10_000_000 // linear programs for single edges: the sum of the squares of their sizes
	LoosePhases        = 4          // not nested, one after the other
	LoosePhaseEdges    = 16         // of a component with such phases
	LoosePhaseTries    = 3          // sets of strict edges
	RelationVars       = 4          // of a component that is ranked by relations
	RelationEdges      = 8          // of such a component
	Relations          = 60         // of one
	RelationDifference = 3          // greatest constant of one; smaller ones than its negative count as that
	SplitRounds        = 2          // of splits of locations by the edges that led there
	SplitTransitions   = 120        // that they may give
)

// Runs of a system that never end.
const (
	SystemCycles     = 80  // simple ones of a component
	CycleEdges       = 6   // of a cycle between cut locations
	WalkEdges        = 4   // of one that passes a location again
	SystemStems      = 400 // partial runs from the start
	TemporaryChoices = 24  // ways of choosing temporaries of a cycle
	CandidateSets    = 40  // for each way
	StemBranch       = 200 // branches of the integer simplex for a stem
	GuardRepairs     = 10  // conjuncts that may be added to the guard of a cycle
	ConeVars         = 8   // that the guard of a cycle depends on, for a geometric argument
	ConeDirections   = 5   // of a cone
	ConeStretch      = 64  // factor by which a turn stretches a direction
	ConeStems        = 6   // runs to the cycle that are tried
	ConeQuestions    = 60  // of a system
	OrbitTrials      = 60  // runs that may come back to a state
	OrbitSteps       = 400 // of each
	OrbitCycle       = 150 // steps of the longest cycle that the checker is given
	OrbitGuesses     = 4   // random temporaries before they are solved for
)

// Bounds of a system.
const (
	BoundMonomials      = 40      // before a bound is made coarser
	BoundPower          = 100000  // exponents that are computed
	BoundDigitPower     = 4       // of a number to its digits that is written as a power of the number
	BoundPhases         = 6       // of functions for bounds
	BoundPhaseSize      = 6000    // of their programs: rows and variables of all edges, times the square of the phases
	ForkGoals           = 16      // sets of successors that a function has to pay for
	LogarithmEdges      = 8       // of parts whose single edges are tried
	FewTurns            = 5       // of a loop of one edge that are tried out
	FewTurnsDegree      = 4       // of polynomials, which ends that
	RefineRounds        = 2       // in which a system is refined and bounded again
	ClosedFormTerms     = 40      // of a closed form
	ClosedFormPower     = 12      // in one
	ClosedFormIrregular = 4       // first turns that one may leave out
	ClosedFormQuestions = 120     // about one guard
	ClosedFormBase      = 64      // the greatest of a form whose dominance is computed
	BoundProveShare     = 1.0 / 3 // of the time, for the question whether every run ends
)

// The check of certificates of systems.
const (
	CertifyZ3 = 4000 // milliseconds for an implication
)

// Linear arithmetic.
const (
	LinearCached       = 200_000 // answers that a ladder remembers
	LinearBranch       = 60      // branches of the integer simplex before Z3 is asked
	LinearOpen         = 40      // questions of one kind without an answer, before no more are asked
	LinearProjected    = 400     // rows of a projection on the way
	LinearPivots       = 20000   // of one run of the simplex that does not converge
	Z3ContextQuestions = 300     // of one context of Z3, which only grows
	Z3WorkPerMilli     = 4000    // units of its rlimit, about
)

// Polynomials and facts of terms.
const (
	PolyDegree  = 4       // of the polynomials that terms are taken for
	PolyParts   = 64      // beyond, a term is an unknown
	PolyDepth   = 6       // of terms whose polynomial nobody asked for before
	PolyMemory  = 1 << 21 // parts remembered; then all are forgotten
	PolyMade    = 4       // parts of a quotient that is made as a sum
	FactDepth   = 40      // of terms whose facts nobody asked for before
	SignedDepth = 6       // of terms through which ranges of signed numbers are followed
)

// Numbers of graphs and systems.
const (
	CertifiedDefinitions = 2     // equations that are followed from a variable, where a graph is checked
	ResultWorth          = 10    // pointers that the result of a function is worth
	TypeBits             = 15    // length of constants that count as a type's
	BoundUnit            = 10000 // a constant is better than a variable up to about this, as bounds of machine types are not
	BoundSteady          = 10    // weight of a variable that the component does not change
	BoundOwn             = 12    // likewise, of the variable itself
	BoundOther           = 15    // likewise, of others
)
