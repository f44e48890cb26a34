package manifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var schemaFile = filepath.Join("..", "..", "docs", "manifest.schema.json")

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON reads YAML as an editor with a schema would: days stay text.
func asJSON(t *testing.T, text string) (any, bool) {
	t.Helper()
	var v any
	if yaml.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	data, err := json.Marshal(days(v))
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return out, true
}

func days(v any) any {
	switch x := v.(type) {
	case time.Time:
		return x.Format("2006-01-02")
	case map[string]any:
		for k := range x {
			x[k] = days(x[k])
		}
	case []any:
		for i := range x {
			x[i] = days(x[i])
		}
	}
	return v
}

// semantic are the problems that a schema cannot express.
var semantic = []string{
	"unknown target", "given twice", "no duration", "at most 24h", "leaves the repository", "is no pattern",
	"nothing to build", "is absolute", "is no handler", "interrupt each other", "`[` is no name of a C function",
}

// TestSchemaAgrees: what Parse accepts the schema accepts, and what Parse refuses
// the schema refuses, but for what needs knowledge of other places.
func TestSchemaAgrees(t *testing.T) {
	s := schema(t)
	good := []string{whole, "version: 1\nbuild: {command: make, exclude: [test/**]}\nfunctions: [f, g]\n" +
		"stubs: {\"*\": havoc}\n", "version: 1\nbuild: {command: make}\n",
		"version: 1\nfunctions: all\nbuild: {sources: a.c}\n",
		"version: 1\nbuild: {command: make}\nunchanged: [f, g_*]\n", "version: 1\nbuild: {command: make}\n" +
			"unchanged: {since: v1.2.0, functions: [f, g_*]}\n",
		"version: 1\nharnesses: [{entry: f, file: a.c, checks: -shift}]\ninterrupts: [{handler: g, preempts: h}, " +
			"{handler: h, max: any}]\n", printed(t)}
	for _, text := range good {
		if _, err := Parse("f", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if v, ok := asJSON(t, text); !ok || s.Validate(v) != nil {
			t.Errorf("the schema refuses %q: %v", text, s.Validate(v))
		}
	}
	base := "version: 1\nbuild: {sources: [a.c]}\nharnesses: [{entry: main}]\n"
	for _, c := range problems {
		v, ok := asJSON(t, base+c.lines)
		if !ok || s.Validate(v) != nil {
			continue
		}
		_, err := Parse("f", []byte(base+c.lines))
		known := false
		for _, w := range semantic {
			known = known || strings.Contains(err.Error(), w)
		}
		if !known {
			t.Errorf("the schema accepts %q, Parse says %v", c.lines, err)
		}
	}
}

// printed returns a manifest with every built-in target written out.
func printed(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("version: 1\nbuild: {command: make}\ntargets:\n")
	for _, name := range targets.Names()[1:] {
		tgt, err := targets.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var p strings.Builder
		_ = tgt.Print(&p)
		b.WriteString("  - " + strings.TrimSuffix(strings.ReplaceAll(p.String(), "\n", "\n    "), "    "))
	}
	return b.String()
}

// TestSchemaKeys: the schema knows the same keys, targets' keys and checks as the code.
func TestSchemaKeys(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	same(t, "manifest", s.Properties, topKeys)
	same(t, "target", s.Defs["target"].Properties, targets.Keys())
	for _, q := range verdict.Properties() {
		if !strings.Contains(string(data), "|"+string(q.Check)+"|") && !strings.Contains(string(data),
			"|"+string(q.Check)+")") {
			t.Errorf("check %s is not in the schema", q.Check)
		}
	}
}

func same(t *testing.T, what string, have map[string]any, want []string) {
	t.Helper()
	var keys []string
	for k := range have {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	want = append([]string(nil), want...)
	sort.Strings(want)
	if strings.Join(keys, " ") != strings.Join(want, " ") {
		t.Errorf("%s: the schema has %v, the code %v", what, keys, want)
	}
}
