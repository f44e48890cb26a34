package compile

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/manifest"
)

// recordFile is where the calls of a command in the builder's folder are kept.
func (b *builder) recordFile(command string) string {
	var ino uint64
	if st, err := os.Stat(b.dir); err == nil {
		if sys, ok := st.Sys().(*syscall.Stat_t); ok {
			ino = sys.Ino
		}
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\x00%d\x00%s", b.dir, ino, command)))
	return filepath.Join(b.opts.CacheDir, fmt.Sprintf("record-%x.json", sum[:12]))
}

// earlier reads the calls of earlier runs; nil: there are none.
func (b *builder) earlier(command string) *Recording {
	var old Recording
	if data, err := os.ReadFile(b.recordFile(command)); err != nil || json.Unmarshal(data, &old) != nil {
		return nil
	}
	return &old
}

// left lists the calls of earlier runs whose sources a run did not compile.
func (b *builder) left(rec, old *Recording) []Call {
	compiled := map[string]bool{}
	for _, c := range rec.Calls {
		for _, f := range c.sources() {
			compiled[f] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(old.Calls), func(c Call) bool {
		fresh := len(c.sources()) == 0 && c.links() && !linkedAgain(c, rec.Calls)
		for _, f := range c.sources() {
			_, err := os.Stat(f)
			fresh = fresh || !compiled[f] && err == nil
		}
		return !fresh
	})
}

// isPart reports whether a run may not have compiled all that the build consists of now: calls of earlier runs are left that
// another description of the build made, or objects whose calls nobody recorded.
func (b *builder) isPart(rec *Recording, command string, objects bool) bool {
	old := b.earlier(command)
	if old == nil {
		return objects
	}
	return old.Described != rec.Described && len(b.left(rec, old)) > 0
}

// mergeRecord adds the calls of earlier runs whose sources this run did not
// compile, and keeps the whole for the next run.
func (b *builder) mergeRecord(rec *Recording, command string) error {
	if old := b.earlier(command); old != nil {
		list := b.left(rec, old)
		rec.Calls = append(rec.Calls, list...)
		if rec.Old = len(list); rec.Old > 0 && old.Described != rec.Described {
			rec.Changed, rec.Described = true, old.Described
		}
	}
	return b.keepRecord(rec, command)
}

// keepRecord keeps the calls of a run for the next one.
func (b *builder) keepRecord(rec *Recording, command string) error {
	data, err := json.Marshal(rec)
	if err == nil {
		err = os.MkdirAll(b.opts.CacheDir, 0o755)
	}
	if err == nil {
		err = files.Write(b.recordFile(command), data, 0o644)
	}
	return err
}

// linkedAgain reports whether one of calls makes the file that c links.
func linkedAgain(c Call, calls []Call) bool {
	return slices.ContainsFunc(calls, func(d Call) bool { return d.links() && d.output("a.out") == c.output("a.out") })
}

// readRecord reads the calls, each once, in an order that does not depend on time.
func readRecord(log string) (*Recording, error) {
	rec := &Recording{}
	list, err := os.ReadDir(log)
	if err != nil {
		return nil, err
	}
	if len(list) > maxCalls {
		return nil, &LimitError{"recorded compiler calls", fmt.Errorf("the build made %d, at most %d are read",
			len(list),
			maxCalls)}
	}
	seen, size := map[string]bool{}, int64(0)
	var texts []string
	for _, f := range list {
		if name, ok := strings.CutPrefix(f.Name(), "missing."); ok {
			rec.Missing = append(rec.Missing, name)
			continue
		}
		if !f.Type().IsRegular() || strings.HasSuffix(f.Name(), ".part") {
			continue
		}
		data, err := files.Read(filepath.Join(log, f.Name()), maxCall)
		if err != nil {
			return nil, &LimitError{"recorded compiler calls", err}
		}
		if size += int64(len(data)); size > maxCallBytes {
			return nil, &LimitError{"recorded compiler calls", fmt.Errorf("they have more than %d bytes", maxCallBytes)}
		}
		if s := string(bytes.TrimSuffix(data, []byte{0})); !seen[s] && strings.Contains(s, "\x00") {
			seen[s] = true
			texts = append(texts, s)
		}
	}
	sort.Strings(texts)
	for _, s := range texts {
		words := strings.Split(s, "\x00")
		rec.Calls = append(rec.Calls, Call{Dir: words[0], Tool: words[1], Args: words[2:]})
	}
	return rec, nil
}

// isProbe tells the calls by which build systems look at the compiler.
func (c Call) isProbe() bool {
	if strings.Contains(c.Dir, "CMakeFiles") || strings.Contains(c.Dir, "CompilerId") {
		return true
	}
	for _, a := range c.Args {
		switch {
		case a == "-E", a == "-M", a == "-MM", a == "-", a == "/dev/null", strings.HasPrefix(a, "-print-"),
			strings.HasPrefix(a, "-dump"):
			return true
		case strings.HasPrefix(filepath.Base(a), "conftest"), strings.Contains(a, "CMakeFiles/CMakeTmp"),
			strings.Contains(a, "CMakeCCompilerId"), strings.Contains(a, "CMakeScratch"):
			return true
		}
	}
	return false
}

// isHost tells a compiler without a cross prefix.
func (c Call) isHost() bool {
	return !strings.Contains(strings.TrimRight(c.Tool, "-0123456789"), "-")
}

// replay adds the units of the recorded calls.
func (b *builder) replay(mb manifest.Build, calls []Call) error {
	cross := false
	for _, c := range calls {
		cross = cross || !c.isHost() && !c.isProbe()
	}
	switch list := b.images(calls, cross); {
	case mb.Image != "":
		var err error
		if calls, err = b.ofImage(mb, calls, list); err != nil {
			return err
		}
	case len(list) > 1:
		var names []string
		for _, l := range list {
			names = append(names, l.name)
		}
		b.note("the build links several images (%s), which are read as one program: build.image names one",
			strings.Join(names, ", "))
	}
	for _, c := range calls {
		if c.isProbe() {
			continue
		}
		t, err := translate(c.Dir, append([]string{c.Tool}, c.Args...))
		if err != nil {
			return b.fault("command", "", "recorded call of %s in %s: %v", c.Tool, b.display(c.Dir, "."), err)
		}
		for _, f := range t.files {
			if isObject(f) {
				continue
			}
			if cross && c.isHost() {
				b.note("%s is compiled by %s for the build machine: left out", b.display(c.Dir, f), c.Tool)
				continue
			}
			path := f
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.Dir, path)
			}
			if _, err := os.Stat(path); err != nil {
				b.note("%s is compiled by the build and gone afterwards: left out", b.display(c.Dir, f))
				continue
			}
			if err := b.addCall(mb, c.Dir, append([]string{c.Tool}, c.Args...), f); err != nil {
				return err
			}
		}
	}
	if len(b.specs) == 0 {
		return b.fault("command", manifest.Name,
			"build command `%s` compiled no C file that could be recorded: start from a clean tree "+
				"(`make clean && ...`), and call the compiler by name, not by path", mb.Command)
	}
	return nil
}
