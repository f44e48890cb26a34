package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"gopkg.in/yaml.v3"
)

const witnessHead = "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n" +
	"extern unsigned __VERIFIER_nondet_uint(void);\nvoid *malloc(unsigned long);\nvoid free(void *);\nvoid abort(void);\n" +
	"void reach_error(void) { abort(); }\n"

// witnessTasks have violations of all kinds of waypoint, and loops with invariants.
var witnessTasks = []struct{ name, property, want, program string }{
	{"branches", "G ! call(reach_error())", "FALSE(unreach-call)", witnessHead + `int g;
int f(int a) { if (a > 5) return a + 1; else return a; }
int main(void) {
	int x = __VERIFIER_nondet_int(), u;
	int s = 0;
	for (int i = 0; i < 3; i++) { s += __VERIFIER_nondet_int() & 7; }
	while (s > 10) s -= 3;
	g = f(x & 15);
	do { g++; } while (g < 4);
	switch (g) { case 4: if (s == 9 && u == 77) reach_error(); break; default: break; }
	return s > 3 ? 1 : 0;
}
`},
	{"calls", "G ! call(reach_error())", "FALSE(unreach-call)", witnessHead + `char c;
void check(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }
int main() {
	unsigned char n = __VERIFIER_nondet_uchar(); int q;
	c = n;
	if (q < -5) check(c != -56 && n > (q ? 100 : 0));
	return 0;
}
`},
	{"line directives", "G ! call(reach_error())", "FALSE(unreach-call)", "# 1 \"src/h.c\"\n# 1 \"/usr/x.h\" 1 3\n" +
		witnessHead +
		"# 5 \"src/h.c\" 2\nint main(void)\n{\n\tint k = __VERIFIER_nondet_int();\n\tif (k == 7) reach_error();\n\treturn 0;\n}\n"},
	{"memory", "G valid-deref", "FALSE(valid-deref)", witnessHead + `int main(void) {
	int n = __VERIFIER_nondet_int(); int *p = malloc(12);
	if (n < 0 || n > 9) return 0;
	for (int i = 0; i < n; i++)
		p[i] = i;
	free(p); return 0;
}
`},
	{"overflow", "G ! overflow", "FALSE(no-overflow)", witnessHead +
		"int main(void) { int n = __VERIFIER_nondet_int(); if (n > 7) return n + 2147483640; return 0; }\n"},
	{"cleanup", "G valid-memcleanup", "FALSE(valid-memcleanup)", witnessHead +
		"int main(void) { char *p = malloc(3); if (__VERIFIER_nondet_int()) return 0; free(p); return 0; }\n"},
	{"long", "G ! call(reach_error())", "FALSE(unreach-call)", witnessHead + `int main(void) {
	unsigned x = 0, n = __VERIFIER_nondet_uint();
	if (n != 3000) return 0;
	while (x < n) x += 2;
	if (x == 3000) reach_error();
	return 0;
}
`},
	{"endless", "F end", "FALSE(termination)", witnessHead +
		"int main(void) { int i = __VERIFIER_nondet_int(); while (i > 0) { if (i != 5) i = i - 1; } return 0; }\n"},
	{"equation", "G ! call(reach_error())", "TRUE", witnessHead + `int main(void) {
	unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;
	while (x < n) { x++; y += 1; }
	if (x != y) reach_error();
	return 0;
}
`},
	{"bounds", "G ! call(reach_error())", "TRUE", witnessHead + `int main(void) {
	unsigned n = __VERIFIER_nondet_uint(); int s = 0; unsigned char b = 0;
	while (n > 0) { n--; s = s < 100 ? s + 2 : 0; b = b < 200 ? b + 3 : 0; }
	if (s > 101 || s < 0 || b > 202) reach_error();
	return 0;
}
`},
	{"no loop", "G ! call(reach_error())", "TRUE", witnessHead + "int main(void) { return 0; }\n"},
}

// runWitness verifies a task in a folder of its own, and gives the last line and the witness, "" if there is none.
func runWitness(t *testing.T, property, program, format string) (last, witness, file string) {
	t.Helper()
	dir := t.TempDir()
	file, spec := filepath.Join(dir, "task.i"), filepath.Join(dir, "task.prp")
	for name, text := range map[string]string{file: program, spec: "CHECK( init(main()), LTL(" + property + ") )\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	name := filepath.Join(dir, "witness."+format)
	var out, errs bytes.Buffer
	runWith([]string{"svcomp", "--spec", spec, "--timeout", "60s", "--witness", name, file}, &out, &errs)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	text, err := os.ReadFile(name)
	if err != nil && !strings.Contains(errs.String(), "no witness") {
		t.Errorf("%v\n%s", err, errs.String())
	}
	return lines[len(lines)-1], string(text), file
}

// TestWitness holds witnesses to the structure of their formats, follows those of violations with the interpreter, and
// has the invariants of the others asserted in the program.
func TestWitness(t *testing.T) {
	for _, c := range witnessTasks {
		t.Run(c.name, func(t *testing.T) {
			last, text, file := runWitness(t, c.property, c.program, "yml")
			if last != c.want {
				t.Fatalf("got %s, want %s", last, c.want)
			}
			if c.property == "F end" {
				if text != "" {
					t.Error("YAML 2.0 has no witness of a run that does not end")
				}
				return
			}
			w := readWitness(t, text, file)
			if c.want != "TRUE" {
				follow(t, w, c.program, file, c.want)
				return
			}
			if got := len(w.invariants); (got == 0) != (c.name == "no loop") {
				t.Errorf("%d invariants\n%s", got, text)
			}
			if got, _, _ := runWitness(t, c.property, asserted(t, c.program, w.invariants), "yml"); got != "TRUE" {
				t.Errorf("the invariants do not hold: %s\n%s", got, text)
			}
		})
	}
}

// TestWitnessGraphML holds GraphML to its structure; the time is fixed, so all of it is the same again.
func TestWitnessGraphML(t *testing.T) {
	for _, c := range witnessTasks {
		t.Run(c.name, func(t *testing.T) {
			last, text, _ := runWitness(t, c.property, c.program, "graphml")
			if last != c.want {
				t.Fatalf("got %s, want %s", last, c.want)
			}
			checkGraphML(t, text, c.want)
		})
	}
}

// where is a location of a witness.
type where struct{ line, column int }

type readWaypoint struct {
	where
	kind, value string
}

type readInvariant struct {
	where
	kind, value string
}

type readBack struct {
	waypoints  []readWaypoint
	invariants []readInvariant
}

// fields are the keys that a mapping has to have, and those that it may have.
func fields(t *testing.T, at string, v any, must string, may ...string) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, want a mapping", at, v)
	}
	for _, k := range strings.Fields(must) {
		if m[k] == nil {
			t.Fatalf("%s has no %s", at, k)
		}
	}
	for k := range m {
		if !slices.Contains(strings.Fields(must), k) && !slices.Contains(may, k) {
			t.Fatalf("%s has %s", at, k)
		}
	}
	return m
}

func matches(t *testing.T, at string, v any, pattern string) string {
	t.Helper()
	s, ok := v.(string)
	if !ok || !regexp.MustCompile("^(?:"+pattern+")$").MatchString(s) {
		t.Fatalf("%s is %v, want %s", at, v, pattern)
	}
	return s
}

// readWitness holds a YAML 2.0 witness to its structure.
func readWitness(t *testing.T, text, file string) (out readBack) {
	t.Helper()
	var entries []any
	if err := yaml.Unmarshal([]byte(text), &entries); err != nil || len(entries) != 1 {
		t.Fatalf("%d entries, %v\n%s", len(entries), err, text)
	}
	e := fields(t, "entry", entries[0], "entry_type metadata content")
	md := fields(t, "metadata", e["metadata"], "format_version uuid creation_time producer task")
	matches(t, "format_version", md["format_version"], `2\.0`)
	matches(t, "uuid", md["uuid"], `[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	matches(t, "creation_time", md["creation_time"], `2023-11-14T22:13:20Z`)
	fields(t, "producer", md["producer"], "name version")
	task := fields(t, "task", md["task"], "input_files input_file_hashes specification data_model language")
	if files, _ := task["input_files"].([]any); len(files) != 1 || files[0] != file {
		t.Errorf("input_files: %v", task["input_files"])
	}
	matches(t, "hash", fields(t, "input_file_hashes", task["input_file_hashes"], file)[file], "[0-9a-f]{64}")
	matches(t, "specification", task["specification"], `CHECK\( init\(main\(\)\), LTL\(.*\) \)`)
	matches(t, "data_model", task["data_model"], "LP64")
	matches(t, "language", task["language"], "C")
	content, ok := e["content"].([]any)
	if !ok {
		t.Fatalf("content is %T", e["content"])
	}
	if matches(t, "entry_type", e["entry_type"], "violation_sequence|invariant_set") == "invariant_set" {
		for _, c := range content {
			i := fields(t, "invariant", fields(t, "element", c, "invariant")["invariant"], "type location value format")
			out.invariants = append(out.invariants, readInvariant{locationOf(t, i["location"], file),
				matches(t, "type", i["type"], "loop_invariant|location_invariant"), matches(t, "value", i["value"],
					".+")})
			matches(t, "format", i["format"], "c_expression")
		}
		return out
	}
	for i, c := range content {
		segment, _ := fields(t, "element", c, "segment")["segment"].([]any)
		if len(segment) != 1 {
			t.Fatalf("a segment has %d waypoints", len(segment))
		}
		w := fields(t, "waypoint", fields(t, "segment", segment[0], "waypoint")["waypoint"], "type action location",
			"constraint")
		kind := matches(t, "type", w["type"], "assumption|branching|function_return|target")
		matches(t, "action", w["action"], "follow")
		r := readWaypoint{locationOf(t, w["location"], file), kind, ""}
		if (kind == "target") != (i == len(content)-1) || (kind == "target") == (w["constraint"] != nil) {
			t.Fatalf("waypoint %d is %v", i, w)
		}
		if form := map[string]string{"assumption": "c_expression",
			"function_return": "acsl_expression"}[kind]; form != "" {
			m := fields(t, "constraint", w["constraint"], "value format")
			matches(t, "format", m["format"], form)
			r.value = matches(t, "value", m["value"], map[string]string{"assumption": `\w+ == \S+`,
				"function_return": `\\result == \S+`}[kind])
		} else if kind == "branching" {
			r.value = matches(t, "value", fields(t, "constraint", w["constraint"], "value")["value"],
				`true|false|default|-?\d+`)
		}
		out.waypoints = append(out.waypoints, r)
	}
	return out
}

func locationOf(t *testing.T, v any, file string) where {
	t.Helper()
	l := fields(t, "location", v, "file_name line column", "function")
	line, _ := l["line"].(int)
	column, _ := l["column"].(int)
	if l["file_name"] != file || line < 1 || column < 1 {
		t.Fatalf("location %v", l)
	}
	return where{line, column}
}

// follower gives an execution the values of a witness.
type follower struct {
	input.Zeros
	returns []readWaypoint
	memory  map[int][]byte // by object
	asked   int
}

func (f *follower) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind != input.Nondet {
		return f.Zeros.Next(kind, at, width)
	}
	f.asked++
	if f.asked > len(f.returns) {
		return bits.Vec{}, false
	}
	n, ok := new(big.Int).SetString(strings.TrimRight(strings.TrimPrefix(f.returns[f.asked-1].value, `\result == `),
		"UL"), 10)
	return bits.FromBig(width, n), ok
}

func (f *follower) ObjectBytes(object int, _ *ir.Instr) func(int64) byte {
	b := f.memory[object]
	return func(i int64) byte {
		if i < int64(len(b)) {
			return b[i]
		}
		return 0
	}
}

// follow runs the program with the values that the witness has, and nothing else, and sees that it passes the
// waypoints in their order and ends where the target is.
func follow(t *testing.T, w readBack, program, file, want string) {
	t.Helper()
	target, err := targets.Load("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	m, err := readFile(context.Background(), file, target, compile.Options{WorkDir: t.TempDir(),
		Entries: []string{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	src := &follower{memory: map[int][]byte{}}
	for _, p := range w.waypoints {
		switch p.kind {
		case "function_return":
			src.returns = append(src.returns, p)
		case "assumption":
			object, value := variable(t, m, p.value)
			src.memory[object] = value
		}
	}
	checks := verdict.CheckSet{verdict.Assert: true, verdict.Memory: true, verdict.SignedOverflow: true,
		verdict.Leak: true}
	out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("main"), Checks: checks, Observe: []interp.Observe{trace.Steps(trace.Options{Detailed: true})}, Semantics: ir.Semantics{MallocNeverFails: true, VolatileMemory: true, Leaks: ir.LeakCleanup}},
		src)
	if err != nil || out.Kind != interp.Violation || src.asked != len(src.returns) {
		t.Fatalf("the execution ends as %v %v, and asked for %d of %d values", out, err, src.asked, len(src.returns))
	}
	check := map[string]verdict.Check{"FALSE(unreach-call)": verdict.Assert, "FALSE(valid-deref)": verdict.Memory,
		"FALSE(no-overflow)": verdict.SignedOverflow, "FALSE(valid-memcleanup)": verdict.Leak}[want]
	if out.Check != check {
		t.Errorf("the execution violates %s, want %s", out.Check, check)
	}
	text := strings.Split(program, "\n")
	i := 0
	for _, s := range out.Steps {
		if i < len(w.waypoints) && passes(text, w.waypoints[i], &s) {
			i++
		}
		for i < len(w.waypoints) && w.waypoints[i].kind == "assumption" {
			i++ // of memory that the execution was given
		}
	}
	if i != len(w.waypoints) {
		t.Errorf("the execution does not pass waypoint %d of %d: %+v\n%v", i+1, len(w.waypoints), w.waypoints[i],
			out.Steps)
	}
	kinds := map[string]int{}
	for _, p := range w.waypoints {
		kinds[p.kind]++
	}
	t.Log(kinds)
}

// variable is the object and the bytes of `name == value`, about a local of main.
func variable(t *testing.T, m *ir.Module, condition string) (int, []byte) {
	t.Helper()
	name, value, _ := strings.Cut(condition, " == ")
	for _, v := range m.Func("main").Vars {
		n := len(m.Globals)
		for _, in := range m.Func("main").Blocks[0].Instrs {
			if v.Name == name && v.Slot == ir.Value(in) {
				k, _ := new(big.Int).SetString(value, 10)
				var out []byte
				for b := bits.FromBig(v.T.Bits, k); len(out)*8 < v.T.Bits; {
					out = append(out, byte(bits.Extract(b, 8*len(out)+7, 8*len(out)).Low64()))
				}
				return n, out
			}
			if in.Op == ir.OpAlloca {
				n++
			}
		}
	}
	t.Fatalf("no local %s", name)
	return 0, nil
}

// passes reports that a step of the execution passes the waypoint. Its place is looked at in the text.
func passes(text []string, w readWaypoint, s *verdict.Step) bool {
	if w.line > len(text) || w.column > len(text[w.line-1]) {
		return false
	}
	line := text[w.line-1]
	rest := line[w.column-1:]
	switch w.kind {
	case "function_return":
		call := strings.TrimSuffix(s.What, "()") + "("
		return s.Kind == verdict.StepInput && rest[0] == ')' && strings.HasSuffix(line[:w.column-1], call)
	case "branching":
		word := strings.TrimRight(regexp.MustCompile(`^(\w+|\?)`).FindString(rest), " ")
		kind, outcome, _ := strings.Cut(s.What, ".")
		outcome = strings.TrimRight(outcome, "0123456789")
		if s.Kind != verdict.StepBranch || kind != map[string]string{"if": "if", "while": "while", "for": "for",
			"do": "do",
			"?":  "cond", "switch": "sw"}[word] {
			return false
		}
		taken := outcome == "then" || outcome == "body" || outcome == "true"
		return word == "switch" || fmt.Sprint(taken) == w.value
	}
	return s.Kind == verdict.StepViolation && strings.HasPrefix(s.What, "reach_error") ==
		strings.HasPrefix(rest, "reach_error")
}

// asserted is the program with an error call where an invariant of a `while` loop does not hold.
func asserted(t *testing.T, program string, invariants []readInvariant) string {
	t.Helper()
	text := strings.Split(program, "\n")
	for _, i := range invariants {
		line := text[i.line-1]
		rest := line[i.column-1:]
		if i.kind != "loop_invariant" || !strings.HasPrefix(rest, "while (") {
			t.Fatalf("an invariant of %q", rest)
		}
		text[i.line-1] = line[:i.column-1] + "while ((((" + i.value + ") || (reach_error(), 1)) && 1) && " +
			rest[len("while ("):]
	}
	return strings.Join(text, "\n")
}

// checkGraphML holds a GraphML 1.0 witness to its structure.
func checkGraphML(t *testing.T, text, want string) {
	t.Helper()
	type data struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	}
	var d struct {
		Keys []struct {
			ID  string `xml:"id,attr"`
			For string `xml:"for,attr"`
		} `xml:"key"`
		Graph struct {
			Data  []data `xml:"data"`
			Nodes []struct {
				ID   string `xml:"id,attr"`
				Data []data `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Data   []data `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	for _, k := range d.Keys {
		of[k.ID] = k.For
	}
	values := func(kind string, list []data) map[string]string {
		out := map[string]string{}
		for _, x := range list {
			if of[x.Key] != kind {
				t.Errorf("%s is data of a %s, not of a %s", x.Key, of[x.Key], kind)
			}
			out[x.Key] = x.Text
		}
		return out
	}
	g := values("graph", d.Graph.Data)
	for k, pattern := range map[string]string{"witness-type": "violation_witness|correctness_witness",
		"sourcecodelang": "C",
		"producer":       "firmproof .+", "specification": "CHECK.*", "programfile": ".+",
		"programhash":  "[0-9a-f]{64}",
		"architecture": "64bit", "creationtime": "2023-11-14T22:13:20Z"} {
		matches(t, k, g[k], pattern)
	}
	if (g["witness-type"] == "violation_witness") != (want != "TRUE") {
		t.Errorf("%s for %s", g["witness-type"], want)
	}
	count := map[string]int{}
	nodes := map[string]bool{}
	for _, n := range d.Graph.Nodes {
		nodes[n.ID] = true
		for k := range values("node", n.Data) {
			count[k]++
		}
	}
	for i, e := range d.Graph.Edges {
		if !nodes[e.Source] || !nodes[e.Target] {
			t.Errorf("edge %d joins %s and %s", i, e.Source, e.Target)
		}
		v := values("edge", e.Data)
		if strings.Contains(v["assumption"], `\result`) && v["assumption.resultfunction"] == "" {
			t.Errorf("edge %d: the result of which function?", i)
		}
		if c := v["control"]; c != "" && c != "condition-true" && c != "condition-false" {
			t.Errorf("edge %d: control %s", i, c)
		}
	}
	ends := map[string]int{"entry": 1}
	switch want {
	case "TRUE":
		delete(count, "invariant")
	case "FALSE(termination)":
		ends["cyclehead"], ends["invariant"] = 1, 1
	default:
		ends["violation"] = 1
	}
	delete(count, "invariant.scope")
	for k := range count {
		if count[k] != ends[k] {
			t.Errorf("%d nodes with %s", count[k], k)
		}
	}
	for k := range ends {
		if count[k] != ends[k] {
			t.Errorf("%d nodes with %s, want %d", count[k], k, ends[k])
		}
	}
}
