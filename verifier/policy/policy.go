// Package policy holds every time slice, limit and effort of the search for an
// answer. No engine has one of its own. All are measured: larger ones gained no
// answers on the corpora that the engines were tuned on, or cost other ones.
//
// Units are in the comments: steps are instructions of the interpreter, conflicts
// those of the SAT solver, percents parts of the time that is left.
package policy

import "time"

// What a second is (package budget).
const (
	Processors  = 2                      // engines beyond share a second: the same on any machine
	BudgetTick  = 5 * time.Millisecond   // between looks at what was spent
	BudgetRest  = 200 * time.Millisecond // that all may wait for each other before the clock counts
	ClockFactor = 4                      // seconds of the clock that a second of the budget may take
	GraceFactor = 10                     // the same, of what is put together when the time is over
)

// OwnSolverTime is how long our own solver is alone with a question, before another one joins it.
const OwnSolverTime = 10 * time.Second

// The race: when an engine may begin beside the one that it waits for.
const (
	LongExecutionsAfter = 3 * time.Second // induction took so long
	TriedAfter          = time.Second     // the first round of unwinding took so long: it may take all there is
	InductionAfter      = 2 * time.Second // the first round of unwinding took so long: it may take all there is
	SeveralTurnsAfter   = 4 * time.Second // induction over single turns took so long
	BitsAfter           = 2 * time.Second // the graph took so long; most programs are decided sooner

	OnlyExecutionPercent = 40 // the rest is enough for a proof
	GuessTime            = 1500 * time.Millisecond
	LongRunTime          = 4 * time.Second // what looks at bits helps early or not at all
	RecurrentBitsTime    = 6 * time.Second
	RankedBitsTime       = 10 * time.Second

	CasesAfter    = 3 * time.Second // induction took so long
	CaseTime      = 2 * time.Second // for one value of an input
	CaseInduction = 500 * time.Millisecond

	OutsidePercent = 50 // of the time that is left, for what holds whatever functions without a body do

	// for what calls in any order bring about
	CallsTime      = 2 * time.Second
	CallsSearch    = time.Second // where a proof would say no more
	CallsInduction = 500 * time.Millisecond
	CallsStates    = 300 * time.Millisecond // unwinding took so long: what fails needs more calls
	CallsMore      = 300 * time.Millisecond // after the first failure that is asked for

	// for blocks of guessed sizes that turn out too short
	WiderRounds       = 2
	WiderLeast        = 2 * time.Second // or half of the time that it took to find that out
	WiderFirst  int64 = 64              // bytes
	// of the time, for a program that calls functions without a body: the rest is for that with stubs
	BodilessPercent       = 30
	WiderMost       int64 = 4096

	AnotherTime = 2 * time.Second // for violations beside those that are no findings; at most half of what is left

	// of processors, for comparisons of a change (PairsPart): for all together, and for each that is begun, at least
	PairsFloor = time.Second
	PairLeast  = 500 * time.Millisecond

	PairFirstTime = 250 * time.Millisecond // PairFirstPercent, at least

	TraceGrace   = 500 * time.Millisecond // when the time is over, for the trace of what was found just before
	AbandonAfter = time.Second            // when the time is over, an engine that goes on is left alone
	AnswerGrace  = 2 * time.Second        // when the time is over, for putting the answer together

	// Termination that nobody asked for by name.
	UnaskedAfter   = 2 * time.Second // of the question about paths; or when that is answered
	UnaskedBounded = 50              // percent of the time that paths have first where bounds are given
	// for executions on tried inputs, and for the rest if it takes longer than half the time of paths
	UnaskedLeast   = time.Second
	UnaskedPercent = 25        // of the time there is, at most
	UnaskedSteps   = 3_000_000 // instructions of executions on tried inputs, before
	UnaskedGraph   = 60        // percent of it for the graph
	WaitingNumbers = 5         // inputs of a run whose sums it is given
	WaitingSeeds   = 12        // other inputs that a loop is given, to see whether it waits for some
	MaxMeant       = 24        // runs on tried inputs that are meant to go on, before no more are tried
	WaitingSteps   = 50_000    // instructions of each beyond those before

	NoDeadline = time.Minute // shares of the time left are of this, if there is no deadline
)

// Executions that confirm or find something.
const (
	BytesPerStep = 16 // that instructions may access for each step of a run's limit

	ReplaySteps = 20_000_000 // of a model's inputs
	KnownSteps  = 2_000_000  // of the inputs of an earlier violation: what is edited may run for ever with them

	LongFirstSteps     = 12_000_000 // of the first execution that looks for violations after many turns
	LongExecutionSteps = 4_000_000  // of one of the others
	LongExecutions     = 5          // parts of what is left of those that one may take
	LongTotal          = 32_000_000 // of all of them
	AimedInputs        = 2          // the first ones, whose value is sought one by one
	Aims               = 8          // branches that are aimed at
	SecantSteps        = 24         // runs for one
	SecantGrowth       = 16         // times the number before, at most

	StatesAfter   = time.Second     // induction took so long
	StatesWait    = 2 * time.Second // then, or behind its end: other engines may be done soon
	StateStarts   = 40              // walks from the start of the program, before the solver may be asked for inputs
	FewStates     = 8               // fewer that are met by then, and it is
	StatesPercent = 70              // of the time that is left
	StateTries    = 48              // walks from a new state before others have their turn, at most
	LeastTries    = 8               // and at least
	StatePatience = 4               // turns that bring nothing new, before a walk is given up, at most
	LongWalks     = 12              // one of so many walks goes on for longer
	LongPatience  = 100
	StateSteps    = 400_000 // between two inputs, or inputs and the end
	SilentWalks   = 12      // that take too many steps without inputs, before the search ends
	StaleWalks    = 6_000   // that bring nothing new, before the search ends
	MaxKeptStates = 40_000
	KeptBytes     = 96 << 20 // of them
	StatePlaces   = 400      // numbers that states are told apart by
	PlacesOfOne   = 32       // in one variable
	SmallState    = 256      // numbers beyond are told apart by constants alone
	GoesOnPercent = 25       // of the time for inputs with which a loop goes on
	GoesOnTurns   = 1
	GoesOnRuns    = 8

	ShrinkTrials    = 300        // replays that make the inputs of a violation small
	ShrinkSteps     = 50_000_000 // of all of them
	ShrinkLong      = 200_000    // instructions of a violation that few replays are for
	ShrinkFewTrials = 6
	ShrinkSlack     = 10_000 // instructions of one, beyond twice those of the violation

	RedrawTrials    = 4_000                  // replays of a violation with other contents than a harness made up
	RedrawSteps     = 8_000_000              // of all of them
	RedrawConstants = 96                     // numbers of the program that contents are replaced by
	RedrawCompared  = 24                     // pairs of numbers that the violation compared and that may have been equal
	RedrawRandom    = 20                     // numbers by a generator that contents are replaced by, beside fixed ones
	RedrawLeast     = 4                      // that the harness may hold, for a violation to be told from contents
	RedrawGrace     = 500 * time.Millisecond // when the time is over, for all of a result

	OnlyExecutionSteps = 20_000_000 // of a program without inputs
	OnlyExecutionLeast = 20_000     // shorter ones are as well unwound, which proves more at once

	ProbeShort     = 5_000   // of one run on tried inputs, where the begin of runs is looked at
	ProbeSteps     = 200_000 // of one run on tried inputs
	ProbeTotal     = 3_000_000
	ProbeSeeds     = 200
	ProbeConstants = 256  // of the program, tried as inputs
	ProbeOverhead  = 1000 // steps that starting a run costs

	GuessSeeds     = 400
	GuessConstants = 24 // of the program, tried as inputs
	GuessPeriod    = 6  // of the longest pattern of zeros and ones that is tried as inputs

	ConfirmFirst = 30_000    // of a run that a recurrent set says is endless, whose turns do nothing undefined
	ConfirmSteps = 2_000_000 // of others, and when that did not come to the loop often
	CountedSteps = 300_000   // of a run that is shown beside the bound of its length
	ConfirmTurns = 400       // of its cycle for which inputs are made
	LeastVisits  = 100       // of a loop's head before a run counts as followed
)

// GuessSteps are those of a run that may repeat its state; more when no shorter one did.
var GuessSteps = [...]int64{2_000, 30_000, 1_500_000}

// Rounds of unwinding.
const (
	// turns of the first round, when nobody gave bounds: most violations need no more, and it is cheap
	FirstUnwind  = 1
	SecondUnwind = 2  // of the second
	UnwindFactor = 4  // times as many in each later round
	GapUnwind    = 32 // the last round where unmodelled code is reached: more turns tell nothing new

	// for the formula of the first round; the rest is for deciding as far as it came
	FirstWalkPercent = 70
	PublishEvery     = time.Second            // while claims of the first round are decided
	StopWalkAfter    = 400 * time.Millisecond // when all the time is over, a walk that did not end by itself is dropped
	// of a question whether a loop of the first round goes on; it does where that has more
	FirstProbeTerms = 20_000

	ProbeConflicts     = 200 // for an answer about one address while the formula is made
	ProbesGivenUp      = 10  // after so many without an answer, the next get fewer
	LateProbeConflicts = 20
	ChoicesAhead       = 8         // steps of diagrams of questions per term of the formula; half of what is left for each
	ChoicesPerTerm     = 2         // such steps are won by an answer
	ChoiceSteps        = 1_000_000 // most for one question
	ChoiceNodes        = 8_000_000 // of the diagrams, and what is known of them, before they are begun anew
	WordChoices        = 64        // of a word that choices give constants
	WrongChoices       = 4         // models of diagrams that do not suit, more than do, before no more are tried
	ProbeModels        = 8         // of earlier answers, tried before the solver is asked
	ProbeValues        = 500_000   // of terms under them; fewer models where the formula is large

	CoverageConflicts = 5000 // for a question about lines that no execution was seen to come to
	CoveragePercent   = 10   // of the time that a round leaves

	FirstBatch  = 16   // claims asked about at once
	EasyBatch   = 200  // conflicts; a batch that took no more is doubled
	HardBatch   = 1000 // conflicts; a batch that took more is halved
	FirstEffort = 2000 // conflicts for a batch; beyond, it is split, and a single claim is put off
	MoreEffort  = 8    // times as many for what was put off

	FactsPercent     = 60 // of the time, for the round in which assumed quantifiers are facts
	FactsUnwind      = 8  // turns of its loops, when nobody gave bounds
	MaxFactInstances = 64 // of one fact
	InstanceRounds   = 3  // instances for what the program reads, and then for what instances read
	MaxSumDepth      = 16 // of an index that is taken apart
	MaxUnconfirmed   = 4  // seeming violations before that round gives up

	MaxPassed = 8 // times that the program is run with more violated claims left out

	ChangeTime     = 5 * time.Second // for executions of both commits of a change, of an entry
	ChangeTrials   = 400             // executions for a violation of the head that is none of the base
	SearchTime     = 5 * time.Second // for executions on inputs with which one commit of a change fails, of an entry
	SearchMoreTime = 3 * time.Second // likewise, on longer inputs, and of calls in any order
	SearchRuns     = 20_000          // such executions
	SearchSteps    = 100_000         // instructions of one
	SearchEach     = 4               // inputs that are tried for a claim which would be no finding
	SearchStale    = 3_000           // executions after the last one that went a new way

	MetEach       = 8         // numbers that one was compared with
	MetKept       = 10_000    // of all
	MutantsKept   = 2_000     // inputs that are gone on from
	VisitDigits   = 10        // of how often an execution came to a block, that are told apart
	MutantsNewest = 8         // of which half of the next come
	MutantsOfNone = 12        // one of so many comes from none of them
	MutantZeros   = 16        // numbers that an instruction asks for in an execution with zeros, before it gets any others
	EndlessInputs = 64        // first inputs of an execution without an end that are kept
	MutantTexts   = 400       // text literals
	MutantText    = 64        // bytes of one
	MutantBytes   = 4_096     // in front of a block, which are changed
	NearCells     = 4_000_000 // pairs of instructions that are compared to find what differs
	NearNumbers   = 48        // numbers of what differs that are tried
	BesideKept    = 64        // inputs of which all neighbours are tried
	BesideTries   = 400       // neighbours of one
	StretchBytes  = 32        // that a text gets more, where its block may be larger
	StretchHalves = 3         // such numbers, each half of the one before
	BesideBytes   = 64        // first bytes of a block that get such numbers
	SamplePlaced  = 6         // times that a sample is put into a block
	WayConflicts  = 20_000    // of a question whether a claim fails in another way, too
)

// Induction over several turns.
const (
	MaxInductionTurns  = 16     // that one step may follow
	ConflictsOfStretch = 20_000 // for a claim without lemmas
	StretchPercent     = 40     // of the time that is left, for each number of them
)

// InductionTurns are how many turns induction steps follow, where one is not enough.
var InductionTurns = []int{2, 4, 8}

// The search for inductive invariants.
const (
	MaxWalks       = 80              // until the cut loops are known
	ConflictsOfAll = 4000            // for a question about all candidates
	ConflictsOfOne = 2000            // for a question about one
	SuggestEffort  = 10              // times as many conflicts for the few lemmas that executions suggest
	MaxThinned     = 8               // invariants of a certificate that are tried to do without, one by one
	ProbedTurns    = 6               // of loops that are not cut
	CutDepth       = 24              // nested calls
	LemmaPercent   = 40              // for the lemmas of the templates; the rest is for clauses
	ClausesPercent = 60              // of what is left, for clauses, if the lemmas alone do not exclude all
	StatePercent   = 40              // of what is left of that, for lemmas under values of control variables
	RecheckPercent = 40              // for the other solver that checks the proof; then ours does
	RecheckWords   = 2 * time.Second // likewise, with products as any words

	MaxLevels  = 400 // frames of property directed reachability
	MaxDropped = 16  // literals of a cube that are tried to be left out one by one
	MaxSteps   = 8   // values of a counter below what it is compared with that are told apart
	MaxChoices = 24  // numbers of a choice that is looked into for constants

	MaxCandidates      = 1200 // lemmas of one header
	MaxFree            = 8    // with more numbers, clauses relate only those that the program does
	MaxPaired          = 24   // numbers that are related to each other
	MaxCellConsts      = 12   // constants that elements of arrays are compared with
	MaxReads           = 8    // array reads before a claim that choose the element looked at
	MaxAsserted        = 16   // claims about elements that lemmas are made of
	SmallOffset        = 64   // below zero that a constant of an index of few bits may be
	MaxConjuncts       = 200  // conditions of a violation that are looked at
	MaxEntryConditions = 6    // in front of a loop that may hold in it
	MaxTree            = 120  // subterms of one that a lemma holds
	MaxBoundaries      = 16   // of what loops have passed
	TrialInstances     = 8    // indices of reads that a lemma made of a claim is assumed at while it is on trial
	SampledElements    = 12   // first ones of an array in samples of executions
	MaxRegionBounds    = 4    // numbers that bound parts of an array in lemmas about neighbours
	MaxNeighbours      = 400  // such lemmas of one header
	NeighbourPercent   = 80   // for these of the time for lemmas
	MaxInstances       = 16   // indices of reads that a lemma about elements is assumed at

	MaxStates         = 16  // values of a control variable
	MaxPlaces         = 200 // that values of a control variable may come from
	MaxMagnitudes     = 24  // of floating-point constants that numbers are compared with
	LeastMagnitude    = -8  // exponents of the powers of two that bound floating-point numbers, every second one
	GreatestMagnitude = 24

	MaxHullVars     = 14      // numbers of one linear equation
	MaxCoefficient  = 1 << 40 // larger ones are an accident of the samples
	SpareSamples    = 2       // more than unknowns, or equations are accidents
	MaxFactors      = 8       // numbers that are multiplied with each other in one equation
	SmallFactor     = 1 << 30 // larger ones in samples may have wrapped around
	MaxCallFactors  = 5       // the same, of what a call is given and gives back
	MaxCallProducts = 12      // such equations, with conditions
	MaxScale        = 12      // coefficients of such an equation are made integers by at most this
	MaxScaled       = 1 << 16 // larger ones are an accident

	RingWidth      = 64  // of the words of an equation
	RingConditions = 4   // that the sides of an equation choose by
	RingDepth      = 24  // of sums and products
	RingProducts   = 64  // of words whose order is told
	RingSame       = 6   // variables of an equation of which two are tried as one
	RingParts      = 256 // summands of a polynomial
	RingMultiples  = 64  // of one equation that are taken from another
	RingDegree     = 6   // of a summand that such a multiple replaces

	EllipseConditions  = 4    // that numbers of a turn choose by
	EllipseDepth       = 64   // of sums and products
	EllipseParts       = 64   // summands of one
	EllipseVars        = 6    // of one filter
	EllipseGoals       = 64   // numbers of a turn that are bounded
	EllipseMultipliers = 64   // that are tried for an ellipse, between 0 and 1
	EllipseRates       = 16   // at which filters may seem to decay
	EllipseMargin      = 1e-6 // that guessed limits are wider
	EllipseSlack       = 1e-9 // that guessed multipliers are larger

	MaxResults = 6   // numbers after a call that sums are made of
	MaxInputs  = 6   // and before it
	MaxSums    = 400 // that are looked at
	MaxRules   = 600 // lemmas under a condition
	FewSamples = 3   // that a sum must agree on, at least

	MaxFewValues = 8 // of an argument, each of which is a condition

	TabulatePercent   = 20  // of what is left, for what calls give back for single arguments
	TabulateConflicts = 300 // for a question about that: nearly all follows from the arguments

	SampleSteps   = 40_000 // of one execution
	SampleTotal   = 600_000
	SampleSeeds   = 60
	SampleDepth   = 400 // nested calls
	MaxSamples    = 120 // of one header
	SamplesOfRun  = 40  // of one header of a function in one execution
	ArrivalsOfRun = 400 // there that are looked at: most may be samples already
	SampleStretch = 6   // first turns of a loop that are taken; later ones where their number is a power of two
)

// Tabulation limits what recursive calls give back for single arguments.
type Tabulation struct {
	Calls  int // that are looked at
	Nested int // within each other
}

// EllipseMargins are how much wider than without rounding ellipses are made.
var EllipseMargins = []float64{1e-3, 0.03, 0.5}

// FirstTabulation is done before lemmas of the templates are tried, LastTabulation after.
var FirstTabulation, LastTabulation = Tabulation{Calls: 100, Nested: 32}, Tabulation{Calls: 400, Nested: 64}

// Termination over bit vectors.
const (
	LongRuns      = 3       // tried per number of turns
	LongSteps     = 400_000 // of each
	LongConflicts = 30_000  // to find its inputs

	MaxEntries       = 8      // states on entry of a loop from which recurrent sets are sought
	ExtremeEntries   = 2      // with one extreme value
	MaxExtremes      = 4      // numbers that are given extreme values
	MaxSetAtoms      = 60     // conditions of a set
	MaxResidueBits   = 3      // residues modulo 2, 4 and 8
	SetConflicts     = 20_000 // for a question about a set
	MaxSetVars       = 8      // numbers that are related to each other
	MaxSetConsts     = 8      // constants that numbers are compared with
	MaxLexicographic = 3      // measures of one loop
	MeasureConflicts = 4000   // for a question about a measure
	RankLemmaPercent = 40
	TrapLemmaPercent = 60
	TrapSeeds        = 10     // executions that may show a loop that is not left
	TrapSteps        = 30_000 // of each
	TurnsPercent     = 50     // for bounds of turns; the rest is for what follows from them
	MaxFalling       = 8      // of one loop, until one is small
	MaxRankCases     = 4      // numbers by whose sign measures may differ
	MaxMeasures      = 600    // of the templates of one header
	MaxMeasureVars   = 10     // numbers that are combined with each other
)

// SmallMeasures are the greatest values of measures that bound the turns of a loop.
var SmallMeasures = [...]int64{15, 63, 255, 1023, 4095, 65535}

// LongRunTurns are the numbers of turns that a loop is asked to exceed.
var LongRunTurns = [...]int{3, 12}

// Termination over the symbolic execution graph.
const (
	GraphPercent       = 60      // for the graph; the rest is for its proof
	SafetyGraphPercent = 30      // for safety on the graph, which induction works beside
	FirstTryPercent    = 67      // for the proof that says more; the rest is for the one that says less
	ModularPercent     = 25      // for the proof in which functions called from many places have one graph
	BoundsZ3           = 200     // milliseconds for a question of the search for bounds
	MaxLoopBound       = 1 << 20 // turns of a loop that a bound may ask an unwinding for
	ShownInputs        = 100     // inputs that the report of an endless run shows
	ShownSteps         = 100     // steps that it shows, the first
	EndlessSteps       = 3000    // instructions that are executed for them
)

// UnwindLimit is how many turns the rounds of unwinding allow, when nobody gave bounds: 1, 2, 8, 32, 128, ...
func UnwindLimit(round int) int {
	if round == 0 {
		return FirstUnwind
	}
	limit := SecondUnwind
	for range round - 1 {
		limit *= UnwindFactor
	}
	return limit
}
