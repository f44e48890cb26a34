// Command recipes prints a CI recipe as a script for bash, so that it runs on a fresh machine without its forge: the jobs
// for GitLab, Jenkins and Azure Pipelines of docs/manual.md, or the install and check steps of action.yml. Releases are
// taken from another place than the recipe says, such as file:///releases.
//
//	go run ./scripts/recipes -version 1.2.0 -releases file:///releases gitlab
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// published is where the recipes take releases from.
const published = "https://github.com/firmproof/firmproof/releases/download"

func main() {
	version := flag.String("version", "", "release to install")
	releases := flag.String("releases", published, "URL of the releases")
	flag.Parse()
	if err := write(os.Stdout, flag.Arg(0), *version, *releases); err != nil {
		fmt.Fprintln(os.Stderr, "recipes:", err)
		os.Exit(2)
	}
}

// write prints a recipe.
func write(w io.Writer, name, version, releases string) error {
	var script string
	var err error
	switch name {
	case "gitlab":
		script, err = gitLab(version, releases)
	case "action":
		script, err = action(version, releases)
	case "jenkins":
		script, err = lines("Jenkins", "groovy", "sh '''\n", "'''", version, releases)
	case "azure":
		script, err = lines("Azure Pipelines", "yaml", "- script: |\n", "  - task:", version, releases)
	default:
		return fmt.Errorf("%q: want gitlab, action, jenkins or azure", name)
	}
	if err == nil {
		_, err = io.WriteString(w, script)
	}
	return err
}

// gitLab is the job of the manual: GitLab's runner executes the lines of before_script and script in one shell, and ends
// with the first that fails.
func gitLab(version, releases string) (string, error) {
	text, err := block("GitLab", "yaml")
	if err != nil {
		return "", err
	}
	var jobs map[string]struct {
		Variables map[string]string
		Before    []string `yaml:"before_script"`
		Script    []string
	}
	if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
		return "", err
	}
	job, ok := jobs["firmproof"]
	if !ok || !strings.Contains(strings.Join(job.Before, "\n"), published) {
		return "", fmt.Errorf("docs/manual.md: no job for GitLab that installs from %s", published)
	}
	job.Variables["FIRMPROOF_VERSION"] = version
	out := head(job.Variables)
	for _, line := range append(job.Before, job.Script...) {
		out += strings.ReplaceAll(line, published, releases) + "\n"
	}
	return out, nil
}

// lines is the shell script between two marks of a block.
func lines(section, language, from, to, version, releases string) (string, error) {
	text, err := block(section, language)
	if err != nil {
		return "", err
	}
	_, text, found := strings.Cut(text, from)
	text, _, ended := strings.Cut(text, to)
	if !found || !ended || !strings.Contains(text, published) {
		return "", fmt.Errorf("docs/manual.md: the section %s has no script that installs from %s", section, published)
	}
	return head(map[string]string{"FIRMPROOF_VERSION": version}) + strings.ReplaceAll(text, published, releases), nil
}

// block is the first block of code in a section of the manual.
func block(section, language string) (string, error) {
	manual, err := os.ReadFile("docs/manual.md")
	if err != nil {
		return "", err
	}
	_, text, found := strings.Cut(string(manual), "## "+section+"\n\n```"+language+"\n")
	text, _, ended := strings.Cut(text, "```")
	if !found || !ended {
		return "", fmt.Errorf("docs/manual.md has no section %s that begins with a block of %s", section, language)
	}
	return text, nil
}

// action is what GitHub's runner executes of action.yml, in the repository that it has checked out.
func action(version, releases string) (string, error) {
	text, err := os.ReadFile("action.yml")
	if err != nil {
		return "", err
	}
	var a struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				ID, Run string
				Env     map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		return "", err
	}
	values := map[string]string{"${{ inputs.version || github.action_ref }}": version,
		"${{ github.action_path }}":            "/firmproof",
		"${{ steps.install.outputs.program }}": "firmproof",
		"${{ inputs.cache == 'true' && format('{0}/firmproof-answers', runner.temp) || '' }}": "/tmp/firmproof-answers"}
	for name, in := range a.Inputs {
		values["${{ inputs."+name+" }}"] = in.Default
	}
	out := head(map[string]string{"FIRMPROOF_RELEASES": releases, "GITHUB_OUTPUT": "/tmp/output",
		"GITHUB_STEP_SUMMARY": "/tmp/summary"}) + "export GITHUB_WORKSPACE=$PWD\n"
	for _, step := range a.Runs.Steps {
		if step.Run == "" {
			continue
		}
		env := map[string]string{}
		for name, v := range step.Env {
			said, ok := values[v]
			if !ok {
				return "", fmt.Errorf("action.yml: step %s: what is %s?", step.ID, v)
			}
			env[name] = said
		}
		out += "(\n" + exports(env) + step.Run + "\n)\n"
	}
	return out, nil
}

// head begins a script, which ends with the first line that fails.
func head(variables map[string]string) string { return "set -eo pipefail\n" + exports(variables) }

// exports sets variables, in the order of their names.
func exports(variables map[string]string) string {
	var lines []string
	for name, v := range variables {
		lines = append(lines, fmt.Sprintf("export %s='%s'\n", name, strings.ReplaceAll(v, "'", `'\''`)))
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}
