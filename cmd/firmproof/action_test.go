package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// action holds the parts of a composite action of GitHub.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, Run, Shell, Uses, If string
	Env, With                map[string]string
}

func readAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 3 {
		t.Fatalf("%+v", a.Runs)
	}
	return a
}

// TestAction runs the check step of the published action as GitHub's runner does, from another folder than the
// repository's: a second run is answered by what the first one kept, and one that cannot be carried out has no report.
func TestAction(t *testing.T) {
	a := readAction(t)
	dir := t.TempDir()
	put(t, dir, "work/src/a.c", "int main(void) { int a[2] = {0}; return a[2]; }\n")
	program := filepath.Join(dir, "bin", "firmproof")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	install, keep, check := a.Runs.Steps[0], a.Runs.Steps[1], a.Runs.Steps[2]
	if install.ID != "install" || check.ID != "check" || check.Shell != "bash" || install.Shell != "bash" ||
		!strings.HasPrefix(keep.Uses, "actions/cache@") {
		t.Fatalf("%+v", a.Runs)
	}
	answers := filepath.Join(dir, "temp", "firmproof-answers")
	given := map[string]string{"path": "src/a.c", "args": "--unwind 2", "sarif": "out/firmproof.sarif"}
	values := map[string]string{"${{ steps.install.outputs.program }}": program}
	for name, in := range a.Inputs {
		if v, ok := given[name]; ok {
			in.Default = v
		}
		values["${{ inputs."+name+" }}"] = in.Default
	}
	values["${{ inputs.cache == 'true' && format('{0}/firmproof-answers', runner.temp) || '' }}"] = answers
	if keep.With["path"] != "${{ runner.temp }}/firmproof-answers" || a.Inputs["cache"].Default != "true" {
		t.Errorf("kept is %q", keep.With["path"])
	}
	runStep := func(run, path string, want int) string {
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", check.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GITHUB_WORKSPACE="+filepath.Join(dir, "work"),
			"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"))
		for name, value := range check.Env {
			v, ok := values[value]
			if !ok {
				t.Fatalf("%s: what is %s?", name, value)
			}
			if name == "FIRMPROOF_PATH" {
				v = path
			}
			cmd.Env = append(cmd.Env, name+"="+v)
		}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != want {
			t.Errorf("%s: exit %d: %v", run, cmd.ProcessState.ExitCode(), err)
		}
		return string(out)
	}
	for _, run := range []string{"first", "second"} {
		wantAll(t, runStep(run, "src/a.c", exitViolated), "::error file=src/a.c,line=1", "::notice title=firmproof::")
	}
	for name, want := range map[string]string{"summary": "# firmproof",
		"output":                   "exit-code=1\nsarif=out/firmproof.sarif",
		"work/out/firmproof.sarif": `"src/a.c"`} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v: no %q in %s", name, err, want, got)
		}
	}
	if kept, err := os.ReadDir(answers); err != nil || len(kept) == 0 {
		t.Errorf("no answers kept: %v", err)
	}
	wantAll(t, runStep("no such file", "src/b.c", exitUsage), "src/b.c")
	if got, err := os.ReadFile(filepath.Join(dir, "output")); err != nil || !strings.HasSuffix(string(got),
		"exit-code=2\n") {
		t.Errorf("a run that cannot be carried out: %q, %v", got, err)
	}
}

// TestGitLabJob runs the script of the manual's job for GitLab in a project, and finds its reports there.
func TestGitLabJob(t *testing.T) {
	manual, err := os.ReadFile("../../docs/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(manual), "## GitLab\n\n```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	var jobs map[string]struct {
		Script    []string
		Artifacts struct{ Reports map[string]string }
		Cache     struct{ Paths []string }
	}
	if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
		t.Fatal(err)
	}
	job := jobs["firmproof"]
	if len(job.Script) != 1 || len(job.Artifacts.Reports) != 2 || len(job.Cache.Paths) != 1 {
		t.Fatalf("%+v", jobs)
	}
	t.Chdir(writeTree(t, map[string]string{"a.c": "int main(void) { int a[2] = {0}; return a[2]; }\n",
		".firmproof.yml": "version: 1\nbuild: {sources: [a.c]}\nharnesses: [{entry: main}]\n"}))
	var out bytes.Buffer
	words := strings.Fields(job.Script[0])
	if code := runWith(words[1:], &out, &out); code != exitViolated || words[0] != "firmproof" {
		t.Errorf("%s: exit %d: %s", job.Script[0], code, out.String())
	}
	for _, file := range append(job.Cache.Paths, job.Artifacts.Reports["codequality"], job.Artifacts.Reports["junit"]) {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// TestInstall runs the action's install step against a stand-in for the releases and for apt: a release is installed
// when its checksum is right, anything else is built where there is a source, and said to be no release elsewhere.
func TestInstall(t *testing.T) {
	script, err := filepath.Abs("../../scripts/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	if run := readAction(t).Runs.Steps[0].Run; !strings.Contains(run, `"$FIRMPROOF_SOURCE/scripts/install.sh"`) {
		t.Errorf("the step runs %s", run)
	}
	const deb = "a package"
	name := "firmproof_1.2.0_amd64.deb"
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(deb)), name)
	mux := http.NewServeMux()
	for path, text := range map[string]string{"/v1.2.0/SHA256SUMS": sums, "/v1.2.0/" + name: deb,
		"/v1.3.0/SHA256SUMS":                strings.ReplaceAll(sums, "1.2.0", "1.3.0"),
		"/v1.3.0/firmproof_1.3.0_amd64.deb": "another"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	}
	releases := httptest.NewServer(mux)
	defer releases.Close()
	for _, c := range []struct {
		version, want, output string
		source                bool
		code                  int
	}{
		{version: "v1.2.0", want: "install -y -q --no-install-recommends", output: "version=1.2.0\n"},
		{version: "1.2.0", want: "firmproof_1.2.0_amd64.deb", output: "program="},
		{version: "1.3.0", want: "firmproof_1.3.0_amd64.deb is not what SHA256SUMS says", code: exitUsage},
		{version: "1.4.0", want: "is there a release 1.4.0 for amd64?", code: exitUsage},
		{version: "main", want: "build main with make", source: true, output: "bin/firmproof\nversion=dev\n"},
		{version: "main", want: `no release is called "main"`, code: exitUsage},
		{version: "1.2.0;x", want: `no release is called "1.2.0;x"`, code: exitUsage},
	} {
		t.Run(c.version, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"apt-get": "echo apt-get \"$@\"", "sudo": `exec "$@"`, "dpkg": "echo amd64",
				"firmproof": "echo firmproof 1.2.0",
				"make":      "echo build main with make", "go": ":", "source/bin/firmproof": "echo firmproof dev"} {
				put(t, dir, name, "#!/bin/sh\n"+text+"\n")
				if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("bash", script)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FIRMPROOF_VERSION="+c.version,
				"FIRMPROOF_RELEASES="+releases.URL, "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "http_proxy=",
				"no_proxy=*")
			if c.source {
				put(t, dir, "source/Makefile", "")
				cmd.Env = append(cmd.Env, "FIRMPROOF_SOURCE="+filepath.Join(dir, "source"))
			}
			out, err := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit %d: %v", got, err)
			}
			wantAll(t, string(out), c.want)
			output, err := os.ReadFile(filepath.Join(dir, "output"))
			if c.code == exitOK && err != nil || !strings.Contains(string(output), c.output) || c.code != exitOK &&
				err == nil {
				t.Errorf("output %q: %v", output, err)
			}
		})
	}
}
