package places

// AnyRead reports whether handlers may read through pointers: whatever is no local.
func (t *Touched) AnyRead() bool { return t.anyRead }
