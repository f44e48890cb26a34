package cbmc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const proofJSONSeed = `{ "ENTRY": "Step", "MAX": 4, "N": "__eval {MAX} * 2 if {MAX} > 3 else max(1, 2)", # no comment
"CBMCFLAGS": ["--unwind 1", "--unwindset loop.0:{N},loop.1:3"], "OBJS": ["$(ENTRY)_harness.goto", "$(FREERTOS)/a.goto"],
"DEF": [{"big": ["X=1", "Y={N}"]}, {"EXPECTED": false, "small": ["X=2"]}], "INC": ["$(PROOFS)/include"] }`

// FuzzJSON: a proof of the JSON layout is read or refused.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(proofJSONSeed))
	f.Add([]byte(strings.Replace(proofJSONSeed, " # no comment", "", 1)))
	f.Add([]byte(`{"OBJS": ["__eval ((((1)))) // 0 % -1 << 99", 1e99, null, {"a": []}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{configsJSON, proofJSON} {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
			list, err := readConfigurations(dir)
			if err != nil {
				continue
			}
			for _, p := range list {
				if p == nil {
					t.Fatal("no proof and no error")
				}
			}
		}
	})
}

// TestJSONBomb: values that double each other are refused before they fill the memory.
func TestJSONBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"OBJS": [], "A0": "aaaaaaaaaa"`)
	for i := range 60 {
		b.WriteString(strings.NewReplacer("I", string(rune('0'+i/10))+string(rune('0'+i%10))).Replace(
			`, "BI": "{P}{P}"`))
	}
	text := b.String() + "}"
	for i := range 60 {
		before := "A0"
		if i > 0 {
			before = "B" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		}
		text = strings.Replace(text, "{P}{P}", "{"+before+"}{"+before+"}", 1)
	}
	dir := write(t, map[string]string{proofJSON: text})
	if _, err := readConfigurations(dir); err == nil || !strings.Contains(err.Error(), "characters") {
		t.Error(err)
	}
}

// FuzzMakefile: what make prints of a proof's variables is read or refused.
func FuzzMakefile(f *testing.F) {
	f.Add("../../..", "harness", "-DCBMC=1 -DMAX=\"(1 << (2))\" -Iinclude",
		"f.0:4 __CPROVER_file_local_ring_c_next.0:4,g.1:3",
		"--unsigned-overflow-check --unwind 3 --object-bits 8", "step/contract other")
	f.Fuzz(func(t *testing.T, srcdir, entry, flags, loops, options, functions string) {
		dir := t.TempDir()
		p, err := fromVariables(dir, map[string]string{"SRCDIR": srcdir, "HARNESS_ENTRY": entry, "COMPILE_FLAGS": flags,
			"DEFINES": flags, "INCLUDES": flags, "UNWINDSET": loops, "CBMCFLAGS": options, "CHECKFLAGS": options,
			"PROJECT_SOURCES": functions, "PROOF_SOURCES": functions, "CHECK_FUNCTION_CONTRACTS": functions,
			"USE_FUNCTION_CONTRACTS": functions, "REMOVE_FUNCTION_BODY": functions})
		if err == nil && (p.Entry == "" || p.Root == "") {
			t.Fatalf("%+v", p)
		}
	})
}
