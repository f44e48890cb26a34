package ir

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// UnknownError says that there is no function of a name that the user gave.
type UnknownError struct {
	Kind, Name string // of what: stub, interrupt handler
	Nearest    string // the nearest name of a function, or empty
}

// Error names the nearest function.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("%s %q: there is no such function", e.Kind, e.Name)
	if e.Nearest != "" {
		s += fmt.Sprintf(", did you mean %q?", e.Nearest)
	}
	return s
}

// Nearest is the function whose name is most like name.
func Nearest(m *Module, name string, known []string) string {
	names := slices.Clone(known)
	for _, f := range m.Funcs {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return verdict.Nearest(name, names)
}
