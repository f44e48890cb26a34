package moved_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/moved"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func keyModule(t *testing.T, body string) *ir.Module {
	t.Helper()
	m, err := frontend.Parse("x.ll", []byte("define i32 @main() {\n  "+body+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func key(t *testing.T, m *ir.Module, p problem.Plan, engine string) moved.Key {
	t.Helper()
	k, err := moved.KeyOf(m, p, engine)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestKeyCounts: the program, every option and the engine make another key.
func TestKeyCounts(t *testing.T) {
	m := keyModule(t, "ret i32 0")
	plan := problem.Plan{Entry: "main"}
	seen := map[string]string{key(t, m, plan, "1").Exact: "the plain plan"}
	add := func(what string, k moved.Key) {
		if old, ok := seen[k.Exact]; ok {
			t.Errorf("%s has the key of %s", what, old)
		}
		seen[k.Exact] = what
	}
	add("another engine", key(t, m, plan, "2"))
	add("another program", key(t, keyModule(t, "ret i32 1"), plan, "1"))
	v := reflect.ValueOf(&plan).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		f, name := v.FieldByIndex(field.Index), field.Name
		old := reflect.New(f.Type()).Elem()
		old.Set(f)
		switch {
		case name == "Entry", field.Anonymous, field.Tag.Get("json") == "-":
			continue
		case name == "Tried", name == "Wide", name == "Samples":
			// where searches begin, and what a change is looked for in, is no part of the question
			switch name {
			case "Wide":
				f.Set(reflect.ValueOf(&problem.Wide{Entry: "wide"}))
			case "Samples":
				f.Set(reflect.ValueOf([][]byte{{1}}))
			default:
				f.Set(reflect.ValueOf([][]verdict.Input{{{Name: "x"}}}))
			}
			if seen[key(t, m, plan, "1").Exact] != "the plain plan" {
				t.Errorf("%s makes another key", name)
			}
			f.Set(old)
			continue
		case f.CanInt():
			f.SetInt(7)
		case f.CanUint():
			f.SetUint(1)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Kind() == reflect.String:
			f.SetString("other")
		case name == "Checks":
			f.Set(reflect.ValueOf(verdict.CheckSet{verdict.Memory: true}))
		case name == "Regions":
			f.Set(reflect.ValueOf([]ir.Region{{Name: "flash", Size: 4}}))
		case name == "Registers":
			f.Set(reflect.ValueOf([]ir.Register{{Name: "DR", Size: 4}}))
		case name == "UnwindSet":
			f.Set(reflect.ValueOf(map[string]int{"main.0": 3}))
		case name == "Calls":
			f.Set(reflect.ValueOf(&problem.Calls{Entry: "calls"}))
		case name == "Overlap":
			f.Set(reflect.ValueOf(&problem.Wide{Entry: "overlap"}))
		case name == "Longer":
			f.Set(reflect.ValueOf([]*problem.Wide{{Entry: "longer"}}))
		case name == "Made":
			f.Set(reflect.ValueOf(&problem.Wide{Entry: "made"}))
		case name == "Stack":
			f.Set(reflect.ValueOf(&ir.Stack{Size: 512}))
		case f.Type() == reflect.TypeFor[[]verdict.Assumption]():
			f.Set(reflect.ValueOf([]verdict.Assumption{{Text: "a stub"}}))
		case name == "Off":
			f.Set(reflect.ValueOf(map[string]bool{"induction": true}))
		case f.Type() == reflect.TypeFor[[]string]():
			f.Set(reflect.ValueOf([]string{"x"}))
		default:
			t.Errorf("no other value of %s is tried", name)
		}
		add(name, key(t, m, plan, "1"))
		f.Set(old)
	}
	if k := key(t, m, plan, "1"); seen[k.Exact] != "the plain plan" {
		t.Error("the same plan has another key")
	}
	if _, err := moved.KeyOf(m, problem.Plan{Entry: "absent"}, "1"); err == nil || !strings.Contains(err.Error(),
		"absent") {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// TestRelocate moves by function and leaves other places alone.
func TestRelocate(t *testing.T) {
	at := func(file, fn string, line int) verdict.Pos { return verdict.Pos{File: file, Function: fn, Line: line} }
	res := &verdict.Result{Claims: []verdict.Claim{{Pos: at("a.c", "f", 12),
		Reason: &verdict.Reason{Pos: &verdict.Pos{File: "a.c", Function: "g", Line: 30}}},
		{Pos: at("b.c", "f", 12)}}, Bounds: verdict.Bounds{Loops: []verdict.LoopBound{{Pos: at("a.c", "f", 13)}}}}
	moved.Relocate(res, moved.Places{"a.c:f": 10, "a.c:g": 20, "c.c:h": 1}, moved.Places{"a.c:f": 15,
		"a.c:g": 18})
	got := []int{res.Claims[0].Pos.Line, res.Claims[0].Reason.Pos.Line, res.Claims[1].Pos.Line,
		res.Bounds.Loops[0].Pos.Line}
	if want := []int{17, 28, 12, 18}; !reflect.DeepEqual(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
	moved.Relocate(res, moved.Places{"a.c:f": 10, "b.c:f": 10}, moved.Places{"a.c:f": 10, "b.c:f": 3})
	res.Claims[0].Pos.File = "b.c" // two functions of one file that change places
	moved.Relocate(res, nil, nil)
	if a, b := res.Claims[0].Pos.Line, res.Claims[1].Pos.Line; a > b {
		t.Errorf("claims at lines %d, %d: not in order", a, b)
	}
}

// TestRelocateDiagrams: the lines that the names of nodes and edges say move with their functions; where two functions
// have the name, there is no drawing.
func TestRelocateDiagrams(t *testing.T) {
	drawn := func(texts ...string) []verdict.Diagram {
		d := verdict.Diagram{Title: "graph"}
		for _, text := range texts {
			d.Nodes = append(d.Nodes, []string{text, "0 <= f:1"})
			d.Edges = append(d.Edges, verdict.Arrow{Label: []string{text}})
		}
		return []verdict.Diagram{d}
	}
	from, to := moved.Places{"a.c:f": 10, "a.c:g": 20, "b.c:g": 1}, moved.Places{"a.c:f": 15, "a.c:g": 18,
		"b.c:g": 1}
	for _, c := range []struct{ was, want []verdict.Diagram }{
		{drawn("start", "f@12", "f:11 to f:13, path 2", "signed overflow at a.c:21:7", "return"),
			drawn("start", "f@17", "f:16 to f:18, path 2", "signed overflow at a.c:19:7", "return")},
		{drawn("f@12", "g@21"), nil},
		{drawn("h:3"), nil},
	} {
		res := &verdict.Result{Claims: []verdict.Claim{{Certificate: &verdict.Certificate{Diagrams: c.was}}}}
		moved.Relocate(res, from, to)
		if got := res.Claims[0].Certificate.Diagrams; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v\nmoved is\n%v\nwant\n%v", c.was, got, c.want)
		}
	}
}
