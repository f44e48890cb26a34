package verdict

// Comparisons is what `diff --json` writes.
type Comparisons struct {
	Version     int          `json:"version"`
	Tool        Tool         `json:"tool"`
	Comparisons []Comparison `json:"comparisons"`
	Added       []string     `json:"added,omitempty"` // functions that the new version alone has
	Gone        []string     `json:"gone,omitempty"`  // that the old one alone has
}

// Count returns how many functions have that answer.
func (c *Comparisons) Count(s Sameness) int {
	n := 0
	for i := range c.Comparisons {
		if c.Comparisons[i].Status == s {
			n++
		}
	}
	return n
}
