package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// frames asks the compiler how many bytes of stack an activation of each function
// takes, its return address included: with the flags of the project, the
// optimisation among them, and without what is there for verification alone.
// A function of the unit's IR that has none was inlined wherever it is called.
// Of a unit that the compiler makes no machine code of, noCode is what it says, and no frame is known.
func (c *compilation) frames(ctx context.Context, flags []string, file string) (frames map[string]int64, noCode string, err error) {
	r, scratch := c.Request, c.scratch
	if !r.Checks.Stack {
		return nil, "", nil
	}
	out := filepath.Join(scratch, "frames.s")
	res, err := r.run(ctx, append(productFlags(flags), "-fstack-usage", "-S", "-o", out, "--", file)...)
	if err != nil {
		return nil, "", err
	}
	frames, missing := map[string]int64{}, int64(0)
	if res.ExitCode == 0 {
		text, err := os.ReadFile(filepath.Join(scratch, "frames.su"))
		if err != nil && !os.IsNotExist(err) { // a unit without functions has none
			return nil, "", &InfraError{"compile " + r.File, err}
		}
		frames = parseFrames(string(text), returnAddress(r.Target.Triple, flags))
	} else {
		noCode, missing = firstError(res), ir.FrameWithoutCode
	}
	unit, err := os.ReadFile(c.out)
	if err != nil {
		return nil, "", &InfraError{"compile " + r.File, err}
	}
	for _, f := range readFunctions(unit) {
		if _, ok := frames[f.Name]; !ok {
			frames[f.Name] = missing
		}
	}
	return frames, noCode, nil
}

// firstError is the first mistake that a compiler names, or how it ended.
func firstError(res Result) string {
	if diags, _ := parseDiagnostics(res.Stderr); len(diags) > 0 {
		return diags[0].Message
	}
	return fmt.Sprintf("it ends with status %d", res.ExitCode)
}

// productFlags returns flags without those for instrumentation and against optimisation.
func productFlags(flags []string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		switch f := flags[i]; {
		case strings.HasPrefix(f, "-fsanitize"), f == "-O0", f == emitAll:
		case f == "-Xclang" && i+1 < len(flags) && (flags[i+1] == "-disable-O0-optnone" ||
			flags[i+1] == "-disable-llvm-passes" || strings.HasPrefix(flags[i+1], "-fsanitize")):
			i++
		default:
			out = append(out, f)
		}
	}
	return out
}

// parseFrames reads lines "file:line:function<tab>bytes<tab>static|dynamic".
func parseFrames(text string, extra int64) map[string]int64 {
	out := map[string]int64{}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			continue
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			continue
		}
		if n += extra; strings.HasPrefix(f[2], "dynamic") {
			n = ir.VariableFrame
		}
		addFrame(out, f[0][strings.LastIndexByte(f[0], ':')+1:], n)
	}
	return out
}

// addFrame keeps the larger of two static functions of one name, or that whose size is not known.
func addFrame(to map[string]int64, name string, n int64) {
	if old, ok := to[name]; !ok || old >= 0 && (n < 0 || n > old) {
		to[name] = n
	}
}

// longCalls matches AVRs whose program memory takes more than 16 bits to address in words: avr6, avrxmega6 and avrxmega7.
var longCalls = regexp.MustCompile(`^-m(?:mcu|cpu)=(?:avr6|avrxmega[67]|at(?:mega256|xmega(?:128|192|256|384)).*)$`)

// returnAddress returns how many bytes a call itself pushes.
func returnAddress(triple string, flags []string) int64 {
	arch, _, _ := strings.Cut(triple, "-")
	switch {
	case arch == "avr" && slices.ContainsFunc(flags, longCalls.MatchString):
		return 3
	case arch == "x86_64":
		return 8
	case len(arch) == 4 && arch[0] == 'i' && strings.HasSuffix(arch, "86"):
		return 4
	case arch == "avr", arch == "msp430":
		return 2
	}
	return 0
}

func (img *Image) addFrames(unit map[string]int64) {
	if len(unit) > 0 && img.Frames == nil {
		img.Frames = map[string]int64{}
	}
	for name, n := range unit {
		addFrame(img.Frames, name, n)
	}
}
