package seg

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// content says what the bytes of an object are where no cell tells.
type content uint8

const (
	unknownBytes content = iota + 1 // written in a way that was not followed
	freshBytes                      // unknown from the start and never looked at
	zeroBytes
	initBytes // the initialiser of a global
)

// cell is a value in memory (PT): size bytes at off hold val.
type cell struct {
	off  exact.Lin
	size int64
	val  value
	read bool // since the last cut point
}

// object is an allocation (AL).
type object struct {
	id      int
	key     string // stable name among the states
	name    string // for people
	size    exact.Lin
	of      string // the structure that the program takes its blocks for, "" if none is known
	heap    bool
	dynamic bool  // on the heap, or an alloca that a function may execute many times
	private bool  // no address of it can be anywhere but in its own function's registers
	ended   bool  // its scope may be over
	align   int64 // of its address, bytes; of each block of a list, 0 if there is none
	global  *ir.Global
	rest    content
	written written
	cells   []cell
	base    exact.Var // its address, -1 while nobody asked
	next    *int64    // of a block that came out of a list: where it leads on
	list    *list     // not nil: the object stands for a chain of blocks
}

// frame is an active call.
type frame struct {
	fn     *ir.Func
	blk    *ir.Block
	idx    int
	vals   map[ir.Value]value
	objs   []int     // allocas
	call   *ir.Instr // in the caller
	ctx    string    // names the call stack
	bottom bool      // the callers are left out
}

// state is an abstract state.
type state struct {
	frames  []*frame // the running one last
	know    *know
	objs    map[int]*object // shared between states; own copies before writing
	order   []int           // ids, oldest first
	owned   map[int]bool
	approx  string  // why the path since the last cut point has steps that the program may not have
	cost    int64   // instructions since the last cut point
	inputs  []input // what the environment decided since the last cut point
	entered bool    // just came to a new place

	recursed   bool // the running function, entered without callers, called itself and came back
	overflowed bool // every run of the path since the last cut point overflows, and wraps around

	calls   []int // modular calls since the last cut point that came back, by number
	calling int   // not 0: the path went into the callee of the modular call of that number
}

func (s *state) top() *frame { return s.frames[len(s.frames)-1] }

func (s *state) clone() *state {
	c := &state{know: s.know.clone(), approx: s.approx, cost: s.cost, overflowed: s.overflowed, recursed: s.recursed,
		calls: s.calls[:len(s.calls):len(s.calls)], calling: s.calling,
		inputs: s.inputs[:len(s.inputs):len(s.inputs)], objs: make(map[int]*object, len(s.objs)),
		order: append([]int(nil), s.order...), owned: map[int]bool{}}
	for id, o := range s.objs {
		c.objs[id] = o
	}
	s.owned = map[int]bool{}
	for _, f := range s.frames {
		g := *f
		g.vals = make(map[ir.Value]value, len(f.vals))
		for k, v := range f.vals {
			g.vals[k] = v
		}
		g.objs = append([]int(nil), f.objs...)
		c.frames = append(c.frames, &g)
	}
	return c
}

// inexact marks the path as an over-approximation.
func (s *state) inexact(why string) {
	if s.approx == "" {
		s.approx = why
	}
}

func (s *state) object(id int) *object { return s.objs[id] }

// block reports that object id is there and is one allocation.
func (s *state) block(id int) bool { return s.objs[id] != nil && s.objs[id].list == nil }

// own is object id, as a copy that this state may change.
func (s *state) own(id int) *object {
	o := s.objs[id]
	if o == nil || s.owned[id] {
		return o
	}
	c := *o
	c.cells = append([]cell(nil), o.cells...)
	if o.list != nil {
		l := *o.list
		c.list = &l
	}
	s.objs[id] = &c
	s.owned[id] = true
	return &c
}

func (s *state) add(o *object) {
	s.objs[o.id] = o
	s.owned[o.id] = true
	s.order = append(s.order, o.id)
}

// drop removes an object; pointers to it stay and mean nothing any more.
func (s *state) drop(id int) {
	if s.objs[id] == nil {
		return
	}
	delete(s.objs, id)
	delete(s.owned, id)
	for i, x := range s.order {
		if x == id {
			s.order = append(append([]int(nil), s.order[:i]...), s.order[i+1:]...)
			return
		}
	}
}

// refers reports whether a value that the state holds points to object id.
func (s *state) refers(id int) bool {
	for _, f := range s.frames {
		for _, v := range f.vals {
			if v.pointsTo(id) {
				return true
			}
		}
	}
	for _, o := range s.objs {
		if o.pointsTo(id) {
			return true
		}
	}
	return false
}

func (v value) pointsTo(id int) bool {
	if v.kind == ptrValue && v.obj == id {
		return true
	}
	for _, m := range v.agg {
		if m.pointsTo(id) {
			return true
		}
	}
	return false
}

// position names where the state is: the call stack, block and instruction.
func (s *state) position() string {
	f := s.top()
	return fmt.Sprintf("%s%s.%d.%d", f.ctx, f.fn.Name, f.blk.Index, f.idx)
}

// depth counts how often fn is active.
func (s *state) depth(fn *ir.Func) int {
	n := 0
	for _, f := range s.frames {
		if f.fn == fn {
			n++
		}
	}
	return n
}

// newObject makes an object whose key is free in this state.
func (b *builder) newObject(s *state, key, name string, size exact.Lin) *object {
	for n := 0; ; n++ {
		k := key
		if n > 0 {
			k = fmt.Sprintf("%s#%d", key, n)
		}
		id, ok := b.objIDs[k]
		if !ok {
			id = len(b.objIDs) + 1
			b.objIDs[k] = id
		}
		if s.objs[id] != nil || s.refers(id) {
			continue
		}
		if n > 0 && strings.IndexByte(name, '#') < 0 {
			name = fmt.Sprintf("%s#%d", name, n)
		}
		o := &object{id: id, key: k, name: name, size: size, rest: freshBytes, base: -1, align: 1}
		s.add(o)
		return o
	}
}
