package interp

// Cycle is a repeated state: the run goes on forever with the inputs of the cycle.
type Cycle struct {
	Stem, Length int64 // instructions before the cycle, and in it
}
