package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

// A unit is found in the cache without preprocessing it where every file that it was made of is as it was, and no file
// came or went that an inclusion could find instead.

// origin holds the files that a unit was made of.
type origin struct {
	Sources []source `json:"sources"` // the unit's own file and all that it includes
	Present string   `json:"present"` // digest of the files that the names in inclusions could mean
	Unit    string   `json:"unit"`    // its name in the cache
}

type source struct {
	Path   string `json:"path"` // without folders that differ between checkouts
	Digest string `json:"digest"`
}

// recall looks up a unit by the files that it is made of.
func (r *Request) recall(flags []string) (*Unit, bool) {
	name, ok := r.originName(flags)
	if !ok {
		return nil, false
	}
	for _, dir := range []string{r.CacheDir, r.Units} {
		var o origin
		data, err := os.ReadFile(filepath.Join(dir, name))
		if dir == "" || err != nil || json.Unmarshal(data, &o) != nil {
			continue
		}
		if sources, ok := r.sameSources(&o, flags); ok {
			if u, ok := r.cached(r.shared(o.Unit)); ok {
				for _, path := range sources {
					u.Sources = append(u.Sources, filepath.Clean(path))
				}
				return u, true
			}
		}
	}
	return nil, false
}

// remember notes what a unit is made of, where its text depends on nothing but files. sources are named as the compiler
// does.
func (r *Request) remember(flags []string, key string, text []byte, sources []string) error {
	name, ok := r.originName(flags)
	if !ok || r.Contracts.Needs(text) || checkPragmas(text, r.File, r.shown) != nil {
		return nil
	}
	sources = slices.Clone(sources)
	for i, path := range sources {
		sources[i] = under(r.Dir, path)
	}
	o := origin{Unit: key}
	if o.Present, ok = r.present(flags, sources); !ok {
		return nil
	}
	neutral := r.neutral()
	for _, path := range sources {
		sum, err := r.files.digest(path)
		if err != nil {
			return &InfraError{"compile " + r.File, err}
		}
		o.Sources = append(o.Sources, source{neutral.Replace(path), sum})
	}
	data, err := json.Marshal(o)
	if err == nil {
		err = files.Write(filepath.Join(r.CacheDir, name), data, 0o644)
	}
	if err != nil {
		return &InfraError{"cache", err}
	}
	return nil
}

// originName returns the name of the file in the cache that holds what a unit with these flags, whose own file is as
// it is now, is made of. ok is false if no later build would look there, or if the text may depend on more than files.
func (r *Request) originName(flags []string) (name string, ok bool) {
	if r.files == nil || filepath.Ext(r.File) == ".i" {
		return "", false
	}
	for _, v := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"} {
		if os.Getenv(v) != "" {
			return "", false
		}
	}
	own, err := r.files.digest(absolute(r.Dir, r.File))
	if err != nil {
		return "", false
	}
	h := sha256.New()
	if r.keyOfFlags(h, flags, "") != nil {
		return "", false
	}
	fmt.Fprintf(h, "origin 1 %s %s", r.neutral().Replace(r.Dir), own)
	return hex.EncodeToString(h.Sum(nil)[:20]) + ".origin.json", true
}

// sameSources returns the files that a unit was made of, if they are as they were.
func (r *Request) sameSources(o *origin, flags []string) ([]string, bool) {
	here := strings.NewReplacer("<firmproof>", r.includeDir(), "<root>", r.root())
	var sources []string
	for _, s := range o.Sources {
		path := here.Replace(s.Path)
		if sum, err := r.files.digest(path); err != nil || sum != s.Digest {
			return nil, false
		}
		sources = append(sources, path)
	}
	present, ok := r.present(flags, sources)
	return sources, ok && present == o.Present
}

// present returns a digest of the files that exist under the names that the given ones include or ask for, in each
// folder that the compiler may look in. ok is false if it may look elsewhere.
func (r *Request) present(flags, sources []string) (sum string, ok bool) {
	folders, names, ok := r.searched(flags)
	if !ok {
		return "", false
	}
	for _, path := range sources {
		asked, err := r.files.inclusions(path)
		if err != nil || asked.unclear {
			return "", false
		}
		folders = append(folders, path[:strings.LastIndexByte(path, '/')+1])
		names = append(names, asked.names...)
		if asked.computed {
			names = append(names, suffixes(sources)...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	h := sha256.New()
	neutral, done := r.neutral(), map[string]bool{}
	for _, folder := range folders {
		if done[folder] {
			continue
		}
		done[folder] = true
		fmt.Fprintf(h, "%s\n", neutral.Replace(folder))
		for _, name := range names {
			exists, err := r.files.has(folder, name)
			if err != nil {
				return "", false
			}
			if exists {
				fmt.Fprintf(h, "+%s\n", name)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:20]), true
}

// suffixes returns the ends of paths, from a `/` on: what a name that a macro makes may be.
func suffixes(paths []string) []string {
	var out []string
	for _, p := range paths {
		for _, rest, found := strings.Cut(p, "/"); found; _, rest, found = strings.Cut(rest, "/") {
			out = append(out, rest)
		}
	}
	return out
}

// searched returns the folders that flags let the compiler look for headers in, and the names that flags include. ok is
// false with a flag that may lead it elsewhere.
func (r *Request) searched(flags []string) (folders, names []string, ok bool) {
	folders = []string{r.Dir}
	for i := 0; i < len(flags); i++ {
		f := flags[i]
		if f == "-Xclang" || !strings.HasPrefix(f, "-") && !strings.HasPrefix(f, "@") {
			continue
		}
		k := slices.IndexFunc(searchFlags, func(s string) bool { return strings.HasPrefix(f, s) })
		if k < 0 {
			if slices.ContainsFunc(leadingElsewhere, func(s string) bool { return strings.HasPrefix(f, s) }) {
				return nil, nil, false
			}
			continue
		}
		arg, isInclusion := strings.TrimPrefix(f, searchFlags[k]), k < 2
		if arg != "" && isInclusion { // another flag may begin like that
			return nil, nil, false
		}
		if arg == "" {
			if i++; i == len(flags) || strings.HasPrefix(flags[i], "-") {
				return nil, nil, false
			}
			arg = flags[i]
		}
		if isInclusion {
			names = append(names, arg)
		} else {
			folders = append(folders, under(r.Dir, arg))
		}
	}
	return folders, names, true
}

// searchFlags name a file to include (the first two) or a folder to look in.
var searchFlags = []string{"-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-I"}

// leadingElsewhere begin flags that change where headers are looked for in another way, or stand for other flags.
var leadingElsewhere = []string{"@", "-i", "--include", "--imacros", "--sysroot", "--config", "--embed", "-B", "-F",
	"-cxx-isystem", "-stdlib++-isystem", "-resource-dir", "-working-directory", "-internal-", "-Wp,", "-Xpreprocessor",
	"-fmodule", "-fimplicit-module", "-load", "-fplugin", "-vfsoverlay", "-header-include"}

// under returns a path below a folder, as it is written: what `..` means depends on links.
func under(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return strings.TrimSuffix(folder, "/") + "/" + path
}
