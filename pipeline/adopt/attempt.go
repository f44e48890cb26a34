package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/headers"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
)

// TrialTime is how long the trial check takes where nobody says another time.
const TrialTime = 45 * time.Second

// Limits of what is tried. Those of builds go with the time of the trial check, down to a third.
const (
	buildTime   = 90 * time.Second // of a build command
	waysTime    = 2 * time.Minute  // after which no further build command is begun
	compileTime = 3 * time.Minute  // of all units of a way to build
	maxSources  = 250              // files tried where there is no build
)

// limit returns a limit of builds in a trial that may take as long as trial.
func limit(full, trial time.Duration) time.Duration {
	return min(full, max(full/3, time.Duration(trial.Seconds()/TrialTime.Seconds()*float64(full))))
}

// attempt is a way to build that was tried on a target.
type attempt struct {
	way
	target, why string
	recording   *compile.Recording // of the build command
	kept        []compile.Attempt  // go together
	left        []leftOut          // the rest
	absent      absent             // headers that they include
	images      []string           // that a recorded build links
	library     bool               // they are tests and examples of what is kept
	questions   []string
}

// leftOut is a file that is not verified.
type leftOut struct {
	file, why string
	build     bool // its build would verify it otherwise
}

// options returns what all builds of an attempt share: units are compiled as the trial check asks for them.
func (f *finder) options() (compile.Options, error) {
	dir, err := os.MkdirTemp(f.work, "try-")
	opts := compile.Options{WorkDir: dir, CacheDir: filepath.Join(f.work, "units"), KeepAll: true}
	if cache, e := os.UserCacheDir(); e == nil {
		kept := filepath.Join(cache, "firmproof", "units")
		if os.MkdirAll(kept, 0o755) == nil {
			opts.CacheDir = kept
		}
	}
	return opts, errors.Join(err, os.MkdirAll(opts.CacheDir, 0o755))
}

// try runs a build, and tries its units on the target that its compiler calls are for.
func (f *finder) try(ctx context.Context, w way) (*attempt, error) {
	opts, err := f.options()
	if err != nil {
		return nil, err
	}
	a := &attempt{way: w}
	a.target, a.why = f.survey.target()
	if w.build.Command != "" {
		building, stop := context.WithTimeout(ctx, cmp.Or(f.Build, limit(buildTime, f.Time)))
		opts.Recording, err = compile.Record(building, f.root, w.build, opts)
		f.slow = building.Err() != nil
		stop()
		if err != nil {
			if w.makes != "" {
				err = errors.Join(err, os.RemoveAll(filepath.Join(f.root, w.makes)))
			}
			return nil, err
		}
		a.recording = opts.Recording
		a.target, a.why = targetOf(callText(opts.Recording.Calls), "the recorded compiler calls")
	}
	trial, err := f.units(ctx, a, opts)
	if err != nil {
		return nil, err
	}
	a.images = trial.Images
	own := slices.DeleteFunc(slices.Clone(a.images), isAside)
	if len(a.images) > 1 && len(own) == 1 {
		a.build.Image = own[0]
		if trial, err = f.units(ctx, a, opts); err != nil {
			return nil, err
		}
	}
	a.choose(trial.Units)
	a.library = len(own) == 0 && len(a.images) > 0 && a.hasOwn()
	if len(a.images) > 1 && a.build.Image == "" && !a.library {
		a.questions = append(a.questions, "the build links several programs ("+some(a.images)+
			"): `build.image` names the one to verify")
	}
	for _, l := range a.left {
		a.build.Exclude = append(a.build.Exclude, l.file)
	}
	return a, nil
}

// units tries the units of an attempt.
func (f *finder) units(ctx context.Context, a *attempt, opts compile.Options) (*compile.Trial, error) {
	t, err := targets.Load(a.target)
	if err != nil {
		return nil, err
	}
	compiling, stop := context.WithTimeout(ctx, compileTime)
	defer stop()
	return compile.Try(compiling, f.root, a.build, t, opts)
}

// plain tries the C files themselves, with the folders that their headers are in.
func (f *finder) plain(ctx context.Context) (*attempt, error) {
	files, asides := f.survey.sources, 0
	if n := slices.IndexFunc(files, isAside); n > 0 {
		files, asides = files[:n], len(files)-n
	}
	more := max(0, len(files)-maxSources)
	files = files[:len(files)-more]
	target, why := f.survey.target()
	b := manifest.Build{Sources: files, Defines: f.survey.settings()}
	a, err := f.plainOn(ctx, b, target, why)
	if err == nil && target != "host" && len(a.kept) < len(files)/2 {
		const more = "more of its files compile for it than for "
		if b, e := f.plainOn(ctx, b, "host", more+target); e == nil &&
			len(b.kept) > len(a.kept) {
			a = b
		}
	}
	if err != nil {
		return nil, err
	}
	if len(a.build.Defines) > 0 {
		a.questions = append(a.questions, "are the macros CONFIG_... those of the build? They are what sdkconfig or "+
			"prj.conf says, or else the defaults of Kconfig")
	}
	if asides > 0 {
		a.left = append(a.left, leftOut{fmt.Sprintf("%d files", asides), "tests, examples and the like", false})
	}
	if more > 0 {
		a.left = append(a.left, leftOut{fmt.Sprintf("%d files", more),
			fmt.Sprintf("more than the %d that are tried", maxSources), false})
	}
	return a, nil
}

// plainOn tries files on a target, with the folders that hold further headers of theirs.
func (f *finder) plainOn(ctx context.Context, b manifest.Build, target, why string) (*attempt, error) {
	files := b.Sources
	t, err := targets.Load(target)
	if err != nil {
		return nil, err
	}
	if f.headers == nil {
		if f.headers, err = headers.NewTree(f.root); err != nil {
			return nil, err
		}
	}
	search := headers.NewSearch(f.headers, slices.Clone(b.Include), compile.SystemHeader(t))
	for _, file := range files {
		search.Add(file)
	}
	for _, h := range f.survey.harnesses {
		search.Add(h.file)
	}
	b.Sources, b.Include = escaped(files), search.Dirs
	a := &attempt{way: way{build: b}, target: target, why: why}
	opts, err := f.options()
	if err != nil {
		return nil, err
	}
	trial, err := f.units(ctx, a, opts)
	if err != nil {
		return nil, err
	}
	a.choose(trial.Units)
	a.build.Sources = nil
	for _, u := range a.kept {
		a.build.Sources = append(a.build.Sources, escape(u.File))
	}
	slices.Sort(a.build.Sources)
	a.said = fmt.Sprintf("%d of %d C files, without a build", len(a.kept), len(files))
	a.absent = absentHeaders(trial.Units, search.Missing)
	return a, nil
}

var special = regexp.MustCompile(`[*?\[\]{}\\!]`)

// escape writes a file's name as a pattern that matches it alone.
func escape(file string) string { return special.ReplaceAllString(file, `\$0`) }

func escaped(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = escape(f)
	}
	return out
}

// folders shortens a list of files to patterns: DIR/*.c where all C files of a folder are listed.
func folders(root string, files []string) []string {
	byDir := map[string][]string{}
	for _, f := range files {
		byDir[path.Dir(f)] = append(byDir[path.Dir(f)], f)
	}
	var out []string
	for dir, list := range byDir {
		all, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.c"))
		if len(list) > 1 && len(all) == len(list) && !special.MatchString(dir) {
			out = append(out, path.Join(dir, "*.c"))
			continue
		}
		out = append(out, list...)
	}
	slices.Sort(out)
	return out
}
