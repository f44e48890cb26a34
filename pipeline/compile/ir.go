package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/llvm"
)

// tools returns the tools of the LLVM in use. Where there is none, Request.prepare has said so.
func tools() llvm.Tools {
	t, _ := llvm.Find()
	return t
}

// Installed fails, and says what helps, where the compiler is not there.
func Installed() error {
	_, err := llvm.Find()
	return err
}

// maxChecked is the size up to which LLVM text is checked whole. In a larger one mistakes are
// found where it matters: in what is linked.
const maxChecked = 4 << 20

// maxText is how long LLVM text may be, in bytes.
const maxText = 1 << 30

// readText checks LLVM text with llvm-as, which names the line of a mistake.
func (r *Request) readText(ctx context.Context, path string) (*Unit, error) {
	if st, err := os.Stat(path); err == nil && st.Size() > maxChecked {
		text, err := files.Read(path, maxText)
		if err != nil {
			return nil, &InfraError{"read " + r.File, err}
		}
		return r.adopt(text)
	}
	res, err := r.run(ctx, tools().As, "-o", os.DevNull, path)
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, r.irFault(res, path, fmt.Sprintf("this is no LLVM %d IR", tools().Version))
	}
	text, err := files.Read(path, maxText)
	if err != nil {
		return nil, &InfraError{"read " + r.File, err}
	}
	return r.adopt(text)
}

func (r *Request) readBitcode(ctx context.Context, path string) (*Unit, error) {
	res, err := r.run(ctx, tools().Dis, "-o", "-", path)
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, r.irFault(res, path, fmt.Sprintf("this is no LLVM %d bitcode", tools().Version))
	}
	return r.adopt(res.Stdout)
}

func (r *Request) irFault(res Result, path, what string) error {
	diags, _ := parseDiagnostics(res.Stderr)
	if len(diags) == 0 {
		diags = []Diagnostic{{Message: tail(res.Stderr, 1)}}
	}
	for i, d := range diags {
		if d.File == "" || d.File == path {
			diags[i].File = r.File
		}
		diags[i].Message = what + ": " + d.Message
	}
	return &BuildError{Stage: "read", Target: r.Target.Name, Diagnostics: diags}
}

var (
	layoutLine = regexp.MustCompile(`(?m)^target datalayout = "([^"]*)"\r?$`)
	tripleLine = regexp.MustCompile(`(?m)^target triple = "([^"]*)"\r?$`)
)

// adopt holds a module that somebody else compiled to the target: what it says
// about its layout must agree, what it leaves out is filled in.
func (r *Request) adopt(text []byte) (*Unit, error) {
	if m := layoutLine.FindSubmatch(text); m == nil {
		text = append([]byte(fmt.Sprintf("target datalayout = %q\n", r.Target.DataLayout)), text...)
	} else if !targets.SameMachine(string(m[1]), r.Target.DataLayout) {
		msg := fmt.Sprintf("the module was compiled for another machine than target %s: its data layout is %q, the target's is %q (choose with --target)", r.Target.Name, m[1], r.Target.DataLayout)
		line := 1 + bytes.Count(text[:bytes.Index(text, m[0])], []byte("\n"))
		return nil, &BuildError{Stage: "read", Target: r.Target.Name,
			Diagnostics: []Diagnostic{{File: r.File, Line: line, Message: msg}}}
	}
	if !tripleLine.Match(text) {
		text = append([]byte(fmt.Sprintf("target triple = %q\n", r.Target.Triple)), text...)
	}
	f, err := os.CreateTemp(r.WorkDir, "unit-*.ll")
	if err != nil {
		return nil, &InfraError{"read " + r.File, err}
	}
	path, err := filepath.Abs(f.Name())
	if err == nil {
		_, err = f.Write(text)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, &InfraError{"read " + r.File, err}
	}
	return &Unit{IRPath: path}, nil
}
