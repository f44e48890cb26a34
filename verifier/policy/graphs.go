package policy

// Symbolic execution graphs: calls.
const (
	GraphRecursion  = 24   // nested calls of a function that are followed
	GraphDepth      = 60   // nested calls
	GraphFollowed   = 5000 // symbolic steps after which recursion is always modular
	SharedFrom      = 3    // calls of a function, in all contexts, for which it gets one graph
	SummaryWidening = 3    // moves of a bound of a summary before it is given up
	SummaryParams   = 4    // parameters that are related to the result
	CutRepairs      = 3    // times that a cut point is expanded again because an edge of it is not certified
)

// Generalised states.
const (
	StateCells       = 24  // cells of an object that one keeps
	StateTracked     = 4   // of these, at a fixed distance from the end of a block
	StateSpans       = 32  // spans of an object that are kept
	DoublyLinked     = 4   // kinds of blocks that are those of doubly linked lists
	ReadPlaces       = 256 // places of a read that are looked at, where its address is open
	StateArrivals    = 6   // paths that meet at a place before it is generalised
	MergesByNew      = 2   // merges in which facts of the arriving state are candidates too
	MergeSteps       = 10  // slots that moved and are related in pairs
	MergeEquations   = 80  // equations of two states of which those that both have are looked for
	MergeSwaps       = 24  // inequations that an equation which a merge loses may leave
	WidenThresholds  = 60  // constants that bounds are widened to
	StateKinds       = 6   // states of a place that differ in which pointers are null
	OwnedDepth       = 6   // levels of memory that owns memory
	MemberCases      = 3   // things that a member of a list may be
	StateLists       = 8   // kinds of lists
	StateShapings    = 60  // times that a state is generalised to get further ones
	TreeKids         = 4   // pointers onwards of the blocks of a tree
	TreeKinds        = 4   // kinds of blocks that are trees
	GraphDefinitions = 2   // equations that are followed in turn from a variable
	WrapSplits       = 4   // wrap-arounds of a path that are told apart
)

// Diagrams of graphs and systems.
const (
	DiagramNodes  = 30 // of the largest that a report has: larger ones are for programs (--dump)
	DiagramArrows = 90 // likewise
)
