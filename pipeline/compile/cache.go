package compile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/targets/llvm"
)

// preprocess returns the text that the compiler sees and the files that it came from.
func (r *Request) preprocess(ctx context.Context, flags []string, scratch string) ([]byte, []string, error) {
	if filepath.Ext(r.File) == ".i" { // preprocessed already
		text, err := os.ReadFile(absolute(r.Dir, r.File))
		if err != nil {
			err = &InfraError{"compile " + r.File, err}
		}
		return text, nil, err
	}
	depFile, outFile := filepath.Join(scratch, "unit.d"), filepath.Join(scratch, "unit.i")
	args := append(append(slices.Clone(flags), overlayFlags(scratch)...), "-E", "-MD", "-MF", depFile, "-MT", "unit",
		"-o", outFile, "--", r.File)
	res, err := r.run(ctx, args...)
	if err != nil {
		return nil, nil, err
	}
	if res.ExitCode != 0 {
		if err = r.fault(res, flags[0]); r.respell(err, flags, scratch) {
			return r.preprocess(ctx, flags, scratch)
		}
		return nil, nil, err
	}
	text, err := os.ReadFile(outFile)
	if err != nil {
		return nil, nil, &InfraError{"compile " + r.File, err}
	}
	deps, err := os.ReadFile(depFile)
	if err != nil && !os.IsNotExist(err) { // a preprocessed file has none
		return nil, nil, &InfraError{"compile " + r.File, err}
	}
	return text, parseDeps(string(deps)), nil
}

// parseDeps reads the right side of a make rule.
func parseDeps(rule string) []string {
	_, rule, _ = strings.Cut(rule, ":")
	rule = strings.NewReplacer("\\\r\n", " ", "\\\n", " ", "\\ ", "\x00", "$$", "$", "\\#", "#").Replace(rule)
	var out []string
	for _, f := range strings.Fields(rule) {
		out = append(out, strings.ReplaceAll(f, "\x00", " "))
	}
	return out
}

// key names a unit by all that its IR depends on: compiler, flags, preprocessed
// text, and the bytes of each file (columns of debug information do not survive
// preprocessing). Directories that differ between checkouts are taken out.
func (r *Request) key(flags []string, text []byte, deps []string) (string, error) {
	h := sha256.New()
	if err := r.keyOfFlags(h, flags, r.contractKey(text)); err != nil {
		return "", err
	}
	text = bytes.ReplaceAll(text, []byte(r.includeDir()), []byte("<firmproof>"))
	h.Write(bytes.ReplaceAll(text, []byte(r.root()), []byte("<root>")))
	neutral := r.neutral()
	for _, d := range deps {
		sum, err := r.files.digest(d)
		if err != nil {
			return "", &InfraError{"compile " + r.File, err}
		}
		fmt.Fprintf(h, "\n%s %s", neutral.Replace(d), sum)
	}
	return hex.EncodeToString(h.Sum(nil)[:20]), nil
}

// sharedKey names a unit by the bytes of its file and by what its IR takes from headers (see substance). ok is false if
// there is no such name.
func (r *Request) sharedKey(flags []string, text []byte, deps []string) (key string, ok bool) {
	sum, ok := r.substance(text, deps)
	if !ok {
		return "", false
	}
	own, err := r.files.digest(absolute(r.Dir, r.File))
	if err != nil {
		return "", false
	}
	h := sha256.New()
	if r.keyOfFlags(h, flags, "") != nil {
		return "", false
	}
	fmt.Fprintf(h, "%s %x", own, sum)
	return hex.EncodeToString(h.Sum(nil)[:20]), true
}

// unitVersion goes up with each change of what units become, in clang's flags or in what is noted in their IR: answers of
// an older version stay in the folder of whoever asked it.
const unitVersion = 20

// keyOfFlags takes in what is the same for all texts: compiler, file and flags.
func (r *Request) keyOfFlags(h io.Writer, flags []string, contracts string) error {
	ver, err := compilerIdentity()
	if err != nil {
		return &InfraError{"compile " + r.File, err}
	}
	fmt.Fprintf(h, "unit %d %s\n%s\nshim %s %x\n%s\n", unitVersion, contracts, ver, shimVersion,
		sha256.Sum256([]byte(cproverTypes)), r.File)
	if r.Checks.Stack {
		fmt.Fprintln(h, "frames")
	}
	if slices.Contains(r.CFlags, unsignedFields) {
		fmt.Fprintln(h, unsignedFields)
	}
	for _, u := range r.unlike { // only texts without it become units
		fmt.Fprintln(h, "without", u.word)
	}
	neutral := r.neutral()
	for _, f := range flags {
		fmt.Fprintf(h, "%s\n", neutral.Replace(f))
	}
	return nil
}

// neutral takes out the folders that differ between checkouts.
func (r *Request) neutral() *strings.Replacer {
	return strings.NewReplacer(r.includeDir(), "<firmproof>", r.root(), "<root>")
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// compilerIdentity changes when clang is replaced.
func compilerIdentity() (string, error) {
	tools, err := llvm.Find()
	if err != nil {
		return "", err
	}
	return identity(tools.Clang)
}

// identity changes when a program is replaced. It looks at the file, not at what the program prints, so that a build does
// not start a compiler once more per unit.
func identity(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d", path, st.Size(), st.ModTime().UnixNano()), nil
}

// contractKey returns the key of a text that has contracts: the digest of the C that
// stands for them.
func (r *Request) contractKey(text []byte) string {
	if !r.Contracts.Needs(text) {
		return ""
	}
	out, err := contract.Rewrite(r.File, text, r.contractOptions())
	if err != nil {
		out = []byte(err.Error())
	}
	return fmt.Sprintf("%x", sha256.Sum256(bytes.ReplaceAll(out, []byte(r.root()), []byte("<root>"))))
}

// refusedClauses lists the clauses of contracts of a text that nobody follows.
func (r *Request) refusedClauses(text []byte) []contract.Refusal {
	if r.Silent || r.Contracts != nil || !isC(r.File) || !contract.Needed(text) {
		return nil
	}
	out := contract.Refused(r.File, text, r.contractOptions())
	for i := range out {
		out[i].File = r.shown(out[i].File)
	}
	return out
}

// contractOptions say how contracts are used for the target.
func (r *Request) contractOptions() contract.Options {
	o := contract.Options{Plain: !r.Silent}
	if r.Contracts != nil {
		o = *r.Contracts
	}
	o.PtrBits = r.Target.PointerBits
	return o
}
