package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The ways to an answer ("lanes") that have to agree: `check`, `check --cache` (cold,
// warm, and after edits), `run --pr-sim`, and `job build` with `job verify`, which is
// what the server does. `check` is the reference.
//
// FIRMPROOF_LANES=all, or a regular expression of names, takes more than the sample.

// lanesSample matches the programs that every run of the tests takes.
var lanesSample = regexp.MustCompile(`^(lanes/.*|check/(assert|function_pointer|mmio)_bad)$`)

// project is a tree with a manifest, and edits of it.
type project struct {
	name  string
	files map[string]string
	edits []edit
}

// edit makes another tree of a project's.
type edit struct {
	name  string
	files map[string]string
	moves bool // text only moves: every claim has the status that it had; else, something changes
}

// TestLanes: every way to an answer gives the same one, before and after edits.
func TestLanes(t *testing.T) {
	want := lanesSample
	switch s := os.Getenv("FIRMPROOF_LANES"); {
	case s == "all":
		want = regexp.MustCompile("")
	case s != "":
		want = regexp.MustCompile(s)
	case testing.Short():
		want = regexp.MustCompile(`^lanes/start$`)
	}
	n := 0
	for _, p := range laneProjects(t) {
		if !want.MatchString(p.name) {
			continue
		}
		n++
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			(&lanes{t: t, cache: t.TempDir()}).project(p)
		})
	}
	if n == 0 {
		t.Errorf("no project is called %s", want)
	}
}

// laneProjects are those of testdata/lanes, the programs of testdata/check, and the examples.
func laneProjects(t *testing.T) []project {
	t.Helper()
	var out []project
	for _, folder := range []string{"lanes", "check"} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("nothing in %s: %v", folder, err)
		}
		for _, path := range paths {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p := project{name: folder + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")}
			if folder == "lanes" {
				p.files, p.edits = editedFiles(t, a)
			} else if p.files, p.edits = checkedFiles(t, a, path); p.files == nil {
				continue
			}
			out = append(out, p)
		}
	}
	out = append(out, exampleProjects(t)...)
	return out
}

// editedFiles reads an archive of files and of edits, `edit NAME FILE`, whose text is
// what goes, `=>`, and what comes.
func editedFiles(t *testing.T, a *txtar.Archive) (map[string]string, []edit) {
	t.Helper()
	files := map[string]string{}
	var edits []edit
	for _, f := range a.Files {
		words := strings.Fields(f.Name)
		if words[0] != "edit" {
			files[f.Name] = string(f.Data)
			continue
		}
		file := words[len(words)-1]
		from, to, ok := strings.Cut(string(f.Data), "=>\n")
		from, to = strings.TrimSuffix(from, "\n"), strings.TrimSuffix(to, "\n")
		if !ok || strings.Count(files[file], from) != 1 {
			t.Fatalf("%s: %q occurs %d times", f.Name, from, strings.Count(files[file], from))
		}
		name := strings.Join(words[1:len(words)-1], " ")
		edits = append(edits, edit{name, with(files, file, strings.Replace(files[file], from, to, 1)),
			strings.HasPrefix(name, "moved") || name == "column"})
	}
	return files, edits
}

func with(files map[string]string, name, text string) map[string]string {
	out := map[string]string{}
	for k, v := range files {
		out[k] = v
	}
	out[name] = text
	return out
}

// checkedFiles makes a project of a case of TestCheck; its edits are its twin and lines
// above it. A case that has no manifest and is neither C nor C++ is left out, and one that names functions.
func checkedFiles(t *testing.T, a *txtar.Archive, path string) (map[string]string, []edit) {
	t.Helper()
	files, source := caseFiles(a), "main.c"
	if files[source] == "" {
		source = "main.cpp"
	}
	if files[source] == "" {
		return nil, nil
	}
	flags, _ := header(t, string(a.Comment))
	if slices.Contains(flags, "--function") { // `check` alone has it
		return nil, nil
	}
	if files[".firmproof.yml"] == "" {
		text, ok := manifestOf(flags)
		if !ok {
			t.Fatalf("%s: flags %q", path, flags)
		}
		files[".firmproof.yml"] = text
	} else {
		files[".firmproof.yml"] = withUnwind(files[".firmproof.yml"], flags)
	}
	edits := []edit{{"moved", with(files, source, "\n\n"+files[source]), true}}
	if good, ok := strings.CutSuffix(path, "_bad.txtar"); ok {
		twin, err := txtar.ParseFile(good + "_good.txtar")
		if err != nil {
			t.Fatal(err)
		}
		other := caseFiles(twin)
		if other[".firmproof.yml"] == "" { // the flags may be what differs
			flags, _ := header(t, string(twin.Comment))
			other[".firmproof.yml"], _ = manifestOf(flags)
		} else {
			flags, _ := header(t, string(twin.Comment))
			other[".firmproof.yml"] = withUnwind(other[".firmproof.yml"], flags)
		}
		edits = append(edits, edit{"twin", other, false})
	}
	return files, edits
}

func caseFiles(a *txtar.Archive) map[string]string {
	files := map[string]string{}
	for _, f := range a.Files {
		if f.Name != "want" {
			files[f.Name] = string(f.Data)
		}
	}
	return files
}

// withUnwind says in a case's manifest how far its flags unwind loops: without that, time decides how far.
func withUnwind(manifest string, flags []string) string {
	for i := 0; i+1 < len(flags); i += 2 {
		if flags[i] == "--unwind" && !strings.Contains(manifest, "unwind:") {
			manifest = strings.ReplaceAll(manifest, "{entry: ", "{unwind: "+flags[i+1]+", entry: ")
		}
	}
	return manifest
}

// manifestOf says in a manifest what flags of `check` say; ok is false for others.
func manifestOf(flags []string) (text string, ok bool) {
	target, harness, build, stubs := "host", "entry: main", `sources: ["*.{c,cpp}"]`, ""
	for i := 0; i+1 < len(flags); i += 2 {
		v := flags[i+1]
		switch flags[i] {
		case "--target":
			target = v
		case "--entry":
			harness = strings.Replace(harness, "entry: main", "entry: "+v, 1)
		case "--unwind", "--timeout":
			harness += ", " + strings.TrimPrefix(flags[i], "--") + ": " + v
		case "--checks":
			harness += ", checks: [" + v + "]"
		case "--fail-on": // of the exit status alone
		case "--cflags":
			build += ", cflags: [\"" + v + "\"]"
		case "--stub":
			name, effect, _ := strings.Cut(v, "=")
			stubs = fmt.Sprintf("stubs: {%q: %s}\n", name, cmp.Or(effect, "havoc"))
		default:
			return "", false
		}
	}
	return fmt.Sprintf("version: 1\ntargets: [%s]\nbuild: {%s}\nharnesses: [{%s}]\n%s", target, build, harness, stubs),
		len(flags)%2 == 0
}

// exampleProjects are the folders of examples: small programs one by one, and the rest.
func exampleProjects(t *testing.T) []project {
	t.Helper()
	var out []project
	small, err := filepath.Glob("../../examples/small/*.c")
	if err != nil || len(small) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range small {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		manifest, _ := manifestOf([]string{"--target", "x86_64", "--checks", "default,termination"})
		files := map[string]string{"main.c": string(text), ".firmproof.yml": manifest}
		out = append(out, project{"examples/" + strings.TrimSuffix(filepath.Base(path), ".c"), files,
			[]edit{{"moved", with(files, "main.c", "\n"+string(text)), true}}})
	}
	files := map[string]string{}
	root := "../../examples/sensor-node"
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ring := files["src/ring.c"]
	return append(out, project{"examples/sensor-node", files, []edit{{"moved", with(files, "src/ring.c", "\n"+ring),
		true}}})
}

// lanes compares what is said of one project.
type lanes struct {
	t     *testing.T
	cache string
}

func (l *lanes) project(p project) {
	base := l.tree(p.name, p.files)
	for i, e := range p.edits {
		if (len(p.edits)-1-i)%testprogram.Sample(1, 2) != 0 {
			continue // every second one; `make long` makes all
		}
		now := l.tree(p.name+", "+e.name, e.files)
		if before, after := statuses(base), statuses(now); e.moves && before != after {
			l.t.Errorf("%s: text that moves changes\n%sto\n%s", e.name, before, after)
		} else if !e.moves && said(base) == said(now) {
			l.t.Errorf("%s: this edit changes nothing, so it tries nothing", e.name)
		}
	}
	dir := writeTree(l.t, p.files)
	l.compare(p.name+", the same again with --cache", dir, base, l.check(dir, "--cache", l.cache))
	if len(p.edits) > 0 {
		l.simulation(p, base)
	}
}

// tree compares the lanes on one tree and gives what `check` says.
func (l *lanes) tree(name string, files map[string]string) []verdict.Result {
	dir := writeTree(l.t, files)
	want := l.check(dir)
	l.compare(name+", check --cache", dir, want, l.check(dir, "--cache", l.cache))
	l.compare(name+", check --cache again", dir, want, l.check(dir, "--cache", l.cache))
	l.compare(name+", jobs", dir, want, l.jobs(dir))
	return want
}

func (l *lanes) check(dir string, more ...string) []verdict.Result {
	l.t.Helper()
	var out, errs bytes.Buffer
	code := runWith(append([]string{"check", "--format", "json", "--jobs", "1", dir}, more...), &out, &errs)
	var rep verdict.Report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil || len(rep.Results) == 0 {
		l.t.Fatalf("exit %d: %v\n%s%s", code, err, out.String(), errs.String())
	}
	return rep.Results
}

// jobs builds and verifies as the server does, a target at a time.
func (l *lanes) jobs(dir string) []verdict.Result {
	l.t.Helper()
	m, err := manifest.Read(dir)
	if err != nil {
		l.t.Fatal(err)
	}
	var out []verdict.Result
	var all []prepare.Job
	for _, target := range m.Targets {
		folder := l.t.TempDir()
		var errs bytes.Buffer
		if code := runWith([]string{"job", "build", "--target", target.Name, "--engine", "test", "-o", folder, dir},
			&errs, &errs); code != exitOK {
			l.t.Fatalf("exit %d: %s", code, errs.String())
		}
		var list []prepare.Job
		readJSON(l.t, filepath.Join(folder, prepare.JobsFile), &list)
		all = append(all, list...)
		for i := range list {
			if list[i].Settled != nil {
				out = append(out, *list[i].Settled)
				continue
			}
			out = append(out, *verifyIn(l.t, list[i], folder))
		}
	}
	prepare.InContext(all, out)
	return out
}

// simulation compares both sides of a pull request, of the base and the last edit.
func (l *lanes) simulation(p project, base []verdict.Result) {
	l.t.Helper()
	repo, last := l.t.TempDir(), p.edits[len(p.edits)-1]
	for _, files := range []map[string]string{p.files, last.files} {
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755); err != nil {
				l.t.Fatal(err)
			}
			put(l.t, repo, name, text)
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x",
			"commit", "-q", "-m", "x"}} {
			if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
				l.t.Fatalf("%v: %s", err, out)
			}
		}
	}
	s := &simulation{rng: "HEAD~1..HEAD", repo: repo, out: io.Discard, err: io.Discard}
	s.fl.jobs = 1
	pr, err := s.verify(context.Background())
	if err != nil || pr.before == nil {
		l.t.Fatal(err)
	}
	dir := writeTree(l.t, p.files)
	l.compare(p.name+", base of a pull request", dir, base, pr.before.Results)
	dir = writeTree(l.t, last.files)
	l.compare(p.name+", head of a pull request", dir, l.check(dir), pr.now.Results)
}

// compare holds results to those of `check`: what they say, and the whole of them where
// `check` says the same each time. What was cut off by time says nothing. Kept inputs
// are tried before the search and kept answers shorten it, so that a violation may be
// shown in another way.
func (l *lanes) compare(name, dir string, want, got []verdict.Result) {
	l.t.Helper()
	if outOfTime(want) || outOfTime(got) {
		l.t.Logf("%s: out of time, not compared", name)
		return
	}
	if a, b := said(want), said(got); a != b {
		l.t.Errorf("%s: want and got\n%s", name, different(a, b))
		return
	}
	ways := !slices.ContainsFunc(got, func(r verdict.Result) bool {
		return count(&r, "try again", "tried") > 0 || count(&r, "solve", "cache hits") > 0
	})
	if a, b := whole(l.t, want, ways), whole(l.t, got, ways); a != b {
		for range 3 {
			if whole(l.t, l.check(dir), ways) != a {
				return // the engines race, and another one may have won
			}
		}
		l.t.Errorf("%s: want and got\n%s", name, different(a, b))
	}
}

func outOfTime(list []verdict.Result) bool {
	lost := func(r *verdict.Reason) bool {
		return r.OutOfTime() || r != nil && r.Kind == verdict.OutOfMemory
	}
	return slices.ContainsFunc(list, func(r verdict.Result) bool {
		return lost(r.Reason) || r.CutShort ||
			slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool { return lost(c.Reason) })
	})
}

// statuses are a line for each claim, without its place.
func statuses(list []verdict.Result) string {
	var lines []string
	for _, r := range lasting(list) {
		for j := range r.Claims {
			c := &r.Claims[j]
			lines = append(lines, fmt.Sprintf("%s %s %s %s\n", r.Target, r.Entry, c.ID, c.Status))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// said lists what results claim, with places and reasons, in their order.
func said(list []verdict.Result) string {
	var b strings.Builder
	for _, r := range lasting(list) {
		fmt.Fprintf(&b, "%s %s %s %v\n  %q\n  %q\n", r.Target, r.Entry, r.Status, r.Reason, verdict.TextsOf(r.Assumptions), r.Warnings)
		for j := range r.Claims {
			c := &r.Claims[j]
			fmt.Fprintf(&b, "%s %s %s %q %v %q\n", c.Pos, c.ID, c.Status, c.Message, c.Reason, c.Accepted)
		}
	}
	return b.String()
}

// lasting is the results without what the time that there was decides: whether a proof was found that every run ends,
// which nobody asked for (docs/decisions/0011-termination-unasked.md).
func lasting(list []verdict.Result) []verdict.Result {
	out := slices.Clone(list)
	for i := range out {
		r := &out[i]
		r.Claims = slices.DeleteFunc(slices.Clone(r.Claims), func(c verdict.Claim) bool {
			return c.Unasked && c.Status == verdict.Proved
		})
		r.EndsOpen = false
	}
	return out
}

// whole is all of the results but what a run costs and where it was taken from, and,
// unless ways, how violations and proofs come about.
func whole(t *testing.T, list []verdict.Result, ways bool) string {
	t.Helper()
	out := lasting(list)
	for i := range out {
		r := &out[i]
		r.DurationMS, r.ProcessorMS, r.PeakRSS, r.Stages, r.Reused, r.Change = 0, 0, 0, nil, "", nil
		r.Claims = slices.Clone(r.Claims)
		for j := range r.Claims {
			if !ways {
				c := &r.Claims[j]
				c.Trace, c.Inputs, c.Object, c.Certificate, c.Unreachable, c.By = nil, nil, nil, nil, false, ""
			}
		}
	}
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// different shows the first lines in which two texts differ.
func different(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	return strings.Join(x[max(0, i-3):min(len(x), i+6)], "\n") + "\n----\n" +
		strings.Join(y[max(0, i-3):min(len(y), i+6)], "\n")
}
