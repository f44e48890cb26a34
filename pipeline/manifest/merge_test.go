package manifest

import (
	"strings"
	"testing"
)

// TestMerge: what the manifest has stays as it is, down to its lines; what it lacks comes from the defaults.
func TestMerge(t *testing.T) {
	const defaults = "version: 1\ntargets: [i386, x86_64]\nnightly: {at: \"03:00\"}\nreport:\n  fail_on: violation\n"
	for _, c := range []struct{ own, keys, want string }{
		{"version: 1\nbuild: {sources: [a.c]}\n", "targets nightly report", ""},
		{"version: 1\nbuild: {sources: [a.c]}", "targets nightly report", ""},
		{"# mine\nversion: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]}\n", "nightly report", "cortex-m3"},
		{"{version: 1, build: {sources: [a.c]}, targets: [cortex-m3]}\n", "nightly report", "cortex-m3"},
		{"version: 1\nbuild: {sources: [a.c]}\ntargets: [cortex-m3]\nnightly: {at: \"01:00\"}\nreport: {annotate: all}\n", "", "cortex-m3"},
	} {
		text, keys, err := Merge([]byte(c.own), "acme/.github/.firmproof.yml", []byte(defaults))
		if err != nil || strings.Join(keys, " ") != c.keys {
			t.Errorf("%q: keys %v, %v", c.own, keys, err)
			continue
		}
		m, err := Parse(Name, text)
		if err != nil {
			t.Errorf("%q: %v in\n%s", c.own, err, text)
			continue
		}
		if c.want != "" && (len(m.Targets) != 1 || m.Targets[0].Name != c.want) || c.want == "" && len(m.Targets) != 2 {
			t.Errorf("%q: targets %v", c.own, m.Targets)
		}
		if wantHour := map[bool]int{true: 3, false: 1}[strings.Contains(c.keys,
			"nightly")]; m.Nightly.Hour != wantHour {
			t.Errorf("%q: nightly %+v", c.own, m.Nightly)
		}
		if !strings.HasPrefix(c.own, "{") && !strings.HasPrefix(string(text), c.own) {
			t.Errorf("%q: its lines moved:\n%s", c.own, text)
		}
	}
}

func TestMergeMistakes(t *testing.T) {
	for defaults, want := range map[string]string{
		"version: 1\nnightly: {at: noon}\n":                    "o/.github/.firmproof.yml:2:",
		"version: 1\ntargetz: [i386]\n":                        "targetz",
		"version: 1\nreport: &r {comment: true}\n":             "anchors",
		"version: 1\nbuild: {defines: &d [A]}\nstubs: {f: *d}": "o/.github/.firmproof.yml:",
	} {
		if _, _, err := Merge([]byte("version: 1\nbuild: {sources: [a.c]}\n"), "o/.github/.firmproof.yml",
			[]byte(defaults)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", defaults, err, want)
		}
	}
	// what is wrong with the manifest itself is for Parse to say, at its own line
	text, _, err := Merge([]byte("version: 1\nbuild: {sourcez: [a.c]}\n"), "o/.github/.firmproof.yml",
		[]byte("version: 1\ntargets: [i386]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(Name, text); err == nil || !strings.HasPrefix(err.Error(), Name+":2:") {
		t.Errorf("%v", err)
	}
	if text, keys, err := Merge([]byte(": ["), "d", []byte("version: 1\n")); err != nil || keys != nil ||
		string(text) != ": [" {
		t.Errorf("unreadable: %q %v %v", text, keys, err)
	}
}
