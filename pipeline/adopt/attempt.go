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
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/build"
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
	recording   *build.Recording // of the build command
	kept        []build.Attempt  // go together
	left        []leftOut        // the rest
	absent      absent           // headers that they include
	images      []string         // that a recorded build links
	library     bool             // they are tests and examples of what is kept
	questions   []string
}

// leftOut is a file that is not verified.
type leftOut struct {
	file, why string
	build     bool // its build would verify it otherwise
}

// options returns what all builds of an attempt share: units are compiled as the trial check asks for them.
func (f *finder) options() (build.Options, error) {
	dir, err := os.MkdirTemp(f.work, "try-")
	opts := build.Options{WorkDir: dir, CacheDir: filepath.Join(f.work, "units"), KeepAll: true}
	if cache, e := os.UserCacheDir(); e == nil {
		opts.CacheDir = filepath.Join(cache, "firmproof", "units")
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
		opts.Recording, err = build.Record(building, f.root, w.build, opts)
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
func (f *finder) units(ctx context.Context, a *attempt, opts build.Options) (*build.Trial, error) {
	t, err := targets.Load(a.target)
	if err != nil {
		return nil, err
	}
	compiling, stop := context.WithTimeout(ctx, compileTime)
	defer stop()
	return build.Try(compiling, f.root, a.build, t, opts)
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
	search := headers.NewSearch(f.headers, slices.Clone(b.Include), build.SystemHeader(t))
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

// choose keeps the units that compile and that one program can hold: the project's own before what
// is aside, and of several that define the same the first.
func (a *attempt) choose(units []build.Attempt) {
	a.kept, a.left = nil, nil
	units = slices.Clone(units)
	slices.SortStableFunc(units, func(x, y build.Attempt) int { return rank(x.File) - rank(y.File) })
	own := slices.ContainsFunc(units, func(u build.Attempt) bool { return u.Err == nil && !isAside(u.File) })
	defined := map[string]string{}
	for _, u := range units {
		why := ""
		switch {
		case errors.Is(u.Err, context.DeadlineExceeded):
			why = fmt.Sprintf("not compiled within the %s that all files have", compileTime)
		case u.Err != nil:
			why, _, _ = strings.Cut(u.Err.Error(), "\n")
		case own && isAside(u.File):
			why = "a test, an example or the like"
		default:
			for _, d := range u.Defines {
				if other, twice := defined[d]; twice {
					why = fmt.Sprintf("defines %s, as %s does", d, other)
					break
				}
			}
		}
		if why != "" {
			a.left = append(a.left, leftOut{u.File, why, true})
			continue
		}
		a.kept = append(a.kept, u)
		for _, d := range u.Defines {
			defined[d] = u.File
		}
	}
}

// leftByReason joins files that are left out for the same reason.
func (a *attempt) leftByReason() []leftOut {
	var out []leftOut
	files := map[string][]string{}
	for _, l := range a.left {
		why := diagnosticPlace.ReplaceAllString(l.why, "")
		if files[why] == nil {
			out = append(out, leftOut{l.file, why, l.build})
		}
		files[why] = append(files[why], l.file)
	}
	for i, l := range out {
		if list := files[l.why]; len(list) > 1 {
			out[i].file = fmt.Sprintf("%d files (%s)", len(list), first(list, 3))
		} else {
			out[i].why = a.left[slices.IndexFunc(a.left, func(o leftOut) bool { return o.file == l.file })].why
		}
	}
	return out
}

// diagnosticPlace matches where a compiler found something, in front of what.
var diagnosticPlace = regexp.MustCompile(`^[^\s:]+:\d+:\d+: `)

// has returns the file that defines a function among the kept units, one that gives way to no other before others.
func (a *attempt) has(function string) (string, bool) {
	weak := ""
	for _, u := range a.kept {
		if slices.Contains(u.Public, function) {
			return u.File, true
		}
		if weak == "" && slices.Contains(u.Weak, function) {
			weak = u.File
		}
	}
	return weak, weak != ""
}

// hasOwn reports whether a file that is no test, example or the like is kept.
func (a *attempt) hasOwn() bool {
	return slices.ContainsFunc(a.kept, func(u build.Attempt) bool { return !isAside(u.File) })
}

// isPackaged reports whether a function is of a package that others made, beside code of the project's own.
func (a *attempt) isPackaged(function string) bool {
	file, ok := a.has(function)
	return ok && headers.Packaged(file) && slices.ContainsFunc(a.kept, func(u build.Attempt) bool {
		return len(u.Public) > 0 && !headers.Packaged(u.File)
	})
}

// functions counts the functions of the kept units that others may call.
func (a *attempt) functions() int {
	n := 0
	for _, u := range a.kept {
		n += len(u.Public)
	}
	return n
}

// drop leaves a file out after all.
func (a *attempt) drop(file, why string) bool {
	i := slices.IndexFunc(a.kept, func(u build.Attempt) bool { return u.File == file })
	if i < 0 {
		return false
	}
	a.kept = slices.Delete(a.kept, i, i+1)
	a.left = append(a.left, leftOut{file, why, true})
	if len(a.build.Sources) > 0 {
		a.build.Sources = slices.DeleteFunc(a.build.Sources, func(s string) bool { return s == escape(file) })
	} else {
		a.build.Exclude = append(a.build.Exclude, escape(file))
	}
	return true
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
