package reports

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// npmInstall installs the packages of a folder of testdata into a new folder, and returns that.
func npmInstall(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

// TestSARIFStructure: what is written has the structure of SARIF 2.1.0, by types that are made from the schema of
// OASIS: every name is known, every value of its type, nothing that must be there is missing. It needs npm and its
// registry, so a -short run leaves it out.
func TestSARIFStructure(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short runs without network")
		return
	}
	text, err := SARIF(fixture(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := npmInstall(t, "sarif")
	check := func(name, document string) (string, error) {
		source := "import { Log } from 'sarif';\nexport const log: Log = " + document + ";\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		tsc := exec.Command("node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck",
			"--types", "sarif", name)
		tsc.Dir = dir
		out, err := tsc.CombinedOutput()
		return string(out), err
	}
	if out, err := check("right.ts", string(text)); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	document := string(text)
	for _, wrong := range [][2]string{{`"ruleId"`, `"ruleID"`}, {`"level": "error"`, `"level": "bad"`},
		{`"version": "2.1.0"`, `"version": 7`}} {
		if !strings.Contains(document, wrong[0]) {
			t.Fatalf("the document lacks %s", wrong[0])
		}
		document = strings.Replace(document, wrong[0], wrong[1], 1)
	}
	out, _ := check("wrong.ts", document)
	for _, want := range []string{"'ruleID'", `'"bad"'`, "'number'"} {
		if !strings.Contains(out, want) && !strings.Contains(out, strings.Trim(want, "'")) {
			t.Errorf("a mistake passes, %s: %s", want, out)
		}
	}
}

// TestSARIFValidator: the validator of SARIF's makers has no error and no warning, and has some for a document with
// mistakes. It comes as a program for amd64, with 100 MB from npm's registry, so a -short run leaves it out.
func TestSARIFValidator(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Log("not run: -short runs without network, and the validator is a program for amd64")
		return
	}
	text, err := SARIF(fixture(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := npmInstall(t, "validator")
	program := filepath.Join(dir, "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool")
	if err := os.Chmod(program, 0o755); err != nil { // its install script does no more
		t.Fatal(err)
	}
	findings := func(document string) []string {
		if err := os.WriteFile(filepath.Join(dir, "report.sarif"), []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
		validate := exec.Command(program, "validate", "report.sarif", "--level", "Error;Warning", "--kind", "Fail")
		validate.Dir = dir
		validate.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1", "DOTNET_CLI_TELEMETRY_OPTOUT=1")
		out, _ := validate.CombinedOutput() // its status tells of findings
		if !strings.Contains(string(out), "Analyzing") {
			t.Fatalf("the validator did not run: %s", out)
		}
		return regexp.MustCompile(`(?m)^.*: (error|warning) .*$`).FindAllString(string(out), -1)
	}
	if got := findings(string(text)); len(got) > 0 {
		t.Error(strings.Join(got, "\n"))
	}
	for pattern, wrong := range map[string]string{`"informationUri"`: `"informationURI"`,
		`"ruleIndex": \d+`: `"ruleIndex": 700`} {
		if got := findings(regexp.MustCompile(pattern).ReplaceAllString(string(text), wrong)); len(got) == 0 {
			t.Errorf("%s passes", wrong)
		}
	}
}
