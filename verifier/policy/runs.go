package policy

// Executions of the interpreter.
const (
	AccessBytes  = 1 << 26 // of one access: of memset and its relatives, whose sizes the inputs choose
	PollBytes    = 1 << 20 // after which the context is looked at
	ElementBytes = 16      // that an element of an aggregate counts for
	LassoBytes   = 1 << 20 // of states that a run may write at first, and for each instruction
	LeapDegree   = 3       // of closed forms: the sum of the squares of the turns has three
	LeapLap      = 4096    // turns of a lap that are tried as one
	LeapAfter    = 4       // turns, before an attempt
	LeapPatience = 1 << 20 // turns between attempts that fail, at most
	LeapSteps    = 4_000   // instructions between two samples
	LeapLong     = 80_000  // of a single turn, or a lap
	LeapLeast    = 16      // turns worth skipping
	LeapMost     = 1 << 40 // turns skipped at once
	LeapCells    = 256     // of memory that a turn may read and write
)

// What traces and reports show.
const (
	Before        = 8       // violations that are told apart before a claim; beyond, it names any
	TextShown     = 200     // bytes of a program's string in a message
	ObjectShown   = 256     // bytes of an object's contents
	LiteralShown  = 24      // bytes of a literal that a name has
	HoldersShown  = 3       // pointers from a variable to a block in its name: list->next->next
	KeptWrite     = 256     // bytes of a write that are kept until the type of their block is known
	TypePasses    = 8       // over all blocks for their types
	ZerosShown    = 1 << 16 // bytes that are looked at in order to show a structure or array as {0}
	MembersShown  = 8       // members or elements of one structure or array
	BytesShown    = 64      // bytes of an array that holds text
	MarkedSteps   = 1 << 18 // instructions that are followed back: all steps of a longer run count as relevant
	RelevantSteps = 1 << 20 // the same, where only relevant ones are shown
	Causes        = 4       // of one step
	CausesWalk    = 400     // instructions that are looked at for them
	InputShown    = 1 << 16 // bytes of one input
	CycleValues   = 6       // variables where a cycle of states begins
	CycleSteps    = 8       // of a cycle of states
)
