package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets/llvm"
)

// join makes one module of the texts at paths, in the file whole. The only unit of a program is one already (single), if
// it was compiled here; what others made is checked by llvm-link.
func (l *linker) join(ctx context.Context, paths []string, single bool, whole string) ([]byte, error) {
	if single && !slices.Contains([]string{".ll", ".bc"}, filepath.Ext(l.img.Units[0].Given)) {
		text, err := os.ReadFile(paths[0])
		if err == nil {
			err = files.Write(whole, text, 0o644)
		}
		if err != nil {
			return nil, &InfraError{"link", err}
		}
		return text, nil
	}
	res, err := l.run(ctx, append([]string{tools().Link, "-S", "-o", filepath.Base(whole)}, paths...)...)
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, l.fault(res)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		return nil, &InfraError{"link", err}
	}
	return text, nil
}

// slice drops what the entries do not reach, and makes the rest internal. Nothing is optimised.
func (l *linker) slice(ctx context.Context, whole string, text []byte) error {
	l.img.IRPath = whole
	if l.opts.KeepAll || len(l.entries) == 0 {
		return nil
	}
	if l.whole {
		l.img.Notes = append(l.img.Notes, inlineAssembly(text)...)
		return nil
	}
	public := append(append([]string(nil), l.img.Entries...), l.keep...)
	out := filepath.Join(l.opts.WorkDir, "image.ll")
	sliced, ok := sliceText(text, public)
	if ok {
		if err := files.Write(out, sliced, 0o644); err != nil {
			return &InfraError{"link", err}
		}
	} else {
		var err error
		if sliced, err = l.sliceByTool(ctx, whole, out, public); err != nil {
			return err
		}
	}
	l.img.IRPath = out
	l.img.Notes = append(l.img.Notes, inlineAssembly(sliced)...)
	return nil
}

// sliceByTool is sliceText for text that is not laid out as LLVM's printer does it.
func (l *linker) sliceByTool(ctx context.Context, whole, out string, public []string) ([]byte, error) {
	res, err := l.run(ctx, tools().Opt, "-S", "-passes=internalize,globaldce", "-internalize-public-api-list="+
		strings.Join(public, ","), "-o", filepath.Base(out), filepath.Base(whole))
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, &InfraError{"link", fmt.Errorf("%s: %s", tools().Opt, tail(res.Stderr, 3))}
	}
	sliced, err := os.ReadFile(out)
	if err != nil {
		return nil, &InfraError{"link", err}
	}
	return sliced, nil
}

// sliceText keeps of a module's text what the public symbols lead to, without empty lines. As after opt's passes
// internalize and globaldce, definitions are internal but those that are public or in llvm.used. ok is false if the text
// is not cut.
func sliceText(text []byte, public []string) (sliced []byte, ok bool) {
	u, ok := followUnit(text, public)
	if !ok {
		return nil, false
	}
	stays := map[string]bool{}
	for _, n := range public {
		stays[n], stays[llvm.Quote(n)] = true, true
	}
	for _, list := range []string{"llvm.used", "llvm.compiler.used"} {
		if e, found := u.byName[list]; found {
			for _, m := range symbolRE.FindAllSubmatch(u.body(e), -1) {
				stays[string(m[1])] = true
			}
		}
	}
	numbered := map[bool]bool{} // there are variables without a name that are kept, or dropped
	out := make([]byte, 0, 1<<16)
	for i, e := range u.entities {
		body := u.body(i)
		if e.kind == '@' && unnamedRE.Match(body) {
			numbered[e.kept] = true
		}
		switch {
		case !e.kept, len(bytes.TrimSpace(body)) == 0:
			continue
		case e.defined && !e.local:
			if m := symbolRE.FindSubmatch(body); m != nil && !stays[string(m[1])] {
				body = internal(body)
			}
		}
		out = append(out, body...)
	}
	return out, !(numbered[true] && numbered[false]) // numbers have no gaps
}

// internal returns a definition that others may see as one that they may not. What is available externally is theirs.
func internal(text []byte) []byte {
	at := len("define ")
	if text[0] == '@' {
		at = bytes.Index(text, []byte(" = ")) + len(" = ")
	}
	rest := text[at:]
	switch word := firstWord(rest); word {
	case "available_externally", "appending":
		return text
	case "weak", "weak_odr", "linkonce", "linkonce_odr", "common":
		rest = rest[len(word)+1:]
	}
	return slices.Concat(text[:at], []byte("internal "), bytes.TrimPrefix(rest, []byte("dso_local ")))
}

// followUnit reads a module and marks what the wanted symbols lead to.
func followUnit(text []byte, wanted []string) (*unitText, bool) {
	u, ok := readUnit(text)
	if !ok {
		return nil, false
	}
	c := &cutter{units: []*unitText{u}, defined: map[string][]int{}}
	c.roots(wanted)
	c.followAll()
	return u, true
}
