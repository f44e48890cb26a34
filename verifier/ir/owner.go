package ir

import (
	"regexp"
	"strings"
)

// Owner names the way in which a block of the heap is made and released: what one makes, no other may release.
type Owner string

// The owners of blocks.
const (
	OwnerMalloc   Owner = "malloc"
	OwnerNew      Owner = "new"
	OwnerNewArray Owner = "new[]"
)

// newOperator and deleteOperator match the allocation functions of C++ that a program may replace, but for those that
// take an alignment (Itanium C++ ABI 5.1.3; C++17 [new.delete]).
var (
	newOperator    = regexp.MustCompile(`^_Zn([wa])[jmy](RKSt9nothrow_t)?$`)
	deleteOperator = regexp.MustCompile(`^_Zd([la])Pv[jmy]?(RKSt9nothrow_t)?$`)
)

// OwnerOf returns the owner of what the allocation function with this name makes or releases.
func OwnerOf(name string) Owner {
	for _, of := range []*regexp.Regexp{newOperator, deleteOperator} {
		switch m := of.FindStringSubmatch(name); {
		case m == nil:
		case m[1] == "a":
			return OwnerNewArray
		default:
			return OwnerNew
		}
	}
	return OwnerMalloc
}

// Released names the operation that releases a block of the owner.
func (o Owner) Released() string {
	switch o {
	case OwnerNew:
		return "delete"
	case OwnerNewArray:
		return "delete[]"
	}
	return "free"
}

// Fails reports whether the allocation function with this name returns null where there is no memory. The operators of
// C++ that do not return null end the program: exceptions are off.
func Fails(name string) bool {
	return !newOperator.MatchString(name) || strings.HasSuffix(name, "nothrow_t")
}

func operatorModel(name string) Model {
	switch {
	case newOperator.MatchString(name):
		return ModelMalloc
	case deleteOperator.MatchString(name):
		return ModelFree
	}
	return ModelNone
}

// OfHeap reports whether a call makes or releases a block of the heap.
func (m Model) OfHeap() bool {
	switch m {
	case ModelMalloc, ModelCalloc, ModelRealloc, ModelAligned, ModelMemalign, ModelStrdup, ModelFree:
		return true
	}
	return false
}

// Owners returns the owners of the blocks that m may make or release.
func (m *Module) Owners() map[Owner]bool {
	out := map[Owner]bool{}
	for _, f := range m.Funcs {
		if f.Model.OfHeap() {
			out[OwnerOf(f.Name)] = true
		}
	}
	return out
}
